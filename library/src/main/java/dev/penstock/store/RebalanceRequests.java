// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.Progress;
import dev.penstock.memory.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/// Serves rebalance requests of other processes to the writer of a store: see [RebalanceRequest].
///
/// The writer checks for a request after a commit, at most once in [#LOOK_NANOS], and serves it on a daemon
/// thread.
///
/// **Threads.** Safe for any number of threads.
final class RebalanceRequests {
    private static final long LOOK_NANOS = 100_000_000;

    private final StoreWriter writer;
    private final Disk disk;
    private final Path file;
    private final AtomicLong lookedNanos = new AtomicLong(System.nanoTime());

    RebalanceRequests(StoreWriter writer, Disk disk) {
        this.writer = writer;
        this.disk = disk;
        this.file = RebalanceRequest.requestFile(writer.path());
    }

    /// Starts serving a request if there is one. A request that cannot be read is left for the next check, because
    /// the commit before this call is done.
    void look() {
        long now = System.nanoTime();
        long last = lookedNanos.get();
        if (now - last < LOOK_NANOS || !lookedNanos.compareAndSet(last, now)) {
            return;
        }
        try {
            if (disk.exists(file)) {
                RebalanceRequest.Question question = RebalanceRequest.Question.read(disk, file);
                disk.delete(file);
                Thread.ofPlatform().daemon().name("penstock-store-rebalance").start(() -> serve(question));
            }
        } catch (IOException e) {
            // The requesting process still waits, and takes over when the writer is gone.
        }
    }

    private void serve(RebalanceRequest.Question question) {
        try {
            RebalanceReport report = writer.rebalance(question.options(), Progress.NONE);
            RebalanceRequest.Answer.of(question.id(), report).write(disk, writer.path());
        } catch (IOException | RuntimeException e) {
            answerFailure(question, e);
        }
    }

    private void answerFailure(RebalanceRequest.Question question, Exception failure) {
        if (!writer.isOpen()) {
            // The requesting process takes over.
            return;
        }
        try {
            RebalanceRequest.Answer.failed(question.id(), failure.getMessage()).write(disk, writer.path());
        } catch (IOException e) {
            // The requesting process waits until the writer is gone, and rebalances itself.
        }
    }
}
