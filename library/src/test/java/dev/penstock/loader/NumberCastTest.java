// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.ElementType.BF16;
import static dev.penstock.ElementType.BOOL;
import static dev.penstock.ElementType.F16;
import static dev.penstock.ElementType.F32;
import static dev.penstock.ElementType.F64;
import static dev.penstock.ElementType.U64;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Figures;
import dev.penstock.Seeds;
import dev.penstock.TestData;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Casts between all types of numbers beside a model that reckons exactly, number by number.
@ExtendWith(Seeds.class)
class NumberCastTest {
    private static final List<ElementType> TYPES = Arrays.stream(ElementType.values())
            .filter(type -> type.isInteger() || type.isFloat() || type == BOOL)
            .toList();

    /// Bits of numbers that are hard for some type: bounds, ties, the largest that are exact, no numbers.
    private static final long[] EDGES = Stream.of("""
            0 1 2 3 7F 80 FF 7FFF 8000 FFFF 7FFFFFFF 80000000 FFFFFFFF 3C00 7BFF 7C00 7E00 FC00 8001 3F80 7F80 7FC0 FF80
            1FFFFFFFFFFFFF 20000000000000 20000000000001 7FFFFFFFFFFFFFFF 8000000000000000 FFFFFFFFFFFFFFFF
            FFFFFFFFFFFFFFFE 8000000000000001 8000000000000401 8000000000000400 8000000000000C00""".split("\\s+"))
            .mapToLong(text -> Long.parseUnsignedLong(text, 16))
            .toArray();

    private static final double[] NUMBERS =
            Stream.of("""
            0 -0 0.5 -0.5 0.9999999 -0.9999999 1.5 127.5 128 -128.5 255.9 256 65504 65519.99 65520 65536 0x1p-24 0x1p-25
            0x1.8p-25 0x1.000001p-25 0x1p-14 0x1.ffcp-15 2049 2051 2049.0000001 2048.9999999 257 259 257.0000001
            0x1p-133 0x1p-134 0x1.8p-134 0x1p-126 3.4028235e38 3.4028236e38 3.39e38 3.3961775e38 1e39 0x1p31 2147483647
            0x1p32 4294967295 -0x1p31 -2147483649 0x1p63 0x1.fffffffffffffp62 -0x1p63 0x1p64 0x1.fffffffffffffp63 1e300
            -1e300 4.9e-324 1.4e-45 7e-46 NaN Infinity -Infinity 16777217 0x1.000001p0 0x1.0000010000001p0
            1.0039062500001 1.00390625""".split("\\s+")).mapToDouble(Double::parseDouble).toArray();

    /// The number that bits stand for, or null with [#special] for those that are none.
    private static BigDecimal exact(ElementType type, long bits) {
        return switch (type) {
            case BOOL -> (bits & 0xFF) == 0 ? BigDecimal.ZERO : BigDecimal.ONE;
            case I8 -> BigDecimal.valueOf((byte) bits);
            case I16 -> BigDecimal.valueOf((short) bits);
            case I32 -> BigDecimal.valueOf((int) bits);
            case I64 -> BigDecimal.valueOf(bits);
            case U8 -> BigDecimal.valueOf(bits & 0xFF);
            case U16 -> BigDecimal.valueOf(bits & 0xFFFF);
            case U32 -> BigDecimal.valueOf(bits & 0xFFFF_FFFFL);
            case U64 -> new BigDecimal(new BigInteger(Long.toUnsignedString(bits)));
            default -> Double.isFinite(special(type, bits)) ? new BigDecimal(special(type, bits)) : null;
        };
    }

    /// A real number by its definition: sign, exponent, fraction.
    private static double special(ElementType type, long bits) {
        if (type == F64) {
            return Double.longBitsToDouble(bits);
        }
        int fractionBits = type == F16 ? 10 : type == BF16 ? 7 : 23;
        int exponentBits = type == F16 ? 5 : 8;
        long fraction = bits & (1L << fractionBits) - 1;
        int exponent = (int) (bits >>> fractionBits & (1 << exponentBits) - 1);
        double sign = (bits >>> fractionBits + exponentBits & 1) == 0 ? 1 : -1;
        int bias = (1 << exponentBits - 1) - 1;
        if (exponent == (1 << exponentBits) - 1) {
            return fraction == 0 ? sign * Double.POSITIVE_INFINITY : Double.NaN;
        }
        double significand = Math.scalb((double) fraction, -fractionBits) + (exponent == 0 ? 0 : 1);
        return sign * Math.scalb(significand, Math.max(1, exponent) - bias);
    }

