// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// The idle batches of all datasets and loaders of the process. They share one memory limit; beyond it, the batch
/// that has been idle longest is freed.
///
/// **Threads.** Safe for any number of threads.
final class IdleMemory {
    private static final long DEFAULT_LIMIT_BYTES = 128L << 20;

    private static final Set<HeldBatch> OLDEST_FIRST = new LinkedHashSet<>();
    private static long idleBytes;
    private static long limitBytes = DEFAULT_LIMIT_BYTES;

    private IdleMemory() {}

    /// Takes the batch of a pool that was released last, or null when the pool has none.
    static synchronized HeldBatch take(HeldBatches pool) {
        HeldBatch one = pool.idle().pollLast();
        if (one != null) {
            forget(one);
        }
        return one;
    }

    /// Keeps a batch for reuse, or frees it.
    static void put(HeldBatch one) {
        List<HeldBatch> freed = new ArrayList<>();
        synchronized (IdleMemory.class) {
            if (one.pool().isClosed() || one.allocatedBytes() > limitBytes) {
                freed.add(one);
            } else {
                one.setIdleBytes(one.allocatedBytes());
                one.pool().idle().addLast(one);
                OLDEST_FIRST.add(one);
                idleBytes += one.idleBytes();
                evict(freed);
            }
        }
        freed.forEach(HeldBatch::free);
    }

    private static void evict(List<HeldBatch> freed) {
        Iterator<HeldBatch> oldest = OLDEST_FIRST.iterator();
        while (idleBytes > limitBytes && oldest.hasNext()) {
            HeldBatch one = oldest.next();
            oldest.remove();
            idleBytes -= one.idleBytes();
            one.pool().idle().remove(one);
            freed.add(one);
        }
    }

    private static void forget(HeldBatch one) {
        OLDEST_FIRST.remove(one);
        idleBytes -= one.idleBytes();
    }

    /// Closes a pool and frees its idle batches.
    static void close(HeldBatches pool) {
        List<HeldBatch> freed;
        synchronized (IdleMemory.class) {
            pool.setClosed();
            ArrayDeque<HeldBatch> idle = pool.idle();
            freed = List.copyOf(idle);
            freed.forEach(IdleMemory::forget);
            idle.clear();
        }
        freed.forEach(HeldBatch::free);
    }

    /// Sets the limit for idle memory, and frees the excess.
    static void setLimit(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("the limit for idle memory must not be negative, got " + bytes);
        }
        List<HeldBatch> freed = new ArrayList<>();
        synchronized (IdleMemory.class) {
            limitBytes = bytes;
            evict(freed);
        }
        freed.forEach(HeldBatch::free);
    }

    static synchronized long bytes() {
        return idleBytes;
    }

    static synchronized long limitBytes() {
        return limitBytes;
    }
}
