// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.catalog.Catalog;
import dev.penstock.loader.Loader;
import dev.penstock.loader.LoaderBatch;
import dev.penstock.loader.LoaderOptions;
import dev.penstock.loader.Transform;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Handing batches over, to several consumers and while the loader is closed.
final class LoaderSourceTest {
    @TempDir
    Path folder;

    private Dataset dataset;

    @BeforeEach
    void open() throws IOException {
        dataset = Catalog.open(BridgeTest.table(folder.resolve("t.npy")));
    }

    @AfterEach
    void close() {
        dataset.close();
    }

    private LoaderSource source(long batchSize) {
        return new LoaderSource(Loader.open(dataset, LoaderOptions.of(batchSize)), OptionalLong.empty());
    }

    private static long first(HeldBatch batch) {
        return batch.batch().column(0).values().get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
    }

    @Test
    void theEndOfAnEpochIsNullUntilTheNextOneBegins() {
        try (LoaderSource source = source(600)) {
            assertEquals(0, first(source.next()));
            assertEquals(1800, first(source.next()));
            assertNull(source.next());
            assertNull(source.next());
            source.begin();
            assertEquals(0, first(source.next()));
        }
    }

    @Test
    void anIterationThatIsForgottenDisturbsNoOther() {
        try (LoaderSource source = source(100)) {
            source.next();
            source.end();
            source.loader().setEpoch(7);
            assertEquals(0, first(source.next()));
            assertEquals(7, source.loader().epoch());
        }
    }

    @Test
    void batchesOutliveTheLoader() {
        LoaderSource source = source(100);
        HeldBatch batch = source.next();
        source.close();
        source.close();
        dataset.close();
        assertEquals(0, first(batch));
        batch.close();
    }

    @Test
    void afterClosingThereAreNoBatches() throws IOException {
        LoaderSource source = source(100);
        try (LoaderBatch batch = source.loader().createBatch()) {
            source.loader().read(0, 0, batch);
            source.close();
            assertThrows(IllegalStateException.class, source::next);
        }
    }

    @Test
    void consumersTakeTurnsAndNoneGetsWhatAnotherGot() throws InterruptedException {
        Set<Long> seen = ConcurrentHashMap.newKeySet();
        AtomicReference<Throwable> wrong = new AtomicReference<>();
        try (LoaderSource source = source(10)) {
            source.begin();
            Thread[] threads = new Thread[4];
            for (int i = 0; i < threads.length; i++) {
                threads[i] = Thread.ofPlatform().start(() -> {
                    try {
                        // An end is seen by one; to the others an epoch seems to begin, so each takes a fixed number.
                        for (int n = 0; n < 25; n++) {
                            HeldBatch batch = source.next();
                            assertNotNull(batch);
                            assertTrue(seen.add(first(batch)), "a batch came twice");
                            batch.close();
                        }
                    } catch (Throwable e) {
                        wrong.set(e);
                    }
                });
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertNull(wrong.get());
            assertEquals(100, seen.size());
            assertNull(source.next());
        }
    }

    @Test
    void closingUnderConsumersIsAnErrorAtWorst() throws InterruptedException {
        Set<String> words = new HashSet<>();
        for (int round = 0; round < 50; round++) {
            LoaderSource source = source(3);
            AtomicReference<Throwable> end = new AtomicReference<>();
            Thread consumer = Thread.ofPlatform().start(() -> {
                try {
                    while (true) {
                        HeldBatch batch = source.next();
                        if (batch == null) {
                            source.begin();
                        } else {
                            assertEquals(0, first(batch) % 9);
                            batch.close();
                        }
                    }
                } catch (Throwable e) {
                    end.set(e);
                }
            });
            Thread.onSpinWait();
            source.close();
            consumer.join(300_000);
            assertFalse(consumer.isAlive(), "the consumer hangs");
            words.add(end.get().getClass().getSimpleName());
        }
        assertEquals(Set.of("ClosedException"), words);
    }

    /// Writes to memory of the loader once it is let go on.
    private static final class Hanging implements Transform {
        private final CountDownLatch isReached = new CountDownLatch(1);
        private final CountDownLatch isFreed = new CountDownLatch(1);
        private final CompletableFuture<Long> written = new CompletableFuture<>();

        @Override
        public List<Field> fields(List<Field> fields) {
            return fields;
        }

        @Override
        public void apply(Batch source, Batch target) throws Exception {
            MemorySegment memory = target.column(0).reserveValues(1 << 16);
            isReached.countDown();
            isFreed.await();
            try {
                memory.fill((byte) 1);
                written.complete(memory.get(ValueLayout.JAVA_LONG_UNALIGNED, 8));
            } catch (RuntimeException e) {
                written.completeExceptionally(e);
            }
        }
    }

    @Test
    void closingLeavesTheMemoryThatAHangingThreadStillWrites() throws Exception {
        Hanging hanging = new Hanging();
        LoaderOptions options = LoaderOptions.of(10).withThreads(1).withTransforms(hanging);
        LoaderSource source = new LoaderSource(Loader.open(dataset, options), OptionalLong.empty());
        source.begin();
        assertFalse(source.awaitNext(1));
        hanging.isReached.await();
        long before = System.nanoTime();
        source.close();
        assertTrue(System.nanoTime() - before < 300_000_000_000L, "closing waits for the thread");
        assertTrue(source.loader().stats().heldBytes() > 0, "the memory is freed under the thread");
        hanging.isFreed.countDown();
        assertEquals(0x0101010101010101L, hanging.written.get());
        while (source.loader().stats().heldBytes() > 0) {
            Thread.onSpinWait();
        }
    }
}
