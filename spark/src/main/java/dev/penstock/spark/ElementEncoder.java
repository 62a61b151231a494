// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import dev.penstock.ElementType;
import dev.penstock.Field;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigInteger;
import java.nio.ByteOrder;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;

/// Writes one value of Spark as an element of a field. A number that the field cannot hold is refused; only
/// floating-point numbers are rounded.
@FunctionalInterface
interface ElementEncoder {
    ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /// Writes the value at a position of a row or an array.
    ///
    /// @param target zeros where the element is to be
    void put(SpecializedGetters from, int ordinal, MemorySegment target, long offset);

    /// The encoder for elements of a field, which has this type in Spark.
    ///
    /// @throws IllegalArgumentException when the field cannot hold such values
    static ElementEncoder of(Field field, DataType type) {
        ElementEncoder encoder = switch (field.type()) {
            case BOOL ->
                type instanceof BooleanType
                        ? (from, at, target, offset) ->
                                target.set(ValueLayout.JAVA_BYTE, offset, (byte) (from.getBoolean(at) ? 1 : 0))
                        : null;
            case I8, I16, I32, I64, U8, U16, U32 -> whole(field, type);
            case U64 -> unsigned(field, type);
            case F16, BF16, F32, F64 -> real(field.type(), type);
            case C64, C128 -> complex(field.type(), type);
            case BYTES, UTF8, UTF32 -> text(field, type);
        };
        if (encoder == null) {
            throw new IllegalArgumentException("column " + field.name() + " has type " + type.simpleString()
                    + " and cannot be stored as " + field.type() + "; cast it, or give another type by the option"
                    + " types");
        }
        return encoder;
    }

    /// Reads an integer of any width.
    @FunctionalInterface
    interface LongGetter {
        long get(SpecializedGetters from, int ordinal);

        /// Null when the type has no integers.
        static LongGetter of(DataType type) {
            return switch (type) {
                case ByteType _ -> SpecializedGetters::getByte;
                case ShortType _ -> SpecializedGetters::getShort;
                case IntegerType _ -> SpecializedGetters::getInt;
                case LongType _ -> SpecializedGetters::getLong;
                default -> null;
            };
        }
    }

    private static IllegalArgumentException tooLarge(Field field, Object value) {
        return new IllegalArgumentException("the value " + value + " of column " + field.name() + " does not fit in "
                + field.type() + "; give another type by the option types");
    }

    private static ElementEncoder whole(Field field, DataType type) {
        LongGetter getter = LongGetter.of(type);
        if (getter == null) {
            return null;
        }
        boolean isUnsigned = field.type().ordinal() >= ElementType.U8.ordinal();
        int bits = (int) field.elementSize() * Byte.SIZE;
        long max = bits == Long.SIZE ? Long.MAX_VALUE : (1L << bits - (isUnsigned ? 0 : 1)) - 1;
        long min = isUnsigned ? 0 : -max - 1;
        ElementType stored = field.type();
        return (from, at, target, offset) -> {
            long value = getter.get(from, at);
            if (value < min || value > max) {
                throw tooLarge(field, value);
            }
            switch ((int) stored.size()) {
                case 1 -> target.set(ValueLayout.JAVA_BYTE, offset, (byte) value);
                case 2 -> target.set(SHORT, offset, (short) value);
                case 4 -> target.set(INT, offset, (int) value);
                default -> target.set(LONG, offset, value);
            }
        };
    }

    private static ElementEncoder unsigned(Field field, DataType type) {
        if (type instanceof DecimalType decimal && decimal.scale() == 0) {
            return (from, at, target, offset) -> {
                BigInteger value = from.getDecimal(at, decimal.precision(), 0)
                        .toJavaBigDecimal()
                        .toBigIntegerExact();
                if (value.signum() < 0 || value.bitLength() > Long.SIZE) {
                    throw tooLarge(field, value);
                }
                target.set(LONG, offset, value.longValue());
            };
        }
        LongGetter getter = LongGetter.of(type);
        return getter == null
                ? null
                : (from, at, target, offset) -> {
                    long value = getter.get(from, at);
                    if (value < 0) {
                        throw tooLarge(field, value);
                    }
                    target.set(LONG, offset, value);
                };
    }

    private static ElementEncoder real(ElementType element, DataType type) {
        if (type instanceof FloatType && element == ElementType.F32) {
            return (from, at, target, offset) -> target.set(FLOAT, offset, from.getFloat(at));
        }
        LongGetter whole = LongGetter.of(type);
        boolean isFloat = type instanceof FloatType;
        if (whole == null && !isFloat && !(type instanceof DoubleType)) {
            return null;
        }
        return (from, at, target, offset) -> {
            double value = whole != null ? whole.get(from, at) : isFloat ? from.getFloat(at) : from.getDouble(at);
            switch (element) {
                case F64 -> target.set(DOUBLE, offset, value);
                case F32 -> target.set(FLOAT, offset, (float) value);
                case F16 -> target.set(SHORT, offset, Float.floatToFloat16((float) value));
                default -> target.set(SHORT, offset, toBFloat((float) value));
            }
        };
    }

    /// Rounds to the nearest, ties to even. NaN stays NaN.
    private static short toBFloat(float value) {
        int bits = Float.floatToRawIntBits(value);
        return Float.isNaN(value) ? (short) (bits >>> 16 | 0x40) : (short) (bits + 0x7fff + (bits >>> 16 & 1) >>> 16);
    }

    private static ElementEncoder complex(ElementType element, DataType type) {
        if (!(type instanceof StructType struct) || struct.size() != 2) {
            return null;
        }
        ElementType part = element == ElementType.C64 ? ElementType.F32 : ElementType.F64;
        ElementEncoder real = real(part, struct.apply(0).dataType());
        ElementEncoder imaginary = real(part, struct.apply(1).dataType());
        if (real == null || imaginary == null) {
            return null;
        }
        return (from, at, target, offset) -> {
            InternalRow value = from.getStruct(at, 2);
            real.put(value, 0, target, offset);
            imaginary.put(value, 1, target, offset + part.size());
        };
    }

    private static ElementEncoder text(Field field, DataType type) {
        TextGetter getter = TextGetter.of(field, type);
        if (getter == null) {
            return null;
        }
        long width = field.elementSize();
        boolean isExact = field.type() == ElementType.BYTES;
        return (from, at, target, offset) -> {
            byte[] value = getter.get(from, at);
            if (isExact ? value.length != width : value.length > width) {
                throw new IllegalArgumentException("a value of column " + field.name() + " has " + value.length
                        + " bytes, but the field has " + width + "; give the width by the option types, or write kind"
                        + " store");
            }
            MemorySegment.copy(value, 0, target, ValueLayout.JAVA_BYTE, offset, value.length);
        };
    }

    /// Reads text or bytes as they are stored.
    @FunctionalInterface
    interface TextGetter {
        byte[] get(SpecializedGetters from, int ordinal);

        /// Null when the type has no text.
        static TextGetter of(Field field, DataType type) {
            if (field.type() == ElementType.UTF32) {
                return type instanceof StringType
                        ? (from, at) ->
                                from.getUTF8String(at).toString().getBytes(java.nio.charset.Charset.forName("UTF-32LE"))
                        : null;
            }
            if (type instanceof StringType) {
                return (from, at) -> from.getUTF8String(at).getBytes();
            }
            return type instanceof BinaryType ? SpecializedGetters::getBinary : null;
        }
    }
}
