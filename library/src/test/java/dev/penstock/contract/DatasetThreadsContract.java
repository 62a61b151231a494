// SPDX-License-Identifier: Apache-2.0
package dev.penstock.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.OpenResources;
import dev.penstock.Progress;
import dev.penstock.Row;
import dev.penstock.Seeds;
import dev.penstock.TestData;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The contract of every [Dataset] for many threads and for closing.
public interface DatasetThreadsContract extends DatasetOpening {
    int THREADS = 6;
    /// The number of times that a dataset is closed while it is read. The long form of the tests does it more
    /// often.
    int CLOSE_ROUNDS = TestData.isLong() ? 40 : 4;

    @Test
    default void manyThreadsReadTheSameRecords(@TempDir Path folder) throws Exception {
        List<byte[]> records = records(500);
        try (Dataset dataset = openNew(folder, records)) {
            List<Long> rowCounts = inThreads(() -> {
                long rowCount = 0;
                Random random = new Random(Thread.currentThread().threadId());
                try (Batch batch = Batch.create(dataset.fields())) {
                    for (int round = 0; round < 50; round++) {
                        long[] indices = random.longs(40, 0, records.size()).toArray();
                        dataset.gather(indices, batch);
                        requireRows(records, indices, batch);
                        requireRecord(records.get((int) indices[0]), dataset, indices[0]);
                        rowCount += batch.rowCount();
                    }
                }
                return rowCount;
            });
            rowCounts.forEach(rowCount -> assertEquals(2000, rowCount));
        }
    }

    /// Each thread reads until the dataset is closed; until then everything it reads is correct.
    @Test
    default void closingWhileOthersReadGivesRightRecordsOrSaysClosed(@TempDir Path folder) throws Exception {
        List<byte[]> records = records(500);
        for (int round = 0; round < CLOSE_ROUNDS; round++) {
            Path path = folder.resolve("round" + round);
            write(path, records);
            Dataset dataset = open(path);
            CountDownLatch reading = new CountDownLatch(THREADS);
            Thread closer = Thread.ofPlatform().start(() -> closeWhen(reading, dataset));
            List<Long> gathers = inThreads(() -> gatherUntilClosed(records, dataset, reading));
            closer.join();
            gathers.forEach(count -> assertTrue(count > 0, "a thread saw nothing but the closed dataset"));
        }
        assertEquals(List.of(), OpenResources.under(folder));
    }

    private static void closeWhen(CountDownLatch reading, Dataset dataset) {
        try {
            reading.await();
            Thread.sleep(2);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        dataset.close();
    }

    private long gatherUntilClosed(List<byte[]> records, Dataset dataset, CountDownLatch reading) throws IOException {
        Random random = new Random(Thread.currentThread().threadId());
        long gathers = 0;
        try (Batch batch = Batch.create(dataset.fields())) {
            while (true) {
                long[] indices = random.longs(100, 0, records.size()).toArray();
                try {
                    dataset.gather(indices, batch);
                } catch (IllegalStateException e) {
                    assertEquals(0, batch.rowCount());
                    return gathers;
                }
                requireRows(records, indices, batch);
                if (gathers++ == 0) {
                    reading.countDown();
                }
            }
        }
    }

    private static List<Long> inThreads(Callable<Long> work) throws Exception {
        List<Future<Long>> futures = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            for (int i = 0; i < THREADS; i++) {
                futures.add(threads.submit(work));
            }
        }
        List<Long> results = new ArrayList<>();
        for (Future<Long> future : futures) {
            results.add(future.get());
        }
        return results;
    }

    @Test
    default void closingTwiceIsClosingOnceAndAnyUseAfterwardsIsRefused(@TempDir Path folder) throws IOException {
        Dataset dataset = openNew(folder, records(3));
        Row row = dataset.get(1);
        dataset.close();
        dataset.close();
        try (Batch batch = Batch.create(dataset.fields())) {
            assertThrows(IllegalStateException.class, () -> dataset.get(0));
            assertThrows(IllegalStateException.class, () -> dataset.gather(new long[] {0}, batch));
            assertThrows(IllegalStateException.class, () -> dataset.verify(Progress.NONE));
            assertThrows(IllegalStateException.class, dataset::fingerprint);
            assertEquals(0, batch.rowCount());
        }
        requireDeadOrPrivate(row);
    }

    /// A view becomes invalid with the dataset; a private copy may stay valid. Neither may show other bytes.
    private static void requireDeadOrPrivate(Row row) {
        if (row.value(0).scope().isAlive()) {
            assertTrue(row.value(0).heapBase().isEmpty() && !row.value(0).isNative(), "memory that is never freed");
        } else {
            assertThrows(IllegalStateException.class, () -> row.value(0).toArray(ValueLayout.JAVA_BYTE));
        }
    }

    @Test
    default void nothingStaysMappedOrOpen(@TempDir Path folder) throws IOException {
        List<byte[]> records = records(50);
        for (int round = 0; round < 20; round++) {
            Path path = folder.resolve("dataset" + round);
            write(path, records);
            try (Dataset dataset = open(path);
                    Batch batch = Batch.create(dataset.fields())) {
                dataset.gather(Seeds.random().longs(30, 0, 50).toArray(), batch);
                dataset.verify(Progress.NONE);
                assertEquals(30, batch.rowCount());
            }
        }
        assertEquals(List.of(), OpenResources.under(folder));
    }
}
