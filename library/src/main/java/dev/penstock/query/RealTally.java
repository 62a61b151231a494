// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.Column;
import dev.penstock.Field;
import java.lang.foreign.MemorySegment;

/// Statistics of floating-point numbers.
final class RealTally implements Tally {
    /// The number of fraction bits of a double: no bin is finer than the precision of the largest value.
    private static final int FRACTION_BITS = 52;

    private final Field field;
    private final Moments moments = new Moments();
    private final Bins bins = new Bins();
    private final double[] block = new double[Values.BLOCK];
    private long nonFiniteCount;
    private double min = Double.POSITIVE_INFINITY;
    private double max = Double.NEGATIVE_INFINITY;

    RealTally(Field field) {
        this.field = field;
    }

    @Override
    public void add(Column column, long rowCount) {
        MemorySegment values = column.values();
        long elementCount = rowCount * Tally.elementCount(field);
        for (long start = 0; start < elementCount; start += Values.BLOCK) {
            int count = (int) Math.min(Values.BLOCK, elementCount - start);
            Values.doubles(field.type(), values, start * field.elementSize(), field.elementSize(), count, block);
            addBlock(count);
        }
    }

    private void addBlock(int count) {
        int finiteCount = 0;
        double blockMin = Double.POSITIVE_INFINITY;
        double blockMax = Double.NEGATIVE_INFINITY;
        for (int i = 0; i < count; i++) {
            // Adding 0 turns negative zero into positive zero. Otherwise the minimum would depend on the order of
            // the values.
            double value = block[i] + 0.0;
            if (Double.isFinite(value)) {
                block[finiteCount++] = value;
                blockMin = Math.min(blockMin, value);
                blockMax = Math.max(blockMax, value);
            }
        }
        nonFiniteCount += count - finiteCount;
        if (finiteCount > 0) {
            cover(blockMin, blockMax);
            countBins(finiteCount);
            moments.add(block, finiteCount, Math.max(Math.abs(blockMin), Math.abs(blockMax)));
        }
    }

    private void countBins(int finiteCount) {
        // Scale in two factors, because the reciprocal of the smallest width is not a double.
        double factor = Math.scalb(1.0, -bins.level() / 2);
        double otherFactor = Math.scalb(1.0, -bins.level() - -bins.level() / 2);
        for (int i = 0; i < finiteCount; i++) {
            bins.count(floor(block[i], block[i] * factor * otherFactor));
        }
    }

    /// The bin number of a value. A negative value that became 0 by scaling belongs to the bin below 0.
    private static long floor(double value, double scaled) {
        return value < 0 && scaled == 0 ? -1 : (long) Math.floor(scaled);
    }

    private static long number(double value, int level) {
        return floor(value, Math.scalb(value, -level));
    }

    private void cover(double newMin, double newMax) {
        if (newMin < min || newMax > max) {
            min = Math.min(min, newMin);
            max = Math.max(max, newMax);
            int level = level(min, max);
            bins.cover(number(min, level), level);
        }
    }

    /// The lowest level with few enough bins.
    private static int level(double min, double max) {
        int exponent = Math.getExponent(Math.max(Math.abs(min), Math.abs(max)));
        int level = Math.max(exponent, Double.MIN_EXPONENT) - FRACTION_BITS;
        while (number(max, level) - number(min, level) >= Histogram.BINS_MAX) {
            level++;
        }
        return level;
    }

    @Override
    public void merge(Tally other) {
        RealTally tally = (RealTally) other;
        nonFiniteCount += tally.nonFiniteCount;
        if (tally.moments.count() > 0) {
            moments.merge(tally.moments);
            cover(tally.min, tally.max);
            bins.add(tally.bins);
        }
    }

    @Override
    public FieldStats result() {
        if (moments.count() == 0) {
            return FieldStats.without(field, false, nonFiniteCount, nonFiniteCount);
        }
        // Rounding errors must not move the mean outside the range of the values.
        double mean = Math.clamp(moments.mean(), min, max);
        double std = min == max ? 0 : moments.std();
        double width = Math.scalb(1.0, bins.level());
        double start = Math.max(bins.first() * width, -Double.MAX_VALUE);
        Histogram histogram = new Histogram(start, width, bins.counts());
        long count = moments.count() + nonFiniteCount;
        return new FieldStats(field, false, count, 0, nonFiniteCount, min, max, mean, std, histogram, null);
    }
}
