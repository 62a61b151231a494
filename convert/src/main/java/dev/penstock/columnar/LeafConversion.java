// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.ElementType;
import dev.penstock.Reason;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;

/// What the stored values of a Parquet column become.
///
/// @param kind  how they are changed
/// @param type  their type afterwards
/// @param scale the scale of decimals
record LeafConversion(Kind kind, ColumnType type, int scale) {
    /// The days from the beginning of the Julian calendar to 1970.
    private static final long JULIAN_EPOCH_DAY = 2_440_588;

    private static final long DAY_NANOS = 86_400_000_000_000L;
    private static final int INT96_SIZE = 12;

    /// The largest power of ten that a double holds exactly.
    private static final int EXACT_SCALE_MAX = 22;

    private static final long EXACT_MAX = 1L << 53;

    /// How values are changed.
    enum Kind {
        SAME,
        /// Whole numbers lose bytes that mean nothing.
        NARROW,
        DECIMAL,
        /// Days and nanoseconds become nanoseconds since 1970.
        INT96,
        /// All values are missing, and have any type.
        NOTHING
    }

    static LeafConversion same(ColumnType type) {
        return new LeafConversion(Kind.SAME, type, 0);
    }

    static LeafConversion narrow(String name, ElementType type) {
        return new LeafConversion(Kind.NARROW, ColumnType.fixed(name, type), 0);
    }

    static LeafConversion decimal(String name, int scale) {
        return new LeafConversion(Kind.DECIMAL, ColumnType.fixed(name, ElementType.F64), scale);
    }

    /// Changes the stored values in place.
    void apply(ParquetLeaf leaf, Dense values) {
        switch (kind) {
            case SAME -> {}
            case NARROW -> narrow(values);
            case DECIMAL -> decimals(leaf, values);
            case INT96 -> int96(values);
            case NOTHING -> {
                values.reserveOffsets(0);
                Arrays.fill(values.offsets, 0);
                Damage.require(values.count == 0, Reason.KIND_MISMATCH, "a column without a type has values");
            }
        }
    }

    private void narrow(Dense values) {
        int size = (int) type.size();
        byte[] bytes = values.bytes;
        for (int i = 0; i < values.count; i++) {
            bytes[i * size] = bytes[i * 4];
            if (size == 2) {
                bytes[i * 2 + 1] = bytes[i * 4 + 1];
            }
        }
        values.size = values.count * size;
    }

    private static void int96(Dense values) {
        for (int i = 0; i < values.count; i++) {
            long nanos = (long) Dense.LONG.get(values.bytes, i * INT96_SIZE);
            long day = (int) Dense.INT.get(values.bytes, i * INT96_SIZE + Long.BYTES);
            Dense.LONG.set(values.bytes, i * Long.BYTES, (day - JULIAN_EPOCH_DAY) * DAY_NANOS + nanos);
        }
        values.size = values.count * Long.BYTES;
    }

    private void decimals(ParquetLeaf leaf, Dense values) {
        byte[] target = new byte[Math.multiplyExact(values.count, Long.BYTES)];
        for (int i = 0; i < values.count; i++) {
            double number = leaf.isWhole() ? real(whole(leaf, values, i), scale) : real(big(leaf, values, i), scale);
            Dense.LONG.set(target, i * Long.BYTES, Double.doubleToRawLongBits(number));
        }
        values.bytes = target;
        values.size = target.length;
    }

    private static long whole(ParquetLeaf leaf, Dense values, int index) {
        return leaf.size() == Integer.BYTES
                ? (int) Dense.INT.get(values.bytes, index * Integer.BYTES)
                : (long) Dense.LONG.get(values.bytes, index * Long.BYTES);
    }

    private static BigInteger big(ParquetLeaf leaf, Dense values, int index) {
        int start = leaf.isVariable() ? (int) values.offsets[index] : index * leaf.size();
        int end = leaf.isVariable() ? (int) values.offsets[index + 1] : start + leaf.size();
        return end == start ? BigInteger.ZERO : new BigInteger(values.bytes, start, end - start);
    }

    /// The double that is nearest to a decimal number.
    static double real(long whole, int scale) {
        boolean isExact = whole <= EXACT_MAX && whole >= -EXACT_MAX && scale >= 0 && scale <= EXACT_SCALE_MAX;
        return isExact ? whole / POWERS[scale] : real(BigInteger.valueOf(whole), scale);
    }

    static double real(BigInteger whole, int scale) {
        return whole.bitLength() <= 62 && scale >= 0 && scale <= EXACT_SCALE_MAX && isExact(whole.longValue())
                ? whole.longValue() / POWERS[scale]
                : new BigDecimal(whole, scale).doubleValue();
    }

    private static boolean isExact(long whole) {
        return whole <= EXACT_MAX && whole >= -EXACT_MAX;
    }

    private static final double[] POWERS = powers();

    private static double[] powers() {
        double[] powers = new double[EXACT_SCALE_MAX + 1];
        powers[0] = 1;
        for (int i = 1; i < powers.length; i++) {
            powers[i] = powers[i - 1] * 10;
        }
        return powers;
    }
}
