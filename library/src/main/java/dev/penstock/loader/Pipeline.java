// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import dev.penstock.memory.Parallel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/// Batches that threads fill ahead of the consumer, in order.
///
/// A thread claims the next step when fewer than the depth are claimed and not yet given back, takes a batch that
/// is free, fills it, and lays it in the ring. The consumer takes the steps in order and gives back the batch of
/// the one before. So a slow consumer stops the threads. The depth shrinks when batches turn out larger than was
/// thought, so that the memory stays within its bound.
///
/// The consumer never takes a lock: a thread that the system sets aside while it holds one would keep a consumer
/// waiting for whom a batch is ready.
///
/// **Lifecycle.** [#stop] may be called at any moment from any thread. Threads are daemons, and they hold nothing
/// that holds the loader.
final class Pipeline {
    /// Fills a batch, in one of the threads.
    @FunctionalInterface
    interface Fill {
        void fill(int thread, long step, LoaderBatch batch) throws Exception;
    }

    /// Nobody sleeps longer without looking again, so that no wake-up can be missed for good.
    private static final long SLEEP_NANOS = 100_000_000;

    private final Fill fill;
    private final long stepCount;
    private final LoaderBatches batches;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicLong fillNanos = new AtomicLong();
    /// Batches that are ready and those that were given back, each at its step modulo the size of the ring.
    private final AtomicReferenceArray<LoaderBatch> ready;

    private final AtomicReferenceArray<LoaderBatch> givenBack;
    /// Which threads wait for work.
    private final AtomicIntegerArray isAsleep;
    /// Guards the four below: what is claimed.
    private final ReentrantLock claims = new ReentrantLock();

    private long reusedCount;
    private int usedCount;
    private int liveCount;
    private Runnable afterEnd;
    private volatile long nextToFill;
    /// The step that the consumer has, or the one it waits for; all before it are given back.
    private volatile long taken;

    /// The step that the consumer has got.
    private volatile long handedOut = -1;

    private volatile Thread waitingConsumer;
    private volatile boolean isStopped;
    /// Why a thread could not go on, or null.
    private volatile Throwable failure;

