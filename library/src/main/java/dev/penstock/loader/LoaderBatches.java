// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import dev.penstock.Batch;
import dev.penstock.Field;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/// The batches of a loader, and how many of them fit in its memory.
///
/// They are reused in every pass. They have no memory before they are filled for the first time.
///
/// **Threads.** [#unused], [#retire] and [#beginPass] must be called by one thread at a time.
final class LoaderBatches {
    /// With fewer batches the threads could not work while the consumer does.
    private static final int COUNT_MIN = 2;

    /// Prefetching more batches only takes memory.
    private static final int COUNT_MAX = 64;

    private final LoaderBatch[] batches;
    private final long bytesMax;
    /// Batches from this index on are not used in this pass, including those that were freed.
    private int unusedFrom;

    private final AtomicLong largestBytes = new AtomicLong(1);

    /// @param batchBytes the estimated size of a batch
    /// @param bytesMax   the memory for all batches; at least two are always allowed
    LoaderBatches(List<Field> fields, long batchBytes, long bytesMax) {
        this.batches = new LoaderBatch[Math.clamp(bytesMax / Math.max(1, batchBytes), COUNT_MIN, COUNT_MAX)];
        this.bytesMax = bytesMax;
        for (int i = 0; i < batches.length; i++) {
            batches[i] = new LoaderBatch(Batch.create(fields));
        }
    }

    int size() {
        return batches.length;
    }

    /// The largest number of batches in use at the same time.
    int depth() {
        return Math.clamp(bytesMax / largestBytes.get(), COUNT_MIN, batches.length);
    }

    void noteSize(long bytes) {
        if (bytes > largestBytes.get()) {
            largestBytes.accumulateAndGet(bytes, Math::max);
        }
    }

    void beginPass() {
        unusedFrom = 0;
    }

    LoaderBatch unused() {
        return batches[unusedFrom++];
    }

    /// Frees the memory of a batch, which may be used again later.
    void retire(LoaderBatch batch) {
        batch.tryTrim();
        int place = 0;
        while (batches[place] != batch) {
            place++;
        }
        batches[place] = batches[--unusedFrom];
        batches[unusedFrom] = batch;
    }

    long allocatedBytes() {
        long bytes = 0;
        for (LoaderBatch batch : batches) {
            bytes += batch.allocatedBytes();
        }
        return bytes;
    }

    /// Frees all memory except what is being used at the moment, for example to write it to a file.
    ///
    /// @return whether everything was freed
    boolean release() {
        boolean isAll = true;
        for (LoaderBatch batch : batches) {
            try {
                batch.close();
            } catch (IllegalStateException e) {
                isAll = false;
            }
        }
        return isAll;
    }
}
