// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// A ring of batches that threads fill ahead of the consumer, in order.
///
/// The batch of step `k` is in slot `k` modulo the number of slots. A thread takes the next step as soon as its
/// slot is free; the consumer takes the steps in order and frees the slot of the one before. So a slow consumer
/// stops the threads, and at most as many batches as there are slots exist at any time.
///
/// **Lifecycle.** [#stop] may be called at any moment from any thread. Threads are daemons, and they hold nothing
/// that holds the loader.
final class Pipeline {
    /// Fills a batch.
    @FunctionalInterface
    interface Fill {
        void fill(long step, LoaderBatch batch) throws Exception;
    }

    private final LoaderBatch[] slots;
    /// The step that is ready in each slot, or -1; and what went wrong with it.
    private final long[] readySteps;

    private final Throwable[] failures;
    private final Fill fill;
    private final long stepCount;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition isFree = lock.newCondition();
    private final Condition isReady = lock.newCondition();
    private final AtomicLong gatherNanos = new AtomicLong();
    private final List<Thread> threads = new ArrayList<>();
    private long nextToFill;
    /// The step that the consumer has, or the one it waits for; all before it are free.
    private long taken;

    private volatile long readyCount;
    private boolean isStopped;

    Pipeline(LoaderBatch[] slots, int threadCount, long firstStep, long stepCount, Fill fill) {
        this.slots = slots;
        this.readySteps = new long[slots.length];
        Arrays.fill(readySteps, -1);
        this.failures = new Throwable[slots.length];
        this.fill = fill;
        this.stepCount = stepCount;
        this.nextToFill = firstStep;
        this.taken = firstStep;
        for (int i = 0; i < threadCount; i++) {
            threads.add(
                    Thread.ofPlatform().daemon().name("penstock-loader-" + i).unstarted(this::work));
        }
    }

    void start() {
        threads.forEach(Thread::start);
    }

    private void work() {
        long step = claim();
        while (step >= 0) {
            int slot = (int) (step % slots.length);
            Throwable failure = null;
            long start = System.nanoTime();
            try {
                fill.fill(step, slots[slot]);
            } catch (Throwable e) {
                failure = e;
            }
            gatherNanos.addAndGet(System.nanoTime() - start);
            step = finish(step, slot, failure);
        }
    }

    /// The next step whose slot is free, or -1 when there is none to come.
    private long claim() {
        lock.lock();
        try {
            return claimLocked();
        } finally {
            lock.unlock();
        }
    }

    private long claimLocked() {
        while (!isStopped && nextToFill < stepCount && nextToFill - taken >= slots.length) {
            isFree.awaitUninterruptibly();
        }
        return isStopped || nextToFill >= stepCount ? -1 : nextToFill++;
    }

    private long finish(long step, int slot, Throwable failure) {
        lock.lock();
        try {
            readySteps[slot] = step;
            failures[slot] = failure;
            readyCount++;
            isReady.signalAll();
            return claimLocked();
        } finally {
            lock.unlock();
        }
    }

    /// The batch of a step, once it is ready. That of the step before is given back.
    ///
    /// @return null when the pipeline was stopped
    LoaderBatch take(long step) throws Throwable {
        int slot = (int) (step % slots.length);
        lock.lock();
        try {
            if (taken != step) {
                taken = step;
                isFree.signal();
            }
            while (!isStopped && readySteps[slot] != step) {
                isReady.awaitUninterruptibly();
            }
            if (isStopped) {
                return null;
            }
            readyCount--;
            if (failures[slot] != null) {
                throw failures[slot];
            }
            return slots[slot];
        } finally {
            lock.unlock();
        }
    }

    long gatherNanos() {
        return gatherNanos.get();
    }

    int readyCount() {
        return (int) readyCount;
    }

    /// Ends all threads; a batch being filled is finished first.
    void stop() {
        lock.lock();
        try {
            isStopped = true;
            isFree.signalAll();
            isReady.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// Waits until no thread touches a slot any more, but not for ever.
    ///
    /// @return whether all have ended
    boolean awaitEnd(long millis) {
        long deadline = System.nanoTime() + millis * 1_000_000;
        boolean wasInterrupted = false;
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
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
        return true;
    }
}
