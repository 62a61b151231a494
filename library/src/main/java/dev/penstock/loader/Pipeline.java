// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import dev.penstock.file.Parallel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/// Batches that threads prefetch for the consumer, in order.
///
/// A thread claims the next step when fewer steps than the depth are claimed and not yet returned, takes a free
/// batch, fills it, and puts it in the ring. The consumer takes the steps in order and returns the batch of the
/// previous step. So a slow consumer stops the threads. The depth shrinks when batches are larger than estimated,
/// so that the memory stays within its limit.
///
/// The consumer never takes a lock: if the system suspended a thread that holds a lock, the consumer would wait
/// although a batch is ready.
///
/// **Lifecycle.** [#stop] may be called at any time from any thread. The threads are daemon threads and have no
/// reference to the loader.
final class Pipeline {
    /// Fills a batch on one of the threads.
    @FunctionalInterface
    interface BatchFiller {
        void fill(int thread, long step, LoaderBatch batch) throws Exception;
    }

    /// The longest sleep of a thread before it checks again, so that a missed wake-up cannot block it for good.
    private static final long SLEEP_NANOS = 100_000_000;

    private final BatchFiller fill;
    private final long stepCount;
    private final LoaderBatches batches;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicLong fillNanos = new AtomicLong();
    /// The batches that are ready, each at its step modulo the size of the ring.
    private final AtomicReferenceArray<LoaderBatch> ready;

    /// The batch returned last, linked to those returned before. It is reused first, because its memory is still
    /// in the CPU cache.
    private final AtomicReference<LoaderBatch> givenBack = new AtomicReference<>();
    /// The threads that wait for work.
    private final AtomicIntegerArray isAsleep;
    /// Guards the three fields below, which describe the claimed steps.
    private final ReentrantLock claims = new ReentrantLock();

    private int usedCount;
    private int liveCount;
    private Runnable afterEnd;
    private volatile long nextToFill;
    /// The step that the consumer has, or the one it waits for; all batches before it are returned.
    private volatile long taken;

    /// The step that the consumer has received.
    private volatile long handedOut = -1;

    private volatile Thread waitingConsumer;
    private volatile boolean isStopped;
    /// The reason why a thread could not continue, or null.
    private volatile Throwable failure;

    Pipeline(LoaderBatches batches, int threadCount, long stepCount, BatchFiller fill) {
        this.batches = batches;
        this.ready = new AtomicReferenceArray<>(batches.size());
        this.isAsleep = new AtomicIntegerArray(threadCount);
        this.fill = fill;
        this.stepCount = stepCount;
        for (int i = 0; i < threadCount; i++) {
            int thread = i;
            threads.add(Parallel.loner("penstock-loader-" + i, () -> work(thread)));
        }
    }

    /// Starts the threads; fewer if the system cannot create more, but at least one.
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
            // Without a thread the consumer would wait for ever.
            failure = e;
            LockSupport.unpark(waitingConsumer);
        } finally {
            leave(1);
        }
    }

    private boolean mayClaim(int thread) {
        return !isStopped && nextToFill < stepCount && nextToFill - taken < limit(thread);
    }

    /// The number of claimed steps up to which a thread claims another. The first thread fills the ring; the
    /// others help when few batches are ready, each at a lower limit than the one before. If all of them worked
    /// when fewer could keep up with the consumer, they would take CPU time from the consumer, and the system
    /// might suspend one of them while it fills the very next batch.
    private long limit(int thread) {
        int depth = batches.depth();
        int count = threads.size();
        return thread == 0 ? depth : Math.max(Math.min(count, depth), (long) depth * (count - thread) / (2L * count));
    }

    /// A batch that was returned, or one that was not used yet. If there are more than the depth allows, the
    /// memory of a returned batch is freed.
    private LoaderBatch freeBatch() {
        LoaderBatch batch = pop();
        while (batch != null && usedCount > batches.depth()) {
            usedCount--;
            batches.retire(batch);
            batch = pop();
        }
        if (batch == null) {
            usedCount++;
            batch = batches.unused();
        }
        return batch;
    }

    /// Takes the batch that was returned last, or null. Only the thread that holds the claims does so; therefore
    /// no other thread can take the batch in between and return it with another one below it.
    private LoaderBatch pop() {
        LoaderBatch batch = givenBack.get();
        while (batch != null && !givenBack.compareAndSet(batch, batch.below())) {
            batch = givenBack.get();
        }
        return batch;
    }

    private void push(LoaderBatch batch) {
        do {
            batch.setBelow(givenBack.get());
        } while (!givenBack.compareAndSet(batch.below(), batch));
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

    /// Returns the batch of a step when it is ready, and takes back the batch of the step before.
    ///
    /// @return null when the pipeline was stopped
    LoaderBatch take(long step) throws Throwable {
        if (taken != step) {
            giveBack(step);
        }
        int slot = slot(step);
        LoaderBatch batch = ready.get(slot);
        if (batch == null && !isStopped) {
            batch = await(slot, System.nanoTime() + Long.MAX_VALUE / 2);
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

    /// Waits until the batch of a step can be taken, at most for the given time.
    ///
    /// @return whether [#take] returns without waiting
    boolean awaitReady(long step, long millis) {
        if (taken != step) {
            giveBack(step);
        }
        int slot = slot(step);
        boolean isReady = ready.get(slot) != null || isStopped;
        return isReady || await(slot, System.nanoTime() + millis * 1_000_000) != null || isStopped || failure != null;
    }

    private LoaderBatch await(int slot, long deadlineNanos) {
        boolean wasInterrupted = false;
        waitingConsumer = Thread.currentThread();
        LoaderBatch batch = ready.get(slot);
        long leftNanos = deadlineNanos - System.nanoTime();
        while (batch == null && !isStopped && failure == null && leftNanos > 0) {
            LockSupport.parkNanos(this, Math.min(SLEEP_NANOS, leftNanos));
            // An interrupt would end every further sleep at once; the interrupt status is restored afterwards.
            wasInterrupted |= Thread.interrupted();
            batch = ready.get(slot);
            leftNanos = deadlineNanos - System.nanoTime();
        }
        waitingConsumer = null;
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
        return batch;
    }

    private void giveBack(long step) {
        int slot = slot(step - 1);
        push(ready.getAndSet(slot, null));
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

    /// The time that all threads together took to fill batches.
    long fillNanos() {
        return fillNanos.get();
    }

    /// The number of batches that wait for the consumer, without the one it has.
    int readyCount() {
        int count = 0;
        long first = handedOut == taken ? taken + 1 : taken;
        for (long step = isStopped ? nextToFill : first; step < nextToFill; step++) {
            count += ready.get(slot(step)) == null ? 0 : 1;
        }
        return count;
    }

    /// Ends all threads after the batches that are being filled.
    void stop() {
        stop(null);
    }

    /// Ends all threads, and runs an action when none of them uses a batch any more: now, or on the last thread.
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

    /// Waits until no thread uses a batch any more, up to a time limit.
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
