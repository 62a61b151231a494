// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import dev.penstock.ElementType;
import dev.penstock.Elements;
import dev.penstock.Rounding;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// Converts numbers from one type to another, many at a time.
///
/// Numbers go through arrays that stay in the first-level cache. Loops over arrays are vectorised; loops over
/// off-heap memory are vectorised for few types only.
final class NumberCast {
    private static final int CHUNK = 1024;

    /// The number of fraction bits of a double that the types lack, and the smallest normal numbers of the types.
    private static final int F16_LOST_BITS = 52 - 10;

    private static final int BF16_LOST_BITS = 52 - 7;
    private static final double F16_NORMAL_MIN = 0x1p-14;
    private static final double BF16_NORMAL_MIN = 0x1p-126;

    private static final ByteOrder LITTLE = ByteOrder.LITTLE_ENDIAN;
    private static final ValueLayout.OfShort I16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(LITTLE);
    private static final ValueLayout.OfInt I32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(LITTLE);
    private static final ValueLayout.OfLong I64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(LITTLE);
    private static final ValueLayout.OfFloat F32 = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(LITTLE);
    private static final ValueLayout.OfDouble F64 = ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(LITTLE);

    private static final ThreadLocal<NumberCast> OWN = ThreadLocal.withInitial(NumberCast::new);

    private final byte[] bytes = new byte[CHUNK];
    private final short[] shorts = new short[CHUNK];
    private final int[] ints = new int[CHUNK];
    private final float[] floats = new float[CHUNK];
    private final long[] longs = new long[CHUNK];
    private final double[] doubles = new double[CHUNK];

    private NumberCast() {}

    /// Converts `count` numbers.
    static void cast(
            ElementType fromType,
            MemorySegment from,
            ElementType toType,
            MemorySegment to,
            long count,
            double scale,
            double shift) {
        NumberCast own = OWN.get();
        boolean isWhole = !fromType.isFloat() && !toType.isFloat() && scale == 1 && shift == 0;
        for (long done = 0; done < count; done += CHUNK) {
            int size = (int) Math.min(CHUNK, count - done);
            long fromOffset = done * fromType.size();
            long toOffset = done * toType.size();
            if (isWhole) {
                own.readWhole(fromType, from, fromOffset, size);
                own.writeWhole(fromType == ElementType.U64, toType, to, toOffset, size);
            } else {
                own.read(fromType, from, fromOffset, size);
                own.scale(scale, shift, size);
                own.write(toType, to, toOffset, size);
            }
        }
    }

    private void scale(double scale, double shift, int size) {
        if (scale != 1 || shift != 0) {
            for (int i = 0; i < size; i++) {
                doubles[i] = doubles[i] * scale + shift;
            }
        }
    }

    private void read(ElementType type, MemorySegment from, long offset, int size) {
        switch (type) {
            case F32 -> {
                MemorySegment.copy(from, F32, offset, floats, 0, size);
                for (int i = 0; i < size; i++) {
                    doubles[i] = floats[i];
                }
            }
            case F64 -> MemorySegment.copy(from, F64, offset, doubles, 0, size);
            case F16 -> {
                MemorySegment.copy(from, I16, offset, shorts, 0, size);
                for (int i = 0; i < size; i++) {
                    floats[i] = Float.float16ToFloat(shorts[i]);
                }
                for (int i = 0; i < size; i++) {
                    doubles[i] = floats[i];
                }
            }
            case BF16 -> {
                MemorySegment.copy(from, I16, offset, shorts, 0, size);
                for (int i = 0; i < size; i++) {
                    doubles[i] = Float.intBitsToFloat(shorts[i] << 16);
                }
            }
            case I64 -> {
                MemorySegment.copy(from, I64, offset, longs, 0, size);
                for (int i = 0; i < size; i++) {
                    doubles[i] = longs[i];
                }
            }
            case U64, U32 -> {
                readWhole(type, from, offset, size);
                for (int i = 0; i < size; i++) {
                    doubles[i] = Elements.unsignedToDouble(longs[i]);
                }
            }
            default -> {
                readSmall(type, from, offset, size);
                for (int i = 0; i < size; i++) {
                    doubles[i] = ints[i];
                }
            }
        }
    }

