// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.memory.Layouts;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/// Batches of random row indices, which every program in a comparison draws alike.
///
/// The numbers are those of SplitMix64; the upper half of each is scaled to the number of rows.
///
/// @param batchCount how many batches
/// @param batchSize  rows of a batch
/// @param seed       where the numbers begin
record Draw(int batchCount, int batchSize, long seed) {
    static final int INDEX_SIZE = 8;

    private static final long STEP = 0x9e3779b97f4a7c15L;

    /// Bytes of the indices of one batch.
    long batchBytes() {
        return (long) batchSize * INDEX_SIZE;
    }

    /// Bytes of all indices.
    long bytes() {
        return batchCount * batchBytes();
    }

    /// Writes all indices.
    void fill(MemorySegment target, long rowCount) {
        long state = seed;
        for (long at = 0; at < bytes(); at += INDEX_SIZE) {
            state += STEP;
            target.set(Layouts.U64, at, ((mix(state) >>> 32) * rowCount) >>> 32);
        }
    }

    /// Fills batches with indices below a count.
    static void fill(long[][] batches, SplittableRandom random, long recordCount) {
        for (long[] batch : batches) {
            for (int i = 0; i < batch.length; i++) {
                batch[i] = random.nextLong(recordCount);
            }
        }
    }

    static long mix(long state) {
        long z = (state ^ (state >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
