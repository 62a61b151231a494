// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import java.io.IOException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/// The running calls that place values. They do so without the lock of the writer, so that several threads
/// compress and write at the same time. With the lock they record the placed values; only then does a new record
/// have an index.
///
/// **Threads.** Safe for any number of threads. Methods need the lock of the writer unless they say otherwise.
final class PlacingCalls {
    private final StoreWriter writer;
    private final StoreFiles files;
    private final OpenBatch batch;
    private final Set<Call> running = Collections.newSetFromMap(new IdentityHashMap<>());

    PlacingCalls(StoreWriter writer, StoreFiles files, OpenBatch batch) {
        this.writer = writer;
        this.files = files;
        this.batch = batch;
    }

    /// A call that has placed values or is about to.
    ///
    /// @param lowestChunk the lowest chunk that its values can be in
    /// @param losses      the number of failed writes before it began
    private record Call(long lowestChunk, long losses) {}

    /// Places values.
    @FunctionalInterface
    interface Placing {
        PlacedRows run() throws IOException;
    }

    /// Records placed values, and returns the result of the call.
    @FunctionalInterface
    interface Noting {
        long run(PlacedRows placed) throws IOException;
    }

    /// Runs a call that appends records. The calling thread must not hold the lock.
    long run(Placing placing, Noting noting) throws IOException {
        return run(() -> {}, () -> {}, placing, noting);
    }

    /// Runs a call. The calling thread must not hold the lock.
    ///
    /// @param waiting waits before values are placed, and again before they are recorded
    /// @param check   the check before values are placed
    long run(Runnable waiting, FailStop.Step check, Placing placing, Noting noting) throws IOException {
        Call call;
        try (StoreLock.Held _ = writer.lock().hold()) {
            writer.requireOpen();
            waiting.run();
            files.requireSound();
            batch.requireNotBereft(Thread.currentThread());
            check.run();
            files.begin();
            call = new Call(files.chunks().lowestId(), files.chunks().lossCount());
            running.add(call);
        }
        try {
            PlacedRows placed = place(placing);
            try (StoreLock.Held _ = writer.lock().hold()) {
                writer.requireNotClosed();
                waiting.run();
                files.requireSound();
                batch.requireNoLoss(call.losses);
                return noting.run(placed);
            }
        } finally {
            try (StoreLock.Held _ = writer.lock().hold()) {
                running.remove(call);
                writer.lock().signalAll();
            }
        }
    }

    private PlacedRows place(Placing placing) throws IOException {
        try {
            return placing.run();
        } catch (IOException e) {
            try (StoreLock.Held _ = writer.lock().hold()) {
                throw batch.failed(e);
            }
        }
    }

    /// The lowest chunk that can have values which are not recorded yet.
    long lowestChunk() {
        return running.stream().mapToLong(Call::lowestChunk).min().orElse(Long.MAX_VALUE);
    }

    /// Waits until no call is running. The lock is released meanwhile.
    void awaitNone() {
        writer.lock().until(running::isEmpty);
    }
}
