// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Elements;
import dev.penstock.Field;
import java.lang.foreign.MemorySegment;
import java.math.BigInteger;

/// Statistics of integers, exact for all 64 bits.
///
/// `U64` values are kept with their highest bit inverted, which subtracts 2^63. In that form they have the order
/// of signed numbers, and bins stay aligned.
final class WholeTally implements Tally {
    private final Field field;
    private final boolean isOfSizes;
    private final long turn;
    private final Moments moments = new Moments();
    private final Bins bins = new Bins();
    private final long[] block = new long[Values.BLOCK];
    private final double[] reals = new double[Values.BLOCK];
    private long min = Long.MAX_VALUE;
    private long max = Long.MIN_VALUE;

    WholeTally(Field field) {
        this(field, false);
    }

    WholeTally(Field field, boolean isOfSizes) {
        this.field = field;
        this.isOfSizes = isOfSizes;
        this.turn = !isOfSizes && field.type() == ElementType.U64 ? Long.MIN_VALUE : 0;
    }

    @Override
    public void add(Column column, long rowCount) {
        MemorySegment values = column.values();
        long elementCount = rowCount * Tally.elementCount(field);
        for (long start = 0; start < elementCount; start += Values.BLOCK) {
            int count = (int) Math.min(Values.BLOCK, elementCount - start);
            Values.longs(field.type(), values, start * field.elementSize(), field.elementSize(), count, block);
            addBlock(block, count);
        }
    }

    /// Adds the first values of an array. The array may be changed.
    void addBlock(long[] values, int count) {
        long blockMin = Long.MAX_VALUE;
        long blockMax = Long.MIN_VALUE;
        for (int i = 0; i < count; i++) {
            reals[i] = turn == 0 ? values[i] : Elements.unsignedToDouble(values[i]);
            values[i] ^= turn;
            blockMin = Math.min(blockMin, values[i]);
            blockMax = Math.max(blockMax, values[i]);
        }
        if (count == 0) {
            return;
        }
        moments.add(reals, count, 1);
        cover(blockMin, blockMax);
        int level = bins.level();
        for (int i = 0; i < count; i++) {
            bins.count(values[i] >> level);
        }
    }

    private void cover(long newMin, long newMax) {
        if (newMin < min || newMax > max) {
            min = Math.min(min, newMin);
            max = Math.max(max, newMax);
            int level = level(min, max);
            bins.cover(min >> level, level);
        }
    }

    /// The lowest level with few enough bins. The number of bins is unsigned, because it can need all 64 bits.
    private static int level(long min, long max) {
        int level = 0;
        while (Long.compareUnsigned((max >> level) - (min >> level), Histogram.BINS_MAX) >= 0) {
            level++;
        }
        return level;
    }

    @Override
    public void merge(Tally other) {
        WholeTally tally = (WholeTally) other;
        if (tally.moments.count() > 0) {
            moments.merge(tally.moments);
            cover(tally.min, tally.max);
            bins.add(tally.bins);
        }
    }

    @Override
    public FieldStats result() {
        long count = moments.count();
        if (count == 0) {
            return FieldStats.without(field, isOfSizes, 0, 0);
        }
        // Rounding errors must not change the mean when all values are equal.
        double mean = min == max ? number(min).doubleValue() : moments.mean();
        double std = min == max ? 0 : moments.std();
        int level = bins.level();
        Histogram histogram = new Histogram(number(bins.first() << level), 1L << level, bins.counts());
        return new FieldStats(field, isOfSizes, count, 0, 0, number(min), number(max), mean, std, histogram, null);
    }

    private Number number(long kept) {
        long value = kept ^ turn;
        return turn == 0 || value >= 0 ? (Number) value : new BigInteger(Long.toUnsignedString(value));
    }
}
