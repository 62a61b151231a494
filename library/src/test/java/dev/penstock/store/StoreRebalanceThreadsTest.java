// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Progress;
import dev.penstock.file.FileInUseException;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Rebalances that several threads begin, and one that runs while its writer is closed.
class StoreRebalanceThreadsTest {
    private static final int RECORDS = 100;
    private static final RebalanceOptions ALL = RebalanceOptions.DEFAULT.withMinGarbage(0);

    @TempDir
    Path folder;

    private Path store;
    private final ExecutorService threads = Executors.newCachedThreadPool();

    /// Half of the values are garbage.
    @BeforeEach
    void create() throws IOException {
        store = folder.resolve("store");
        try (StoreWriter writer = StoreWriter.create(store, List.of(StoreField.bytes("A")), StoreOptions.DEFAULT)) {
            for (int i = 0; i < RECORDS; i++) {
                writer.append(List.of(new byte[1000]));
            }
            for (int i = 0; i < RECORDS; i++) {
                writer.update(i, "A", value(i));
            }
        }
    }

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    private static byte[] value(int index) {
        byte[] value = new byte[1000];
        value[0] = (byte) index;
        return value;
    }

    private void assertRebalanced(RebalanceReport report) throws IOException {
        assertTrue(report.deletedBytes() + report.waitingBytes() >= RECORDS * 1000, report.toString());
        assertTrue(report.before().byteUtilisation() < 0.6, report.toString());
        assertTrue(report.after().byteUtilisation() > 0.9, report.toString());
        try (StoreReader reader = StoreReader.open(store)) {
            for (int i = 0; i < RECORDS; i++) {
                assertArrayEquals(value(i), reader.get(i).value(0).toArray(ValueLayout.JAVA_BYTE));
            }
        }
    }

    @Test
    void theRebalancesOfTwoThreadsFollowEachOther() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        AtomicReference<Thread> second = new AtomicReference<>();
        try (StoreWriter writer = StoreWriter.open(store, StoreOptions.DEFAULT)) {
            Future<RebalanceReport> one = threads.submit(() -> writer.rebalance(ALL, (done, total) -> {
                begun.countDown();
                await(gate);
                assertThrows(IllegalStateException.class, () -> writer.rebalance(ALL, Progress.NONE));
            }));
            begun.await();
            Future<RebalanceReport> two = threads.submit(() -> {
                second.set(Thread.currentThread());
                return writer.rebalance(ALL, Progress.NONE);
            });
            while (second.get() == null || second.get().getState() == Thread.State.RUNNABLE) {
                Thread.onSpinWait();
            }
            assertFalse(two.isDone());
            gate.countDown();
            assertRebalanced(one.get());
            assertEquals(1, two.get().chunkCount());
        }
    }

    private static void await(CountDownLatch gate) {
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Otherwise two processes could create the same chunk.
    @Test
    void aWriterStaysTheOnlyOneUntilItsRebalanceHasStopped() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        StoreWriter writer = StoreWriter.open(store, StoreOptions.DEFAULT);
        Future<RebalanceReport> rebalance = threads.submit(() -> writer.rebalance(ALL, (done, total) -> {
            begun.countDown();
            await(gate);
        }));
        begun.await();
        Future<?> closed = threads.submit(() -> {
            writer.close();
            return null;
        });
        while (writer.core().isOpen()) {
            Thread.onSpinWait();
        }
        assertThrows(TimeoutException.class, () -> closed.get(200, TimeUnit.MILLISECONDS));
        assertThrows(FileInUseException.class, () -> StoreWriter.open(store, StoreOptions.DEFAULT));
        gate.countDown();
        closed.get();
        assertInstanceOf(
                IllegalStateException.class,
                assertThrows(ExecutionException.class, rebalance::get).getCause());
        try (StoreWriter next = StoreWriter.open(store, StoreOptions.DEFAULT)) {
            assertRebalanced(next.rebalance(ALL, Progress.NONE));
        }
    }
}
