// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/// Runs actions that mostly wait for a remote storage, up to a fixed number at the same time.
///
/// The actions run on virtual threads; a single action runs on the calling thread. After a failure, or when the
/// calling thread is interrupted, no further action starts and the running ones are interrupted. The first failure
/// is thrown after all of them have ended: they write to the caller's memory, so the caller must not continue
/// earlier.
///
/// **Threads.** Safe for any number of threads, which share the limit.
final class InFlight {
    private final int max;
    private final Semaphore free;

    InFlight(int max) {
        this.max = max;
        this.free = new Semaphore(max, true);
    }

    /// One of several actions.
    @FunctionalInterface
    interface IndexedAction {
        void run(int index) throws IOException;
    }

    /// Runs the actions 0 to `count - 1`.
    ///
    /// @throws InterruptedIOException when the calling thread is interrupted; its interrupt status stays set
    void run(int count, IndexedAction action) throws IOException {
        if (count == 1) {
            runOne(0, action);
        } else if (count > 1) {
            new Run(count, action).run();
        }
    }

    private void runOne(int index, IndexedAction action) throws IOException {
        try {
            free.acquire();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw interrupted();
        }
        try {
            action.run(index);
        } finally {
            free.release();
        }
    }

    private static InterruptedIOException interrupted() {
        return new InterruptedIOException("interrupted while reading from a remote storage");
    }

    private final class Run {
        private final int count;
        private final IndexedAction action;
        private final AtomicInteger next = new AtomicInteger();
        private final AtomicReference<Throwable> failure = new AtomicReference<>();
        private final List<Thread> workers = new ArrayList<>();

        Run(int count, IndexedAction action) {
            this.count = count;
            this.action = action;
        }

        void run() throws IOException {
            for (int i = 0; i < Math.min(max, count); i++) {
                workers.add(Thread.ofVirtual().name("penstock-range-" + i).unstarted(this::work));
            }
            workers.forEach(Thread::start);
            boolean wasInterrupted = awaitWorkers();
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
            Parallel.throwAsItWas(failure.get());
        }

        private boolean awaitWorkers() {
            boolean wasInterrupted = false;
            for (Thread worker : workers) {
                while (worker.isAlive()) {
                    try {
                        worker.join();
                    } catch (InterruptedException e) {
                        wasInterrupted = true;
                        stop(interrupted());
                    }
                }
            }
            return wasInterrupted;
        }

        private void work() {
            try {
                while (failure.get() == null) {
                    int index = next.getAndIncrement();
                    if (index >= count) {
                        return;
                    }
                    runOne(index, action);
                }
            } catch (Throwable e) {
                stop(e);
            }
        }

        /// Records the first reason to stop, which is the one that is thrown.
        private void stop(Throwable reason) {
            if (failure.compareAndSet(null, reason)) {
                workers.forEach(Thread::interrupt);
            }
        }
    }
}
