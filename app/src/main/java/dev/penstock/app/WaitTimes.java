// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

/// Durations, counted in classes whose width is 1/32 of what they hold, so that any number of them takes the same
/// memory. The longest is kept as it is.
final class WaitTimes {
    private static final int CLASS_BITS = 5;
    private static final int CLASS_COUNT = 1 << CLASS_BITS;

    private final long[] counts = new long[(Long.SIZE - CLASS_BITS) * CLASS_COUNT];
    private long count;
    private long sum;
    private long max;

    void add(long nanos) {
        counts[classOf(nanos)]++;
        count++;
        sum += nanos;
        max = Math.max(max, nanos);
    }

    long count() {
        return count;
    }

    long sumNanos() {
        return sum;
    }

    long maxNanos() {
        return max;
    }

    /// A duration that this share of all does not exceed; 0 when there is none.
    long percentileNanos(double share) {
        long wanted = (long) Math.ceil(share * count);
        long seen = 0;
        for (int i = 0; i < counts.length; i++) {
            seen += counts[i];
            if (seen >= wanted) {
                return Math.min(max, highest(i));
            }
        }
        return max;
    }

    /// Small numbers have a class each; of larger ones the leading bits count.
    private static int classOf(long nanos) {
        int shift = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(nanos) - CLASS_BITS - 1);
        return (int) (shift * CLASS_COUNT + (nanos >>> shift));
    }

    /// The largest number of a class.
    private static long highest(int number) {
        int shift = Math.max(0, number / CLASS_COUNT - 1);
        return ((number - (long) shift * CLASS_COUNT + 1) << shift) - 1;
    }
}
