// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.Batch;
import dev.penstock.Field;
import java.util.ArrayDeque;
import java.util.List;

/// A pool of batches that are reused when Python has released them. [IdleMemory] limits the idle
/// memory of all pools together.
///
/// **Threads.** Safe for any number of threads.
final class HeldBatches implements AutoCloseable {
    private final List<Field> fields;
    /// Guarded by [IdleMemory]. The batch released last is borrowed first, because its memory is still in the CPU
    /// cache.
    private final ArrayDeque<HeldBatch> idle = new ArrayDeque<>();

    private boolean isClosed;

    HeldBatches(List<Field> fields) {
        this.fields = fields;
    }

    /// Borrows an idle batch, or creates one.
    HeldBatch borrow() {
        HeldBatch one = IdleMemory.take(this);
        return one == null ? new HeldBatch(Batch.create(fields), this) : one;
    }

    ArrayDeque<HeldBatch> idle() {
        return idle;
    }

    boolean isClosed() {
        return isClosed;
    }

    void setClosed() {
        isClosed = true;
    }

    /// Frees the idle batches now, and the borrowed ones when they are released.
    @Override
    public void close() {
        IdleMemory.close(this);
    }
}
