// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

/// Estimates the number of different hashes, with HyperLogLog in 4 KiB. Small numbers, which use linear counting,
/// are nearly exact; large ones have a standard error of 1.6 %.
///
/// **Threads.** One thread at a time.
final class DistinctCount {
    private static final int BITS = 12;
    private static final int COUNT = 1 << BITS;

    private final byte[] longest = new byte[COUNT];

    /// Spreads the bits of a number over all 64 bits.
    static long mix(long number) {
        long mixed = (number ^ number >>> 30) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
        return mixed ^ mixed >>> 31;
    }

    void add(long hash) {
        int slot = (int) (hash >>> Long.SIZE - BITS);
        int length = Long.numberOfLeadingZeros(hash << BITS | 1L << BITS - 1) + 1;
        if (longest[slot] < length) {
            longest[slot] = (byte) length;
        }
    }

    void merge(DistinctCount other) {
        for (int i = 0; i < COUNT; i++) {
            longest[i] = (byte) Math.max(longest[i], other.longest[i]);
        }
    }

    long estimate() {
        double sum = 0;
        int emptyCount = 0;
        for (byte length : longest) {
            sum += Math.scalb(1.0, -length);
            emptyCount += length == 0 ? 1 : 0;
        }
        double estimate = 0.7213 / (1 + 1.079 / COUNT) * COUNT * COUNT / sum;
        boolean isSmall = estimate <= 2.5 * COUNT && emptyCount > 0;
        return Math.round(isSmall ? COUNT * Math.log((double) COUNT / emptyCount) : estimate);
    }
}