    /// Reads integers that fit in an `int`.
    private void readSmall(ElementType type, MemorySegment from, long offset, int size) {
        switch (type) {
            case BOOL, U8, I8 -> MemorySegment.copy(from, ValueLayout.JAVA_BYTE, offset, bytes, 0, size);
            case U16, I16 -> MemorySegment.copy(from, I16, offset, shorts, 0, size);
            default -> MemorySegment.copy(from, I32, offset, ints, 0, size);
        }
        switch (type) {
            case BOOL -> {
                for (int i = 0; i < size; i++) {
                    ints[i] = bytes[i] == 0 ? 0 : 1;
                }
            }
            case U8 -> {
                for (int i = 0; i < size; i++) {
                    ints[i] = bytes[i] & 0xFF;
                }
            }
            case I8 -> {
                for (int i = 0; i < size; i++) {
                    ints[i] = bytes[i];
                }
            }
            case U16 -> {
                for (int i = 0; i < size; i++) {
                    ints[i] = shorts[i] & 0xFFFF;
                }
            }
            case I16 -> {
                for (int i = 0; i < size; i++) {
                    ints[i] = shorts[i];
                }
            }
            default -> {}
        }
    }

    private void readWhole(ElementType type, MemorySegment from, long offset, int size) {
        if (type == ElementType.I64 || type == ElementType.U64) {
            MemorySegment.copy(from, I64, offset, longs, 0, size);
            return;
        }
        readSmall(type, from, offset, size);
        long mask = type == ElementType.U32 ? 0xFFFF_FFFFL : -1L;
        for (int i = 0; i < size; i++) {
            longs[i] = ints[i] & mask;
        }
    }

    private void writeWhole(boolean isUnsigned, ElementType type, MemorySegment to, long offset, int size) {
        if (type == ElementType.U64) {
            for (int i = 0; i < size && !isUnsigned; i++) {
                longs[i] = Math.max(0, longs[i]);
            }
            MemorySegment.copy(longs, 0, to, I64, offset, size);
            return;
        }
        for (int i = 0; i < size && isUnsigned; i++) {
            longs[i] = longs[i] < 0 ? Long.MAX_VALUE : longs[i];
        }
        if (type == ElementType.I64) {
            MemorySegment.copy(longs, 0, to, I64, offset, size);
            return;
        }
        if (type == ElementType.BOOL) {
            for (int i = 0; i < size; i++) {
                ints[i] = longs[i] == 0 ? 0 : 1;
            }
        } else {
            long least = least(type);
            long most = most(type);
            for (int i = 0; i < size; i++) {
                ints[i] = (int) Math.min(most, Math.max(least, longs[i]));
            }
        }
        writeInts(type, to, offset, size);
    }

