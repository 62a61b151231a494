// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Measures how fast one thread copies a buffer of the size of a batch, off the heap.
///
/// The copies read through a source as large as the dataset, up to a size that fits in no CPU cache. The target is
/// reused, as the memory of batches is.
final class CopyFloor {
    private static final long SOURCE_BYTES = 256L << 20;
    private static final long TARGET_BYTES = 64L << 20;
    private static final long LOOK_EVERY = 16;

    private CopyFloor() {}

    /// The number of batches copied per second.
    ///
    /// @param batchBytes   the size of a batch in bytes
    /// @param datasetBytes the size of the dataset in bytes, which limits the size of the source
    static double batchesPerSecond(long batchBytes, long datasetBytes, double seconds) {
        if (batchBytes == 0) {
            return Double.NaN;
        }
        long sourceBatches = Math.max(1, Math.min(SOURCE_BYTES, datasetBytes) / batchBytes);
        long targetBatches = Math.max(2, Math.min(64, TARGET_BYTES / batchBytes));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = arena.allocate(sourceBatches * batchBytes, 64);
            MemorySegment target = arena.allocate(targetBatches * batchBytes, 64);
            source.fill((byte) 1);
            target.fill((byte) 0);
            long limit = System.nanoTime() + (long) (seconds * 1e9);
            long start = System.nanoTime();
            long count = 0;
            do {
                for (long i = 0; i < LOOK_EVERY; i++, count++) {
                    long from = count % sourceBatches * batchBytes;
                    MemorySegment.copy(source, from, target, count % targetBatches * batchBytes, batchBytes);
                }
            } while (System.nanoTime() < limit);
            return count / ((System.nanoTime() - start) / 1e9);
        }
    }
}