    /// The bits that a number must become.
    private static long expected(ElementType from, long bits, ElementType to, double scale, double shift) {
        BigDecimal exact = exact(from, bits);
        boolean isPlain = scale == 1 && shift == 0;
        if (isPlain && !from.isFloat() && !to.isFloat()) {
            return whole(to, exact);
        }
        double value = from.isFloat() ? special(from, bits) : exact.doubleValue();
        double result = isPlain ? value : value * scale + shift;
        if (to == BOOL) {
            return result == 0 ? 0 : 1;
        }
        if (to.isFloat()) {
            return nearest(to, result);
        }
        if (Double.isNaN(result)) {
            return 0;
        }
        return whole(to, new BigDecimal(Double.isFinite(result) ? result : Math.copySign(1e300, result)));
    }

    private static long whole(ElementType to, BigDecimal exact) {
        if (to == BOOL) {
            return exact.signum() == 0 ? 0 : 1;
        }
        int bits = (int) to.size() * 8;
        boolean isSigned = to.name().startsWith("I");
        BigInteger least = isSigned ? BigInteger.TWO.pow(bits - 1).negate() : BigInteger.ZERO;
        BigInteger most = BigInteger.TWO.pow(isSigned ? bits - 1 : bits).subtract(BigInteger.ONE);
        return exact.toBigInteger().max(least).min(most).longValue() & (bits == 64 ? -1L : (1L << bits) - 1);
    }

    /// The nearest number of a type, found by halving among all of them; of two as near, the one with an even last
    /// bit.
    private static long nearest(ElementType to, double value) {
        long signBit = 1L << to.size() * 8 - 1;
        long sign = Double.doubleToRawLongBits(value) < 0 ? signBit : 0;
        if (to == F64) {
            return Double.doubleToRawLongBits(value);
        }
        if (Double.isNaN(value)) {
            return -1;
        }
        long infinity = to == F16 ? 0x7C00 : to == BF16 ? 0x7F80 : 0x7F80_0000L;
        double magnitude = Math.abs(value);
        long low = 0;
        long high = infinity;
        while (high - low > 1) {
            long middle = low + high >>> 1;
            if (special(to, middle) <= magnitude) {
                low = middle;
            } else {
                high = middle;
            }
        }
        if (Double.isInfinite(magnitude)) {
            return sign | infinity;
        }
        // Infinity stands where the next number would.
        BigDecimal below = new BigDecimal(special(to, low));
        BigDecimal above = high == infinity
                ? below.add(below.subtract(new BigDecimal(special(to, low - 1))))
                : new BigDecimal(special(to, high));
        BigDecimal exact = new BigDecimal(magnitude);
        int side = exact.subtract(below).compareTo(above.subtract(exact));
        return sign | (side < 0 || side == 0 && (low & 1) == 0 ? low : high);
    }

    private static byte[] bytes(ElementType type, long[] bits) {
        ByteBuffer buffer = ByteBuffer.allocate(bits.length * (int) type.size()).order(ByteOrder.LITTLE_ENDIAN);
        for (long value : bits) {
            switch ((int) type.size()) {
                case 1 -> buffer.put((byte) value);
                case 2 -> buffer.putShort((short) value);
                case 4 -> buffer.putInt((int) value);
                default -> buffer.putLong(value);
            }
        }
        return buffer.array();
    }

