// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

/// A histogram of durations whose bins have a relative width of 1/32, so that any number of durations takes the
/// same memory. The longest duration is kept exactly.
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

    /// The duration that this fraction of all durations does not exceed; 0 when there are none.
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

    /// Small numbers have one bin each; larger numbers are binned by their leading bits.
    private static int classOf(long nanos) {
        int shift = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(nanos) - CLASS_BITS - 1);
        return (int) (shift * CLASS_COUNT + (nanos >>> shift));
    }

    /// The largest number in a bin.
    private static long highest(int number) {
        int shift = Math.max(0, number / CLASS_COUNT - 1);
        return ((number - (long) shift * CLASS_COUNT + 1) << shift) - 1;
    }
}
