// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.ElementType;
import dev.penstock.Elements;
import dev.penstock.Field;
import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Evaluates comparisons one by one with the simplest means: exact decimals, doubles, and lists of code units.
final class NaiveWhere {
    private NaiveWhere() {}

    /// One element of a record: a [BigDecimal], a [Double], or an array of code units.
    static Object element(MemoryDataset dataset, long index, Field field, int elementIndex) {
        byte[] bytes = dataset.bytes(index, field);
        if (field.type().isText()) {
            int start = field.isVariable() ? 0 : elementIndex * (int) field.elementSize();
            int limit = field.isVariable() ? bytes.length : start + (int) field.elementSize();
            return units(Arrays.copyOfRange(bytes, start, limit), field);
        }
        MemorySegment memory = MemorySegment.ofArray(bytes);
        long offset = elementIndex * field.elementSize();
        if (field.type().isFloat()) {
            return Elements.toDouble(field.type(), memory, offset);
        }
        long value = Elements.toLong(field.type(), memory, offset);
        return field.type() == ElementType.U64
                ? new BigDecimal(new BigInteger(Long.toUnsignedString(value)))
                : BigDecimal.valueOf(value);
    }

    /// A literal converted to the type of the field.
    static Object literal(Object literal, Field field) {
        return switch (literal) {
            case String text ->
                units(
                        text.getBytes(field.type() == ElementType.UTF32 ? Samples.UTF_32 : StandardCharsets.UTF_8),
                        field);
            case Double real when field.type().isFloat() -> nearest(field.type(), real);
            case Double real when Double.isNaN(real) || Double.isInfinite(real) -> real;
            case Double real -> new BigDecimal(real.toString());
            case BigInteger whole when field.type().isFloat() -> nearest(field.type(), whole.doubleValue());
            case BigInteger whole -> new BigDecimal(whole);
            default -> throw new AssertionError(literal);
        };
    }

    /// Finds the nearest value by trying the neighbours of a first guess.
    private static double nearest(ElementType type, double value) {
        if (type == ElementType.F64 || Double.isNaN(value) || Double.isInfinite(value)) {
            return value;
        }
        if (type == ElementType.F32) {
            return (float) value;
        }
        double best = Double.NaN;
        short guess = bits(type, value);
        for (int bits = guess - 2; bits <= guess + 2; bits++) {
            double candidate = real(type, (short) bits);
            double distance = Math.abs(candidate - value);
            double bestDistance = Math.abs(best - value);
            boolean isBetter = distance < bestDistance || distance == bestDistance && (bits & 1) == 0;
            best = !Double.isInfinite(candidate) && (Double.isNaN(best) || isBetter) ? candidate : best;
        }
        // A value at half a step beyond the largest number is infinite.
        double largest = type == ElementType.F16 ? 65504 : 0x1.FEp127;
        double limit = type == ElementType.F16 ? 65520 : 0x1.FFp127;
        return Math.abs(value) >= limit
                ? Math.copySign(Double.POSITIVE_INFINITY, value)
                : Math.abs(value) >= largest ? Math.copySign(largest, value) : best;
    }

    private static short bits(ElementType type, double value) {
        return type == ElementType.F16
                ? Float.floatToFloat16((float) value)
                : (short) (Float.floatToIntBits((float) value) >>> 16);
    }

    private static double real(ElementType type, short bits) {
        return type == ElementType.F16 ? Float.float16ToFloat(bits) : Float.intBitsToFloat(bits << 16);
    }

    private static long[] units(byte[] bytes, Field field) {
        boolean isWide = field.type() == ElementType.UTF32;
        long[] units = new long[bytes.length / (isWide ? 4 : 1)];
        for (int i = 0; i < units.length; i++) {
            units[i] = isWide
                    ? bytes[4 * i] & 0xff | (bytes[4 * i + 1] & 0xff) << 8 | (bytes[4 * i + 2] & 0xff) << 16
                    : bytes[i] & 0xff;
        }
        int end = units.length;
        while (!field.isVariable() && end > 0 && units[end - 1] == 0) {
            end--;
        }
        return Arrays.copyOf(units, end);
    }

    static boolean compare(Object left, String symbol, Object right) {
        if (isNan(left) || isNan(right)) {
            return symbol.equals("!=");
        }
        int order = order(left, right);
        return switch (symbol) {
            case "==" -> order == 0;
            case "!=" -> order != 0;
            case "<" -> order < 0;
            case "<=" -> order <= 0;
            case ">" -> order > 0;
            case ">=" -> order >= 0;
            default -> throw new AssertionError(symbol);
        };
    }

    private static boolean isNan(Object value) {
        return value instanceof Double real && Double.isNaN(real);
    }

    private static int order(Object left, Object right) {
        if (left instanceof long[] leftUnits) {
            return Arrays.compare(leftUnits, (long[]) right);
        }
        if (left instanceof BigDecimal leftExact && right instanceof BigDecimal rightExact) {
            return leftExact.compareTo(rightExact);
        }
        double leftReal = ((Number) left).doubleValue();
        double rightReal = ((Number) right).doubleValue();
        return leftReal == rightReal ? 0 : Double.compare(leftReal, rightReal);
    }
}