    private static long at(ElementType type, byte[] bytes, int index) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        return switch ((int) type.size()) {
            case 1 -> bytes[index] & 0xFFL;
            case 2 -> buffer.getShort(2 * index) & 0xFFFFL;
            case 4 -> buffer.getInt(4 * index) & 0xFFFF_FFFFL;
            default -> buffer.getLong(8 * index);
        };
    }

    /// Random bits, random small numbers, and all edges there are.
    private static long[] samples(ElementType type, Random random, int count) {
        long[] samples = new long[count + EDGES.length + NUMBERS.length];
        for (int i = 0; i < count; i++) {
            boolean isBits = !type.isFloat() || i % 2 == 0;
            samples[i] = isBits
                    ? random.nextLong() >> random.nextInt(64)
                    : nearest(type, random.nextGaussian() * Math.pow(2, random.nextInt(140) - 70));
        }
        System.arraycopy(EDGES, 0, samples, count, EDGES.length);
        for (int i = 0; i < NUMBERS.length; i++) {
            samples[count + EDGES.length + i] = type.isFloat()
                    ? nearest(type, NUMBERS[i])
                    : Double.isFinite(NUMBERS[i])
                            ? new BigDecimal(NUMBERS[i]).toBigInteger().longValue()
                            : 7;
        }
        return samples;
    }

    /// Checks the cast itself, and the transform, which may go another way.
    private static long check(ElementType from, ElementType to, long[] samples, double scale, double shift) {
        byte[] source = bytes(from, samples);
        byte[] target = new byte[samples.length * (int) to.size()];
        MemorySegment result = MemorySegment.ofArray(target);
        NumberCast.cast(from, MemorySegment.ofArray(source), to, result, samples.length, scale, shift);
        requireExpected(from, source, to, target, scale, shift);
        Convert convert = Convert.scaled(to, scale, shift);
        List<Field> fields = List.of(Field.fixed("number", from));
        try (Batch before = Batch.create(fields);
                Batch after = Batch.create(convert.fields(fields))) {
            before.column(0).reserveValues(source.length).copyFrom(MemorySegment.ofArray(source));
            before.complete(samples.length);
            convert.apply(before, after);
            after.complete(samples.length);
            byte[] converted = after.column(0).values().toArray(ValueLayout.JAVA_BYTE);
            // Values of the same type are copied unchanged, including odd booleans.
            boolean isSame = from == to && scale == 1 && shift == 0;
            if (isSame) {
                assertArrayEquals(source, converted);
            } else {
                assertArrayEquals(target, converted, () -> from + " to " + to + " in a transform");
            }
        }
        return samples.length;
    }

    private static void requireExpected(
            ElementType from, byte[] source, ElementType to, byte[] target, double scale, double shift) {
        for (int i = 0; i < source.length / from.size(); i++) {
            long bits = at(from, source, i);
            long expected = expected(from, bits, to, scale, shift);
            long actual = at(to, target, i);
            boolean isSame = to.isFloat() && Double.isNaN(special(to, expected))
                    ? Double.isNaN(special(to, actual))
                    : expected == actual;
            int place = i;
            assertTrue(
                    isSame,
                    () -> from + " " + HexFormat.of().toHexDigits(bits) + " (" + exact(from, bits) + ") to "
                            + to + " scaled by " + scale + " plus " + shift + " at " + place + ": "
                            + HexFormat.of().toHexDigits(actual) + " and not "
                            + HexFormat.of().toHexDigits(expected));
        }
    }

    @Test
    void everyTypeBecomesEveryOther() {
        Random random = Seeds.random();
        int count = TestData.isLong() ? 200_000 : 2500;
        long checked = 0;
        for (ElementType from : TYPES) {
            long[] samples = samples(from, random, count);
            for (ElementType to : TYPES) {
                checked += check(from, to, samples, 1, 0);
                long[] few = Arrays.copyOfRange(samples, count - 200, samples.length);
                for (double[] scaling :
                        new double[][] {{1 / 255.0, 0}, {-2.5, 0.25}, {1, 1e-3}, {0, 3}, {1e30, -1e30}}) {
                    checked += check(from, to, few, scaling[0], scaling[1]);
                }
            }
        }
        Figures.print("numbers converted as the model", checked);
    }

    /// Ties and their neighbours without a single number that is tiny or none, which take a way of their own.
    @Test
    void tiesGoToTheEvenNumber() {
        Random random = Seeds.random();
        for (ElementType to : List.of(F16, BF16, F32)) {
            long least = to == F16 ? 0x0400 : to == BF16 ? 0x0080 : 0x0080_0000L;
            long most = to == F16 ? 0x7BFF : to == BF16 ? 0x7F7F : 0x7F7F_FFFFL;
            long[] samples = new long[20_000];
            for (int i = 0; i < samples.length; i++) {
                long bits = i % 50 == 0 ? most : least + random.nextLong(most - least);
                double number = special(to, bits);
                double tie = number + (number - special(to, bits - 1)) / 2;
                double near = i % 3 == 0 ? tie : i % 3 == 1 ? Math.nextUp(tie) : Math.nextDown(tie);
                samples[i] = i % 71 == 0 ? 0 : Double.doubleToRawLongBits(random.nextBoolean() ? near : -near);
            }
            check(F64, to, samples, 1, 0);
            check(F64, to, samples, 0.5, 0);
        }
    }

    /// Pieces are filled exactly, whatever the count is beside that of a chunk.
    @Test
    void anyCountIsConverted() {
        Random random = Seeds.random();
        for (int count : new int[] {0, 1, 1023, 1024, 1025, 3000}) {
            long[] samples = random.longs(count).toArray();
            for (ElementType to : List.of(F16, F32, U64, BOOL)) {
                check(F64, to, samples, 1, 0);
                check(ElementType.I32, to, samples, 0.5, 1);
            }
        }
    }

    @Test
    void theModelSeesAWrongRounding() {
        // Rounding to a float first would be wrong: 1 + 2^-8 + a little becomes the tie, and then 1.
        double hard = 1.00390625 + 0x1p-40;
        assertTrue(nearest(BF16, hard) == 0x3F81 && nearest(BF16, (float) hard) == 0x3F80);
        assertTrue(nearest(F32, 16777217) == Float.floatToRawIntBits(16777216f));
        assertThrows(
                AssertionError.class,
                () -> assertArrayEquals(
                        new long[] {nearest(F16, 2049.0000001)}, new long[] {nearest(F16, (float) 2049.0000001)}));
    }
}