    Pipeline(LoaderBatches batches, int threadCount, long stepCount, Fill fill) {
        this.batches = batches;
        this.ready = new AtomicReferenceArray<>(batches.size());
        this.givenBack = new AtomicReferenceArray<>(batches.size());
        this.isAsleep = new AtomicIntegerArray(threadCount);
        this.fill = fill;
        this.stepCount = stepCount;
        for (int i = 0; i < threadCount; i++) {
            int thread = i;
            threads.add(Parallel.loner("penstock-loader-" + i, () -> work(thread)));
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

    private int slot(long step) {
        return (int) (step % ready.length());
    }

    private void work(int thread) {
        try {
            while (!isStopped && nextToFill < stepCount) {
                claims.lock();
                long step = -1;
                LoaderBatch batch = null;
                try {
                    if (mayClaim(thread)) {
                        step = nextToFill;
                        batch = freeBatch();
                        nextToFill = step + 1;
                    }
                } finally {
                    claims.unlock();
                }
                if (batch == null) {
                    sleep(thread);
                } else {
                    make(thread, step, batch);
                }
            }
        } catch (Throwable e) {
            // Without a thread there would be nobody to wait for.
            failure = e;
            LockSupport.unpark(waitingConsumer);
        } finally {
            leave(1);
        }
    }

    private boolean mayClaim(int thread) {
        return !isStopped && nextToFill < stepCount && nextToFill - taken < limit(thread);
    }

    /// How many steps may be claimed and not given back when a thread claims another. The first one fills up the
    /// ring; the others come to its help when there is little ahead, each at less than the one before. Were they
    /// all at work where fewer keep up with the consumer, they would take its processor from it, and the system
    /// would set one of them aside in the middle of the very batch that comes next.
    private long limit(int thread) {
        int depth = batches.depth();
        int count = threads.size();
        return thread == 0 ? depth : Math.max(Math.min(count, depth), (long) depth * (count - thread) / (2L * count));
    }

    /// One that was given back, or one that was not used yet. When there are more than the depth allows, the
    /// memory of one that comes back is freed.
    private LoaderBatch freeBatch() {
        while (reusedCount < taken) {
            int slot = slot(reusedCount++);
            LoaderBatch batch = givenBack.getAndSet(slot, null);
            if (usedCount <= batches.depth()) {
                return batch;
            }
            usedCount--;
            batches.retire(batch);
        }
        usedCount++;
        return batches.unused();
    }

    private void make(int thread, long step, LoaderBatch batch) {
        long start = System.nanoTime();
        try {
            batch.setFailure(null);
            fill.fill(thread, step, batch);
        } catch (Throwable e) {
            batch.setFailure(e);
        }
        fillNanos.addAndGet(System.nanoTime() - start);
        batches.noteSize(batch.allocatedBytes());
        ready.set(slot(step), batch);
        Thread consumer = waitingConsumer;
        if (consumer != null && taken == step) {
            LockSupport.unpark(consumer);
        }
    }

    private void sleep(int thread) {
        isAsleep.set(thread, 1);
        if (!mayClaim(thread) && !isStopped && nextToFill < stepCount) {
            LockSupport.parkNanos(this, SLEEP_NANOS);
        }
        isAsleep.set(thread, 0);
    }

    /// The batch of a step, once it is ready. That of the step before is given back.
    ///
    /// @return null when the pipeline was stopped
    LoaderBatch take(long step) throws Throwable {
        if (taken != step) {
            giveBack(step);
        }
        int slot = slot(step);
        LoaderBatch batch = ready.get(slot);
        if (batch == null && !isStopped) {
            batch = await(slot);
        }
        if (isStopped) {
            return null;
        }
        Throwable reason = batch == null ? failure : batch.failure();
        if (reason != null) {
            throw reason;
        }
        handedOut = step;
        return batch;
    }

    private LoaderBatch await(int slot) {
        boolean wasInterrupted = false;
        waitingConsumer = Thread.currentThread();
        LoaderBatch batch = ready.get(slot);
        while (batch == null && !isStopped && failure == null) {
            LockSupport.parkNanos(this, SLEEP_NANOS);
            // An interrupt would end every further sleep at once; the consumer learns of it afterwards.
            wasInterrupted |= Thread.interrupted();
            batch = ready.get(slot);
        }
        waitingConsumer = null;
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
        return batch;
    }

    private void giveBack(long step) {
        int slot = slot(step - 1);
        givenBack.set(slot, ready.getAndSet(slot, null));
        taken = step;
        for (int i = 0; i < threads.size(); i++) {
            // Waking a thread costs more than taking a batch, so the first one sleeps until there is some work.
            long limit = i == 0 ? batches.depth() / 2 + 1 : limit(i);
            if (isAsleep.get(i) != 0 && nextToFill - step < limit) {
                LockSupport.unpark(threads.get(i));
            }
        }
    }

    private void wakeThreads() {
        for (int i = 0; i < threads.size(); i++) {
            LockSupport.unpark(threads.get(i));
        }
    }

    private void leave(int count) {
        Runnable after = null;
        claims.lock();
        try {
            liveCount -= count;
            if (liveCount == 0 && afterEnd != null) {
                after = afterEnd;
                afterEnd = null;
            }
        } finally {
            claims.unlock();
        }
        if (after != null) {
            after.run();
        }
    }

    /// Time that all threads together took to fill batches.
    long fillNanos() {
        return fillNanos.get();
    }

    /// Batches that wait for the consumer, the one it has not among them.
    int readyCount() {
        int count = 0;
        long first = handedOut == taken ? taken + 1 : taken;
        for (long step = isStopped ? nextToFill : first; step < nextToFill; step++) {
            count += ready.get(slot(step)) == null ? 0 : 1;
        }
        return count;
    }

    /// Ends all threads; a batch being filled is finished first.
    void stop() {
        stop(null);
    }

    /// Ends all threads, and does something when none touches a batch any more: now, or in the last of them.
    void stop(Runnable after) {
        Runnable now = null;
        isStopped = true;
        wakeThreads();
        LockSupport.unpark(waitingConsumer);
        claims.lock();
        try {
            if (liveCount == 0) {
                now = after;
            } else if (after != null) {
                afterEnd = after;
            }
        } finally {
            claims.unlock();
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
        boolean hasEnded = true;
        for (Thread thread : threads) {
            long left = deadline - System.nanoTime();
            while (thread.isAlive() && left > 0) {
                try {
                    thread.join(left / 1_000_000 + 1);
                } catch (InterruptedException e) {
                    wasInterrupted = true;
                }
                left = deadline - System.nanoTime();
            }
            hasEnded &= !thread.isAlive();
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
        return hasEnded;
    }
}
