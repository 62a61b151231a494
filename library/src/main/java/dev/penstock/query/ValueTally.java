// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.file.Layouts;
import java.lang.foreign.MemorySegment;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/// Collects what [FieldValues] tells. A value has a 64-bit key: integers themselves, the bits of floating-point
/// numbers, and a hash of everything else.
///
/// **Threads.** One thread at a time.
final class ValueTally {
    private final Field field;
    private final boolean isOfSizes;
    /// `U64` with its highest bit inverted has the order of signed numbers.
    private final long turn;

    private final ValueCounts counts = new ValueCounts();
    private final DistinctCount distinct = new DistinctCount();
    private final ValueSample sample;
    private final long[] wholes = new long[Values.BLOCK];
    private final double[] reals = new double[Values.BLOCK];
    private long count;

    ValueTally(Field field) {
        this.field = field;
        this.isOfSizes = field.isVariable() || field.type().isText();
        this.turn = field.type() == ElementType.U64 ? Long.MIN_VALUE : 0;
        this.sample = new ValueSample(isOfSizes);
    }

    /// Adds the values of some records.
    ///
    /// @param indices the records
    void add(Column column, long[] indices) {
        if (isOfSizes) {
            addTexts(column, indices);
        } else if (!field.type().isComplex()) {
            addNumbers(column, indices);
        }
    }

    private void addNumbers(Column column, long[] indices) {
        long each = Tally.elementCount(field);
        long elementCount = indices.length * each;
        boolean isReal = field.type().isFloat();
        for (long start = 0; start < elementCount; start += Values.BLOCK) {
            int blockCount = (int) Math.min(Values.BLOCK, elementCount - start);
            long offset = start * field.elementSize();
            if (isReal) {
                Values.doubles(field.type(), column.values(), offset, field.elementSize(), blockCount, reals);
            } else {
                Values.longs(field.type(), column.values(), offset, field.elementSize(), blockCount, wholes);
            }
            for (int i = 0; i < blockCount; i++) {
                long at = start + i;
                long place = indices[(int) (at / each)] * each + at % each;
                if (!isReal) {
                    addKey(place, wholes[i]);
                } else if (Double.isFinite(reals[i])) {
                    addKey(place, Double.doubleToLongBits(reals[i] + 0.0));
                }
            }
        }
    }

    private void addKey(long place, long key) {
        count++;
        distinct.add(DistinctCount.mix(key + 1));
        counts.add(key, 1, () -> null);
        sample.add(place, key, null);
    }

    private void addTexts(Column column, long[] indices) {
        long each = field.isVariable() ? 1 : Tally.elementCount(field);
        MemorySegment values = column.values();
        long size = field.elementSize();
        boolean isWide = field.type() == ElementType.UTF32 && size % ElementType.UTF32.size() == 0;
        int unitSize = isWide ? (int) ElementType.UTF32.size() : 1;
        for (long i = 0; i < indices.length * each; i++) {
            long start = field.isVariable() ? column.offsets().getAtIndex(Layouts.U64, i) : i * size;
            long limit = field.isVariable()
                    ? column.offsets().getAtIndex(Layouts.U64, i + 1)
                    : start + new TextValue(values, start, start + size, unitSize, true).size();
            long key = TextSample.hash(values, start, limit);
            count++;
            distinct.add(key);
            counts.add(key, 1, () -> text(values, start, limit));
            sample.add(indices[(int) (i / each)] * each + i % each, key, () -> text(values, start, limit));
        }
    }

    private TextSample text(MemorySegment values, long start, long limit) {
        return TextSample.of(field.type(), values, start, limit);
    }

    void merge(ValueTally other) {
        count += other.count;
        counts.merge(other.counts);
        distinct.merge(other.distinct);
        sample.merge(other.sample);
    }

    /// The result, or null for complex numbers.
    FieldValues result() {
        if (field.type().isComplex() && !field.isVariable()) {
            return null;
        }
        boolean isExact = counts.isComplete();
        Map<Long, ValueCounts.Entry> frequent = isExact ? counts.entries() : sampled();
        long distinctCount = isExact ? frequent.size() : Math.max(frequent.size(), distinct.estimate());
        return new FieldValues(count, sample.size(), quantiles(), distinctCount, isExact, top(frequent));
    }

    private Map<Long, ValueCounts.Entry> sampled() {
        Map<Long, ValueCounts.Entry> entries = new LinkedHashMap<>();
        for (int i = 0; i < sample.size(); i++) {
            TextSample text = sample.text(i);
            entries.computeIfAbsent(sample.key(i), key -> new ValueCounts.Entry(key, text, 0)).count++;
        }
        return entries;
    }

    /// Equally frequent values are in their own order.
    private List<FieldValues.Frequent> top(Map<Long, ValueCounts.Entry> entries) {
        List<ValueCounts.Entry> all = new ArrayList<>(entries.values());
        Comparator<ValueCounts.Entry> own = isOfSizes
                ? Comparator.comparing(entry -> entry.text.text())
                : Comparator.comparingDouble(entry -> value(entry.key).doubleValue());
        all.sort(Comparator.<ValueCounts.Entry>comparingLong(entry -> -entry.count)
                .thenComparing(own));
        long least = counts.isComplete() ? 1 : 2;
        return all.stream()
                .filter(entry -> entry.count >= least)
                .limit(FieldValues.TOP_MAX)
                .map(this::frequent)
                .toList();
    }

    private FieldValues.Frequent frequent(ValueCounts.Entry entry) {
        return isOfSizes
                ? new FieldValues.Frequent(entry.text.text(), entry.text.isWhole(), entry.text.size(), entry.count)
                : new FieldValues.Frequent(value(entry.key), true, null, entry.count);
    }

    private Number value(long key) {
        if (field.type().isFloat()) {
            return Double.longBitsToDouble(key);
        }
        return turn == 0 || key >= 0 ? (Number) key : new BigInteger(Long.toUnsignedString(key));
    }

    private Map<Double, Number> quantiles() {
        Map<Double, Number> quantiles = new LinkedHashMap<>();
        int size = sample.size();
        if (size == 0) {
            return quantiles;
        }
        if (!isOfSizes && field.type().isFloat()) {
            double[] sorted = Arrays.stream(sample.keys())
                    .mapToDouble(Double::longBitsToDouble)
                    .sorted()
                    .toArray();
            FieldValues.SHARES.forEach(share -> quantiles.put(share, sorted[rank(share, size)]));
        } else {
            long[] sorted = isOfSizes
                    ? LongStream.range(0, size)
                            .map(i -> sample.text((int) i).size())
                            .sorted()
                            .toArray()
                    : Arrays.stream(sample.keys())
                            .map(key -> key ^ turn)
                            .sorted()
                            .toArray();
            long back = isOfSizes ? 0 : turn;
            FieldValues.SHARES.forEach(share -> {
                long value = sorted[rank(share, size)] ^ back;
                quantiles.put(share, isOfSizes ? (Number) value : value(value));
            });
        }
        return quantiles;
    }

    private static int rank(double share, int size) {
        return (int) Math.max(0, Math.ceil(share * size) - 1);
    }
}
