// SPDX-License-Identifier: Apache-2.0
package dev.penstock.doctor;

import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Field;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/// Examines the sizes of values that have any length: empty and oversized ones, and outliers.
///
/// A size is an outlier when it is far outside the middle half of all sizes: on a logarithmic scale by more
/// than three times the width of that half, and by a factor of four at least.
final class SizeExam implements ColumnExam {
    /// The number of longest and of shortest values that are remembered.
    private static final int REMEMBERED_MAX = 10_000;

    private static final double FACTOR_MIN = 4;
    /// With fewer values there are no outliers.
    private static final int COUNT_MIN = 20;

    private record Sized(long size, long index) {}

    private final Field field;
    private final long sizeMax;
    private final Affected empty;
    private final Affected oversized;
    private final SizeHistogram sizes = new SizeHistogram();
    /// The least of the longest values, and the greatest of the shortest, are at the head.
    private final PriorityQueue<Sized> longest = new PriorityQueue<>(Comparator.comparingLong(Sized::size));

    private final PriorityQueue<Sized> shortest =
            new PriorityQueue<>(Comparator.comparingLong(Sized::size).reversed());

    /// @param sizeMax larger values are oversized
    SizeExam(Field field, long sizeMax, Findings findings) {
        this.field = field;
        this.sizeMax = sizeMax;
        this.empty = findings.affected(Check.EMPTY, field.name());
        this.oversized = findings.affected(Check.OVERSIZED, field.name());
    }

    static boolean fits(Field field) {
        return field.isVariable() || field.type().isText() && field.shape().isEmpty();
    }

    @Override
    public void add(Column column, long rowCount, RecordIds ids) {
        for (long row = 0; row < rowCount; row++) {
            if (!column.isMissing(row)) {
                add(Values.size(column, row), ids.of(row));
            }
        }
    }

    private void add(long size, long index) {
        if (size == 0) {
            empty.add(index);
            return;
        }
        if (size > sizeMax) {
            oversized.add(index);
        }
        sizes.add(size);
        keep(longest, size, index);
        keep(shortest, size, index);
    }

    private static void keep(PriorityQueue<Sized> queue, long size, long index) {
        Sized one = new Sized(size, index);
        if (queue.size() < REMEMBERED_MAX) {
            queue.add(one);
        } else if (queue.comparator().compare(one, queue.peek()) > 0) {
            queue.poll();
            queue.add(one);
        }
    }

    @Override
    public void report(Findings findings) {
        if (field.isVariable()) {
            findings.fact(field.name(), "minBytes", sizes.min());
            findings.fact(field.name(), "medianBytes", sizes.quantile(0.5));
            findings.fact(field.name(), "meanBytes", sizes.mean());
            findings.fact(field.name(), "maxBytes", sizes.max());
        }
        findings.fact(field.name(), "empty", empty.count());
        findings.add(empty, "they teach nothing, and empty images or texts stop many decoders and tokenizers");
        findings.add(
                oversized,
                "each has more than " + sizeMax + " bytes, up to " + sizes.max()
                        + "; one batch of them may not fit into memory");
        if (findings.has(Check.LENGTHS) && sizes.count() >= COUNT_MIN && isVarying()) {
            reportOutliers(findings);
        }
    }

    /// Fixed bytes, such as digests, all have one size, and trailing zeros are not outliers.
    private boolean isVarying() {
        return field.isVariable() || field.type() != ElementType.BYTES;
    }

    private void reportOutliers(Findings findings) {
        double low = Math.max(1, sizes.quantile(0.25));
        double high = Math.max(low, sizes.quantile(0.75));
        double factor = Math.max(FACTOR_MIN, Math.pow(high / low, 3));
        Affected affected = findings.affected(Check.LENGTHS, field.name());
        List<Sized> outliers = new ArrayList<>();
        longest.stream().filter(one -> one.size > high * factor).forEach(outliers::add);
        shortest.stream().filter(one -> one.size < low / factor).forEach(outliers::add);
        outliers.stream().mapToLong(Sized::index).sorted().forEach(affected::add);
        boolean isMore = !longest.isEmpty() && longest.size() == REMEMBERED_MAX && longest.peek().size > high * factor
                || !shortest.isEmpty() && shortest.size() == REMEMBERED_MAX && shortest.peek().size < low / factor;
        findings.add(
                affected,
                "the middle half of all values has " + (long) low + " to " + (long) high + " bytes, and these have "
                        + range(outliers) + (isMore ? "; there are more, and these are the most extreme" : ""));
    }

    private static String range(List<Sized> outliers) {
        long least = outliers.stream().mapToLong(Sized::size).min().orElse(0);
        long most = outliers.stream().mapToLong(Sized::size).max().orElse(0);
        return least == most ? String.valueOf(least) : least + " to " + most;
    }
}
