// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import dev.penstock.Batch;
import dev.penstock.Field;
import java.util.ArrayDeque;
import java.util.List;

/// Batches that are used again when the other language has no more use for them, as long as they are not too
/// large: one who read a whole file once must not keep its memory for ever.
///
/// **Threads.** Any number.
final class HeldBatches implements AutoCloseable {
    /// What is kept; enough for a loop that holds a few batches of the usual size.
    private static final long IDLE_BYTES_MAX = 64L << 20;

    private final List<Field> fields;
    /// The one given back last is borrowed first, for its memory is still in the cache.
    private final ArrayDeque<HeldBatch> idle = new ArrayDeque<>();

    private long idleBytes;
    private boolean isClosed;

    HeldBatches(List<Field> fields) {
        this.fields = fields;
    }

    /// One that nobody uses.
    HeldBatch borrow() {
        synchronized (idle) {
            HeldBatch one = idle.pollLast();
            if (one != null) {
                idleBytes -= one.allocatedBytes();
                return one;
            }
        }
        return new HeldBatch(Batch.create(fields), this);
    }

    void giveBack(HeldBatch one) {
        long bytes = one.allocatedBytes();
        synchronized (idle) {
            if (!isClosed && idleBytes + bytes <= IDLE_BYTES_MAX) {
                idle.addLast(one);
                idleBytes += bytes;
                return;
            }
        }
        one.free();
    }

    /// Frees what is idle, and what is in use when it comes back.
    @Override
    public void close() {
        synchronized (idle) {
            isClosed = true;
            idle.forEach(HeldBatch::free);
            idle.clear();
            idleBytes = 0;
        }
    }
}
