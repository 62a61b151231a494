// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/// Work on the parts of a whole by the calling thread and some helpers, which are daemon threads.
public final class Parallel {
    /// Threads are made as they are needed, so that work which waits for other work never waits for a free
    /// thread.
    private static final ExecutorService HELPERS = Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("penstock-helper-", 0).factory());

    private Parallel() {}

    /// Work on one part.
    @FunctionalInterface
    public interface Part {
        void run(long partIndex) throws IOException;
    }

    /// Threads that make sense when nobody says otherwise.
    public static int defaultThreads() {
        return Runtime.getRuntime().availableProcessors();
    }

    /// Runs parts 0 to `partCount - 1`, each once, on at most so many threads, and returns when all are done.
    /// Parts are started in order. After a failure no further part starts, and the first failure is thrown.
    public static void run(long partCount, int threads, Part part) throws IOException {
        Run run = new Run(partCount, part);
        int helperCount = (int) Math.min(threads - 1L, partCount - 1);
        if (helperCount <= 0 || Thread.currentThread() instanceof Loner) {
            run.work();
        } else {
            run.workWith(helperCount);
        }
        run.throwFailure();
    }

    /// A daemon thread that gets no help with what it runs: for one of several that keep all cores busy.
    public static Thread loner(String name, Runnable work) {
        return new Loner(name, work);
    }

    private static final class Loner extends Thread {
        Loner(String name, Runnable work) {
            super(work, name);
            setDaemon(true);
        }
    }

    /// Starts a piece of work that somebody will ask for later.
    public static <T> Future<T> start(Callable<T> work) {
        return HELPERS.submit(work);
    }

    /// Exactly so many daemon threads, until it is closed.
    public static ExecutorService pool(int threads) {
        return Executors.newFixedThreadPool(
                threads,
                Thread.ofPlatform().daemon().name("penstock-worker-", 0).factory());
    }

    /// What a piece of work came to; its failure is thrown as it was.
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

    /// Waits for a piece of work whose result nobody wants any more, to give back what it holds.
    public static <T extends AutoCloseable> void discard(Future<T> work) {
        boolean wasInterrupted = Thread.interrupted();
        while (true) {
            try {
                work.get().close();
                break;
            } catch (InterruptedException e) {
                wasInterrupted = true;
            } catch (Exception e) {
                // The failure that made the work unwanted is the one to report.
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

    private static final class Run {
        private final long partCount;
        private final Part part;
        private final AtomicLong next = new AtomicLong();
        private final AtomicReference<Throwable> failure = new AtomicReference<>();

        Run(long partCount, Part part) {
            this.partCount = partCount;
            this.part = part;
        }

        void workWith(int helperCount) {
            CountDownLatch helpersLeft = new CountDownLatch(helperCount);
            for (int i = 0; i < helperCount; i++) {
                if (!startHelper(helpersLeft)) {
                    helpersLeft.countDown();
                }
            }
            work();
            awaitUninterruptibly(helpersLeft);
        }

        /// Where the system has no thread to spare, those that are there do the work.
        private boolean startHelper(CountDownLatch helpersLeft) {
            try {
                HELPERS.execute(() -> {
                    try {
                        work();
                    } finally {
                        helpersLeft.countDown();
                    }
                });
                return true;
            } catch (OutOfMemoryError e) {
                return false;
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

        /// The parts write into memory of the caller, who must not have it back before they are done.
        private static void awaitUninterruptibly(CountDownLatch latch) {
            boolean wasInterrupted = false;
            while (true) {
                try {
                    latch.await();
                    break;
                } catch (InterruptedException e) {
                    wasInterrupted = true;
                }
            }
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }

        void throwFailure() throws IOException {
            throwAsItWas(failure.get());
        }
    }
}
