// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/// Divides work into parts that run on the calling thread and on helper threads, which are daemon threads. The
/// helpers of a virtual thread are virtual threads, which run on the same scheduler as their caller.
///
/// Finite work runs on threads of our own, made as needed. Work that waits for other work must not
/// wait for a free thread of a shared pool.
public final class Parallel {
    /// Threads are created as needed, so that work which waits for other work never waits for a free thread.
    private static final ExecutorService HELPERS = Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("penstock-helper-", 0).factory());

    private Parallel() {}

    /// The work on one part.
    @FunctionalInterface
    public interface PartTask {
        void run(long partIndex) throws IOException;
    }

    /// The default number of threads: the number of processors.
    public static int defaultThreads() {
        return Runtime.getRuntime().availableProcessors();
    }

    /// Runs parts 0 to `partCount - 1` once each on at most `threads` threads, and returns when all are done.
    /// Parts are started in order. After a failure no further part starts, and the first failure is thrown.
    public static void run(long partCount, int threads, PartTask part) throws IOException {
        Run run = new Run(partCount, part);
        int helperCount = (int) Math.min(threads - 1L, partCount - 1);
        if (helperCount <= 0 || Thread.currentThread() instanceof Loner) {
            run.work();
        } else {
            run.workWith(helperCount);
        }
        run.throwFailure();
    }

    /// The work on one part, which adds what it finds to a list.
    @FunctionalInterface
    public interface PartSearch<T> {
        void run(int partIndex, List<T> found) throws IOException;
    }

    /// Runs parts as [#run] does, and returns what they found in the order of the parts.
    public static <T> List<T> collect(int partCount, int threads, PartSearch<T> part) throws IOException {
        List<List<T>> found = new ArrayList<>();
        for (int i = 0; i < partCount; i++) {
            found.add(new ArrayList<>());
        }
        run(partCount, threads, i -> part.run((int) i, found.get((int) i)));
        return found.stream().flatMap(List::stream).toList();
    }

    /// Creates a daemon thread whose calls of [#run] use no helper threads. Use it when several such threads
    /// already keep all cores busy.
    public static Thread loner(String name, Runnable work) {
        return new Loner(name, work);
    }

    private static final class Loner extends Thread {
        Loner(String name, Runnable work) {
            super(work, name);
            setDaemon(true);
        }
    }

    /// Starts work in the background.
    public static <T> Future<T> start(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        execute(task);
        return task;
    }

    private static void execute(Runnable work) {
        if (Thread.currentThread().isVirtual()) {
            Thread.startVirtualThread(work);
        } else {
            HELPERS.execute(work);
        }
    }

    /// Creates a pool with a fixed number of daemon threads.
    public static ExecutorService pool(int threads) {
        return Executors.newFixedThreadPool(
                threads,
                Thread.ofPlatform().daemon().name("penstock-worker-", 0).factory());
    }

    /// Waits for background work and returns its result, or throws its failure.
    public static <T> T await(Future<T> work) throws IOException {
        try {
            return work.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for other threads");
        } catch (ExecutionException e) {
            throwAsItWas(e.getCause());
            throw new AssertionError("a cause is never null", e);
        }
    }

    /// Waits for background work whose result is not needed any more, and closes the result.
    public static <T extends AutoCloseable> void discard(Future<T> work) {
        boolean wasInterrupted = Thread.interrupted();
        while (true) {
            try {
                work.get().close();
                break;
            } catch (InterruptedException e) {
                wasInterrupted = true;
            } catch (Exception e) {
                // The failure that made the result unnecessary is the one to report.
                break;
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    static void throwAsItWas(Throwable failure) throws IOException {
        switch (failure) {
            case null -> {}
            case IOException e -> throw e;
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case Throwable e -> throw new IllegalStateException(e);
        }
    }

    /// Lets one helper that has finished its work wait for more without sleeping. Waking a thread takes up to 100
    /// microseconds, which is as long as reading a small batch.
    private static final class Standby {
        private static final long WAIT_NANOS = 50_000;
        private static final Object WAITING = new Object();

        /// Null if no helper waits, [#WAITING] if one does, or the run that it shall join.
        private static final AtomicReference<Object> STATE = new AtomicReference<>();

        /// Hands a run to the waiting helper, if there is one.
        static boolean accepts(Run run) {
            return STATE.compareAndSet(WAITING, run);
        }

        /// Waits for a run. Returns null if none came in time, or if another helper waits already.
        static Run next() {
            if (!STATE.compareAndSet(null, WAITING)) {
                return null;
            }
            long start = System.nanoTime();
            while (STATE.get() == WAITING && System.nanoTime() - start < WAIT_NANOS) {
                Thread.onSpinWait();
            }
            return STATE.compareAndSet(WAITING, null) ? null : (Run) STATE.getAndSet(null);
        }
    }

    private static final class Run {
        /// Some 20 microseconds.
        private static final int SPIN_COUNT = 500;

        private final long partCount;
        private final PartTask part;
        private final AtomicLong next = new AtomicLong();
        private final AtomicReference<Throwable> failure = new AtomicReference<>();

        /// Helpers that may be inside a part. One that begins when this was 0 after the caller's own work finds no
        /// part that it may start.
        private final AtomicInteger helpersAtWork = new AtomicInteger();

        private volatile Thread waiting;

        Run(long partCount, PartTask part) {
            this.partCount = partCount;
            this.part = part;
        }

        /// Waits only for helpers that have begun. A helper that the system wakes later finds no part left and
        /// touches no memory of the caller. Waking a thread may take longer than a part.
        void workWith(int helperCount) {
            for (int i = 0; i < helperCount; i++) {
                startHelper();
            }
            work();
            awaitHelpers();
        }

        /// If the system cannot create another thread, the existing ones do the work.
        private void startHelper() {
            if (Thread.currentThread().isVirtual()) {
                Thread.startVirtualThread(this::help);
                return;
            }
            if (Standby.accepts(this)) {
                return;
            }
            try {
                HELPERS.execute(() -> {
                    for (Run run = this; run != null; run = Standby.next()) {
                        run.help();
                    }
                });
            } catch (OutOfMemoryError e) {
                return;
            }
        }

        private void help() {
            helpersAtWork.getAndIncrement();
            try {
                work();
            } finally {
                if (helpersAtWork.decrementAndGet() == 0) {
                    LockSupport.unpark(waiting);
                }
            }
        }

        void work() {
            try {
                while (failure.get() == null) {
                    long partIndex = next.getAndIncrement();
                    if (partIndex >= partCount) {
                        return;
                    }
                    part.run(partIndex);
                }
            } catch (Throwable e) {
                failure.compareAndSet(null, e);
            }
        }

        /// The parts write to the caller's memory, so the caller must not continue before they are done. Parts are
        /// usually short, so the caller spins for a moment before it sleeps.
        private void awaitHelpers() {
            for (int i = 0; i < SPIN_COUNT && helpersAtWork.get() > 0; i++) {
                Thread.onSpinWait();
            }
            boolean wasInterrupted = false;
            waiting = Thread.currentThread();
            while (helpersAtWork.get() > 0) {
                LockSupport.park(this);
                wasInterrupted |= Thread.interrupted();
            }
            waiting = null;
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }

        void throwFailure() throws IOException {
            throwAsItWas(failure.get());
        }
    }
}
