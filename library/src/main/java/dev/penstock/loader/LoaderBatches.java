// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import dev.penstock.Batch;
import dev.penstock.Field;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/// The batches of a loader, and how many of them fit in its memory.
///
/// They are used again in every pass. They have no memory before they are filled for the first time.
///
/// **Threads.** [#unused], [#retire] and [#beginPass] by one at a time.
final class LoaderBatches {
    /// With fewer the threads could not work while the consumer does.
    private static final int COUNT_MIN = 2;

    /// More batches ahead bring nothing and only take memory.
    private static final int COUNT_MAX = 64;

    private final LoaderBatch[] batches;
    private final long bytesMax;
    /// Batches from here on are not used in this pass; those that were given up are among them again.
    private int unusedFrom;

    private final AtomicLong largestBytes = new AtomicLong(1);

    /// @param batchBytes how large a batch is thought to become
    /// @param bytesMax   memory for all, as far as two are allowed
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

    /// How many may be in use at once.
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

    /// Gives up the memory of a batch, which may be used again later.
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

    /// Frees all memory but that which somebody is in the middle of using, such as for writing it to a file.
    ///
    /// @return whether that was all
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
