// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// Batches that threads fill ahead of the consumer, in order.
///
/// A thread takes the next step together with a batch that is free, when fewer than the depth are ahead of the
/// consumer; the consumer takes the steps in order and gives back the batch of the one before. So a slow consumer
/// stops the threads, and there are never more batches than the depth, that of the consumer among them. The depth
/// shrinks when batches turn out larger than was thought, so that the memory stays within its bound.
///
/// **Lifecycle.** [#stop] may be called at any moment from any thread. Threads are daemons, and they hold nothing
/// that holds the loader.
final class Pipeline {
    /// Fills a batch, in one of the threads.
    @FunctionalInterface
    interface Fill {
        void fill(int thread, long step, LoaderBatch batch) throws Exception;
    }

    private final Fill fill;
    private final long stepCount;
    private final long bytesMax;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition isFree = lock.newCondition();
    private final Condition isReady = lock.newCondition();
    private final List<Thread> threads = new ArrayList<>();
    /// Batches that nobody uses; the one given back last is taken first, for it is still in the cache.
    private final LoaderBatch[] free;

    private int freeCount;
    /// The batch of each step under way, at the step modulo the number of batches; whether it is ready; and what
    /// went wrong with it.
    private final LoaderBatch[] ahead;

    private final boolean[] isAheadReady;
    private final Throwable[] failures;
    private int depth;
    private long largestBytes = 1;
    private long nextToFill;
    /// The step that the consumer has, or the one it waits for; all before it are given back.
    private long taken;

    private boolean isWaiting;
    private int liveCount;
    private long fillNanos;
    private int readyCount;
    private boolean isStopped;
    private Runnable afterEnd;

    /// @param batches  all that may be used, two at least
    /// @param bytesMax memory for batches, as far as two are allowed
    Pipeline(LoaderBatch[] batches, int threadCount, long stepCount, long bytesMax, Fill fill) {
        this.free = batches.clone();
        this.freeCount = batches.length;
        this.ahead = new LoaderBatch[batches.length];
        this.isAheadReady = new boolean[batches.length];
        this.failures = new Throwable[batches.length];
        this.depth = batches.length;
        this.fill = fill;
        this.stepCount = stepCount;
        this.bytesMax = bytesMax;
        for (int i = 0; i < threadCount; i++) {
            int thread = i;
            threads.add(
                    Thread.ofPlatform().daemon().name("penstock-loader-" + i).unstarted(() -> work(thread)));
        }
    }

    /// Starts the threads; fewer where the system has no more, but one at least.
    void start() {
        liveCount = threads.size();
        for (int i = 0; i < threads.size(); i++) {
            try {
                threads.get(i).start();
            } catch (OutOfMemoryError e) {
                int missing = threads.size() - i;
                threads.subList(i, threads.size()).clear();
                leave(missing);
                if (i == 0) {
                    throw e;
                }
            }
        }
    }

    private void work(int thread) {
        try {
            long step = claim();
            while (step >= 0) {
                LoaderBatch batch = ahead[slot(step)];
                Throwable failure = null;
                long start = System.nanoTime();
                try {
                    fill.fill(thread, step, batch);
                } catch (Throwable e) {
                    failure = e;
                }
                step = finish(step, batch, failure, System.nanoTime() - start);
            }
        } finally {
            leave(1);
        }
    }

    private int slot(long step) {
        return (int) (step % ahead.length);
    }

    /// The next step there is a batch for, or -1 when there is none to come.
    private long claim() {
        lock.lock();
        try {
            return claimLocked();
        } finally {
            lock.unlock();
        }
    }

    private long claimLocked() {
        while (!isStopped && nextToFill < stepCount && nextToFill - taken >= depth) {
            isFree.awaitUninterruptibly();
        }
        if (isStopped || nextToFill >= stepCount) {
            return -1;
        }
        int slot = slot(nextToFill);
        ahead[slot] = free[--freeCount];
        isAheadReady[slot] = false;
        failures[slot] = null;
        return nextToFill++;
    }

    private long finish(long step, LoaderBatch batch, Throwable failure, long nanos) {
        lock.lock();
        try {
            int slot = slot(step);
            isAheadReady[slot] = true;
            failures[slot] = failure;
            readyCount++;
            fillNanos += nanos;
            largestBytes = Math.max(largestBytes, batch.allocatedBytes());
            depth = Math.clamp(bytesMax / largestBytes, 2, ahead.length);
            if (isWaiting && step == taken) {
                isReady.signal();
            }
            return claimLocked();
        } finally {
            lock.unlock();
        }
    }

    /// The batch of a step, once it is ready. That of the step before is given back.
    ///
    /// @return null when the pipeline was stopped
    LoaderBatch take(long step) throws Throwable {
        lock.lock();
        try {
            int slot = slot(step);
            if (taken != step) {
                giveBack(slot(taken));
                taken = step;
            }
            isWaiting = true;
            while (!isStopped && !(nextToFill > step && isAheadReady[slot])) {
                isReady.awaitUninterruptibly();
            }
            isWaiting = false;
            if (isStopped) {
                return null;
            }
            if (failures[slot] != null) {
                throw failures[slot];
            }
            readyCount--;
            return ahead[slot];
        } finally {
            lock.unlock();
        }
    }

    private void giveBack(int slot) {
        free[freeCount++] = ahead[slot];
        ahead[slot] = null;
        // Waking a thread costs more than taking a batch, so it waits until there is some work for it.
        if (nextToFill - taken - 1 <= depth / 2) {
            isFree.signalAll();
        }
    }

    private void leave(int count) {
        Runnable after = null;
        lock.lock();
        try {
            liveCount -= count;
            if (liveCount == 0 && afterEnd != null) {
                after = afterEnd;
                afterEnd = null;
            }
        } finally {
            lock.unlock();
        }
        if (after != null) {
            after.run();
        }
    }

    /// Time that all threads together took to fill batches.
    long fillNanos() {
        lock.lock();
        try {
            return fillNanos;
        } finally {
            lock.unlock();
        }
    }

    /// Batches that wait for the consumer.
    int readyCount() {
        lock.lock();
        try {
            return isStopped ? 0 : readyCount;
        } finally {
            lock.unlock();
        }
    }

    /// Ends all threads; a batch being filled is finished first.
    void stop() {
        stop(null);
    }

    /// Ends all threads, and does something when none touches a batch any more: now, or in the last of them.
    void stop(Runnable after) {
        Runnable now = null;
        lock.lock();
        try {
            isStopped = true;
            isFree.signalAll();
            isReady.signalAll();
            if (liveCount == 0) {
                now = after;
            } else if (after != null) {
                afterEnd = after;
            }
        } finally {
            lock.unlock();
        }
        if (now != null) {
            now.run();
        }
    }

    /// Waits until no thread touches a batch any more, but not for ever.
    ///
    /// @return whether all have ended
    boolean awaitEnd(long millis) {
        long deadline = System.nanoTime() + millis * 1_000_000;
        boolean wasInterrupted = false;
        try {
            for (Thread thread : threads) {
                while (thread.isAlive()) {
                    long left = (deadline - System.nanoTime()) / 1_000_000;
                    if (left <= 0) {
                        return false;
                    }
                    try {
                        thread.join(left);
                    } catch (InterruptedException e) {
                        wasInterrupted = true;
                    }
                }
            }
            return true;
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
