// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ParallelTest {
    @Test
    void eachPartRunsOnce() throws IOException {
        for (int partCount : new int[] {0, 1, 2, 3, 7, 1000}) {
            for (int threads : new int[] {1, 2, 3, 16}) {
                AtomicIntegerArray runs = new AtomicIntegerArray(partCount);
                Parallel.run(partCount, threads, part -> runs.incrementAndGet(Math.toIntExact(part)));
                for (int i = 0; i < partCount; i++) {
                    assertEquals(1, runs.get(i), "part " + i + " of " + partCount + " on " + threads);
                }
            }
        }
    }

    @Test
    void oneThreadIsTheCallersOwn() throws IOException {
        Thread caller = Thread.currentThread();
        Parallel.run(100, 1, part -> assertSame(caller, Thread.currentThread()));
    }

    @Test
    void noMorePartsRunAtOnceThanThereAreThreads() throws IOException {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Parallel.run(200, 2, part -> {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            Thread.yield();
            running.decrementAndGet();
        });
        assertTrue(most.get() <= 2, most + " parts at once");
    }

    @Test
    void theFirstFailureReachesTheCallerAsItIs() {
        IOException io = new IOException("disk");
        IllegalStateException state = new IllegalStateException("closed");
        InternalError error = new InternalError("fault");
        for (int threads : new int[] {1, 2, 4}) {
            assertSame(
                    io,
                    assertThrows(
                            IOException.class,
                            () -> Parallel.run(50, threads, part -> {
                                throw io;
                            })));
            assertSame(
                    state,
                    assertThrows(
                            IllegalStateException.class,
                            () -> Parallel.run(50, threads, part -> {
                                throw state;
                            })));
            assertSame(
                    error,
                    assertThrows(
                            InternalError.class,
                            () -> Parallel.run(50, threads, part -> {
                                throw error;
                            })));
        }
    }

    @Test
    void noPartStartsAfterAFailure() {
        AtomicLong started = new AtomicLong();
        int threads = 3;
        assertThrows(
                IOException.class,
                () -> Parallel.run(1_000_000, threads, part -> {
                    started.incrementAndGet();
                    throw new IOException("part " + part);
                }));
        assertTrue(started.get() <= threads, started + " parts started");
    }

    @Test
    @Timeout(600)
    void anInterruptedCallerWaitsForItsHelpers() throws Exception {
        CountDownLatch bothRun = new CountDownLatch(2);
        CountDownLatch mayFinish = new CountDownLatch(1);
        AtomicInteger finished = new AtomicInteger();
        AtomicBoolean wasInterrupted = new AtomicBoolean();
        Thread caller = Thread.ofPlatform().unstarted(() -> {
            assertDoesNotFail(() -> Parallel.run(2, 2, part -> {
                bothRun.countDown();
                if (!Thread.currentThread().getName().equals("caller")) {
                    awaitUnchecked(mayFinish);
                } else {
                    awaitUnchecked(bothRun);
                }
                finished.incrementAndGet();
            }));
            wasInterrupted.set(Thread.currentThread().isInterrupted());
        });
        caller.setName("caller");
        caller.start();
        bothRun.await();
        while (finished.get() < 1) {
            Thread.onSpinWait();
        }
        caller.interrupt();
        caller.join(200);
        assertTrue(caller.isAlive(), "the caller returned while a helper was at work");
        mayFinish.countDown();
        caller.join();
        assertEquals(2, finished.get());
        assertTrue(wasInterrupted.get(), "the interrupt was lost");
    }

    /// The two parts of a run wait for each other. The next run comes at once, while the helper of the last one
    /// still waits for work, or after it went to sleep.
    @Test
    void eachOfManyRunsHasItsHelper() throws Exception {
        Parallel.run(2, 2, caller -> {
            for (int i = 0; i < 2_000; i++) {
                CountDownLatch bothRun = new CountDownLatch(2);
                Parallel.run(2, 2, part -> {
                    bothRun.countDown();
                    assertDoesNotFail(() -> assertTrue(bothRun.await(1, TimeUnit.MINUTES), "the helper did not come"));
                });
                LockSupport.parkNanos(i % 10 == 0 ? i * 50L : 0);
            }
        });
    }

    /// Every helper thread there is runs an outer part, so that none is free for the inner ones.
    @Test
    void partsMayRunPartsOfTheirOwn() throws Exception {
        int outerCount = ForkJoinPool.commonPool().getParallelism() + 1;
        CountDownLatch allRun = new CountDownLatch(outerCount);
        AtomicInteger innerRuns = new AtomicInteger();
        Thread caller = Thread.ofPlatform()
                .daemon()
                .start(() -> assertDoesNotFail(() -> Parallel.run(outerCount, outerCount, outer -> {
                    allRun.countDown();
                    awaitUnchecked(allRun);
                    Parallel.run(16, 2, inner -> innerRuns.incrementAndGet());
                })));
        caller.join(TimeUnit.MINUTES.toMillis(5));
        assertFalse(caller.isAlive(), "the inner runs wait for helpers that cannot start");
        assertEquals(16 * outerCount, innerRuns.get());
    }

    @Test
    void startedWorkGivesItsResultOrItsFailure() throws IOException {
        assertEquals("done", Parallel.await(Parallel.start(() -> "done")));
        IOException failure = new IOException("disk");
        assertSame(
                failure,
                assertThrows(
                        IOException.class,
                        () -> Parallel.await(Parallel.start(() -> {
                            throw failure;
                        }))));
    }

    @Test
    void discardedWorkGivesBackWhatItHolds() {
        AtomicInteger closeCount = new AtomicInteger();
        Parallel.discard(Parallel.<AutoCloseable>start(() -> closeCount::incrementAndGet));
        assertEquals(1, closeCount.get());
        Parallel.discard(Parallel.<AutoCloseable>start(() -> {
            throw new IOException("nothing to give back");
        }));
    }

    private interface Action {
        void run() throws Exception;
    }

    private static void assertDoesNotFail(Action action) {
        try {
            action.run();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static void awaitUnchecked(CountDownLatch latch) {
        assertDoesNotFail(latch::await);
    }
}
