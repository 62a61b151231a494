// SPDX-License-Identifier: Apache-2.0
package dev.penstock.doctor;

/// How often sizes occur, with a precision of one part in 64, in a fixed amount of memory.
final class SizeHistogram {
    private static final int FINE_BITS = 6;
    private static final int FINE = 1 << FINE_BITS;

    private final long[] counts = new long[(Long.SIZE - FINE_BITS + 1) * FINE];
    private long count;
    private long min = Long.MAX_VALUE;
    private long max;
    private double sum;

    void add(long size) {
        counts[place(size)]++;
        count++;
        sum += size;
        min = Math.min(min, size);
        max = Math.max(max, size);
    }

    long count() {
        return count;
    }

    long min() {
        return count == 0 ? 0 : min;
    }

    long max() {
        return max;
    }

    double mean() {
        return count == 0 ? 0 : sum / count;
    }

    /// The size that a share of all values does not exceed.
    long quantile(double share) {
        long wanted = (long) Math.ceil(share * count);
        long seen = 0;
        for (int place = 0; place < counts.length; place++) {
            seen += counts[place];
            if (seen >= wanted && seen > 0) {
                return Math.clamp(start(place), min(), max);
            }
        }
        return max;
    }

    private static int place(long size) {
        if (size < FINE) {
            return (int) size;
        }
        int shift = Long.SIZE - 1 - FINE_BITS - Long.numberOfLeadingZeros(size);
        return (shift + 1) * FINE + (int) (size >>> shift) - FINE;
    }

    private static long start(int place) {
        int shift = place / FINE - 1;
        return shift < 0 ? place : (long) (place % FINE + FINE) << shift;
    }
}