    private void write(ElementType type, MemorySegment to, long offset, int size) {
        switch (type) {
            case F64 -> MemorySegment.copy(doubles, 0, to, F64, offset, size);
            case F32 -> {
                for (int i = 0; i < size; i++) {
                    floats[i] = (float) doubles[i];
                }
                MemorySegment.copy(floats, 0, to, F32, offset, size);
            }
            case F16 -> {
                roundHalf(type, F16_LOST_BITS, F16_NORMAL_MIN, size);
                for (int i = 0; i < size; i++) {
                    shorts[i] = Float.floatToFloat16(floats[i]);
                }
                MemorySegment.copy(shorts, 0, to, I16, offset, size);
            }
            case BF16 -> {
                roundHalf(type, BF16_LOST_BITS, BF16_NORMAL_MIN, size);
                for (int i = 0; i < size; i++) {
                    shorts[i] = (short) (Float.floatToRawIntBits(floats[i]) >>> 16);
                }
                MemorySegment.copy(shorts, 0, to, I16, offset, size);
            }
            case I64 -> {
                for (int i = 0; i < size; i++) {
                    longs[i] = (long) doubles[i];
                }
                MemorySegment.copy(longs, 0, to, I64, offset, size);
            }
            case U64 -> {
                for (int i = 0; i < size; i++) {
                    longs[i] = toUnsigned(doubles[i]);
                }
                MemorySegment.copy(longs, 0, to, I64, offset, size);
            }
            case BOOL -> {
                for (int i = 0; i < size; i++) {
                    ints[i] = doubles[i] == 0 ? 0 : 1;
                }
                writeInts(type, to, offset, size);
            }
            case U32 -> {
                for (int i = 0; i < size; i++) {
                    ints[i] = (int) Math.min(0xFFFF_FFFFL, Math.max(0, (long) doubles[i]));
                }
                writeInts(type, to, offset, size);
            }
            default -> {
                double least = least(type);
                double most = most(type);
                for (int i = 0; i < size; i++) {
                    ints[i] = (int) Math.min(most, Math.max(least, doubles[i]));
                }
                writeInts(type, to, offset, size);
            }
        }
    }

    /// Rounds the numbers to floats that are numbers of a shorter type.
    ///
    /// Rounding to a float first and then again is wrong if the first result is a tie. Therefore the fraction is
    /// rounded in the double, which is correct for all numbers except the smallest ones and NaN.
    private void roundHalf(ElementType type, int lostBits, double normalMin, int size) {
        boolean isRegular = true;
        for (int i = 0; i < size; i++) {
            isRegular &= Math.abs(doubles[i]) >= normalMin | doubles[i] == 0;
        }
        if (!isRegular) {
            for (int i = 0; i < size; i++) {
                floats[i] = (float) Rounding.toType(type, doubles[i]);
            }
            return;
        }
        long belowTie = (1L << (lostBits - 1)) - 1;
        long mask = -(1L << lostBits);
        for (int i = 0; i < size; i++) {
            long bits = Double.doubleToRawLongBits(doubles[i]);
            floats[i] = (float) Double.longBitsToDouble(bits + belowTie + (bits >>> lostBits & 1) & mask);
        }
    }

    private void writeInts(ElementType type, MemorySegment to, long offset, int size) {
        switch ((int) type.size()) {
            case 1 -> {
                for (int i = 0; i < size; i++) {
                    bytes[i] = (byte) ints[i];
                }
                MemorySegment.copy(bytes, 0, to, ValueLayout.JAVA_BYTE, offset, size);
            }
            case 2 -> {
                for (int i = 0; i < size; i++) {
                    shorts[i] = (short) ints[i];
                }
                MemorySegment.copy(shorts, 0, to, I16, offset, size);
            }
            default -> MemorySegment.copy(ints, 0, to, I32, offset, size);
        }
    }

    private static long toUnsigned(double value) {
        if (value >= 0x1p63) {
            return value >= 0x1p64 ? -1L : (long) (value - 0x1p63) ^ Long.MIN_VALUE;
        }
        return Math.max(0, (long) value);
    }

    private static long least(ElementType type) {
        return switch (type) {
            case I8 -> Byte.MIN_VALUE;
            case I16 -> Short.MIN_VALUE;
            case I32 -> Integer.MIN_VALUE;
            default -> 0;
        };
    }

    private static long most(ElementType type) {
        return switch (type) {
            case I8 -> Byte.MAX_VALUE;
            case I16 -> Short.MAX_VALUE;
            case I32 -> Integer.MAX_VALUE;
            case U8 -> 0xFF;
            case U16 -> 0xFFFF;
            default -> 0xFFFF_FFFFL;
        };
    }
}
