// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Rounding;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigInteger;
import java.nio.ByteOrder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Parses the output of [FieldText#cell]. A number that is out of range for its type is rejected, never wrapped.
final class ElementParser {
    private static final ByteOrder LITTLE = ByteOrder.LITTLE_ENDIAN;
    private static final ValueLayout.OfShort I16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(LITTLE);
    private static final ValueLayout.OfInt I32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(LITTLE);
    private static final ValueLayout.OfLong I64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(LITTLE);
    private static final ValueLayout.OfFloat F32 = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(LITTLE);
    private static final ValueLayout.OfDouble F64 = ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(LITTLE);
    private static final Pattern COMPLEX = Pattern.compile("(.+?)([+-](?:[^+-]|(?<=[eE])[+-])+)[ji]");

    /// Decimal numbers as usual in CSV; Java's own parser accepts more.
    private static final Pattern REAL = Pattern.compile("[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?");

    private ElementParser() {}

    /// Writes one element.
    ///
    /// @throws IllegalArgumentException when the text is not a valid value of the field
    static void parse(Field field, String text, MemorySegment target, long offset) {
        String trimmed = text.strip();
        try {
            switch (field.type()) {
                case BOOL -> target.set(ValueLayout.JAVA_BYTE, offset, truth(trimmed));
                case I8, I16, I32, I64 -> setWhole(field.type(), signed(field.type(), trimmed), target, offset);
                case U8, U16, U32, U64 -> setWhole(field.type(), unsigned(field.type(), trimmed), target, offset);
                case F16 -> target.set(I16, offset, Float.floatToFloat16((float) real(field.type(), trimmed)));
                case BF16 -> target.set(I16, offset, bfloat((float) real(field.type(), trimmed)));
                case F32 -> target.set(F32, offset, (float) real(field.type(), trimmed));
                case F64 -> target.set(F64, offset, real(field.type(), trimmed));
                case C64, C128 -> setComplex(field.type(), trimmed, target, offset);
                case BYTES -> setText(field, HexFormat.of().parseHex(trimmed), target, offset);
                case UTF8 -> setText(field, text.getBytes(StandardCharsets.UTF_8), target, offset);
                case UTF32 -> setText(field, text.getBytes(Charset.forName("UTF-32LE")), target, offset);
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(quoted(text) + " is not a valid " + field.type(), e);
        }
    }

    private static String quoted(String text) {
        return "'" + Printable.of(text.length() > 40 ? text.substring(0, 40) + "..." : text) + "'";
    }

    private static byte truth(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "true", "1" -> 1;
            case "false", "0" -> 0;
            default -> throw new NumberFormatException();
        };
    }

    private static long signed(ElementType type, String text) {
        long value = Long.parseLong(text);
        int bits = (int) type.size() * Byte.SIZE;
        if (value << (Long.SIZE - bits) >> (Long.SIZE - bits) != value) {
            throw new NumberFormatException();
        }
        return value;
    }

    private static long unsigned(ElementType type, String text) {
        BigInteger value = new BigInteger(text);
        if (value.signum() < 0 || value.bitLength() > type.size() * Byte.SIZE) {
            throw new NumberFormatException();
        }
        return value.longValue();
    }

    private static void setWhole(ElementType type, long value, MemorySegment target, long offset) {
        switch ((int) type.size()) {
            case 1 -> target.set(ValueLayout.JAVA_BYTE, offset, (byte) value);
            case 2 -> target.set(I16, offset, (short) value);
            case 4 -> target.set(I32, offset, (int) value);
            default -> target.set(I64, offset, value);
        }
    }

    /// Parses a floating-point number. An empty cell is NaN.
    private static double real(ElementType type, String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "", "nan" -> Double.NaN;
            case "inf", "infinity", "+inf" -> Double.POSITIVE_INFINITY;
            case "-inf", "-infinity" -> Double.NEGATIVE_INFINITY;
            default -> finite(type, text);
        };
    }

    private static double finite(ElementType type, String text) {
        double value = REAL.matcher(text).matches() ? Rounding.toType(type, Double.parseDouble(text)) : Double.NaN;
        if (!Double.isFinite(value)) {
            throw new NumberFormatException();
        }
        return value;
    }

    /// Returns the upper half of a float whose lower half is 0.
    private static short bfloat(float value) {
        return (short) (Float.floatToRawIntBits(value) >>> 16);
    }

    private static void setComplex(ElementType type, String text, MemorySegment target, long offset) {
        Matcher matcher = COMPLEX.matcher(text);
        boolean hasBoth = matcher.matches();
        ElementType part = type == ElementType.C64 ? ElementType.F32 : ElementType.F64;
        double real = real(part, hasBoth ? matcher.group(1) : text);
        double imaginary = hasBoth ? real(part, matcher.group(2)) : 0;
        if (type == ElementType.C64) {
            target.set(F32, offset, (float) real);
            target.set(F32, offset + 4, (float) imaginary);
        } else {
            target.set(F64, offset, real);
            target.set(F64, offset + 8, imaginary);
        }
    }

    private static void setText(Field field, byte[] bytes, MemorySegment target, long offset) {
        if (bytes.length > field.elementSize()) {
            throw new IllegalArgumentException("a value of " + bytes.length + " bytes is too long: the limit is "
                    + field.elementSize() + " bytes for field " + field.name());
        }
        MemorySegment slot = target.asSlice(offset, field.elementSize()).fill((byte) 0);
        slot.copyFrom(MemorySegment.ofArray(bytes));
    }
}
