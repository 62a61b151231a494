// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Seeds;
import dev.penstock.Waiting;
import dev.penstock.pack.PackReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Prefetched batches stay within their limit of bytes, or two batches, for records of any size.
@ExtendWith(Seeds.class)
class LoaderPrefetchTest {
    private static final int HUGE = 1 << 20;
    private static final long BOUND = 4 << 20;

    /// The most that is held while some epochs are iterated.
    private static long mostHeld(Loader loader, int epochs, int pauseEvery) throws InterruptedException {
        AtomicLong most = new AtomicLong();
        AtomicBoolean isDone = new AtomicBoolean();
        Thread watcher = Thread.ofPlatform().daemon().start(() -> {
            while (!isDone.get()) {
                most.accumulateAndGet(loader.stats().heldBytes(), Math::max);
                Thread.onSpinWait();
            }
        });
        for (int epoch = 0; epoch < epochs; epoch++) {
            for (LoaderBatch batch : loader) {
                if (batch.step() % pauseEvery == 0) {
                    Thread.sleep(1);
                }
                most.accumulateAndGet(loader.stats().heldBytes(), Math::max);
            }
        }
        isDone.set(true);
        watcher.join();
        return most.get();
    }

    /// Only while the first huge records are met may several threads have one at once.
    @Test
    void aFewHugeRecordsDoNotStretchTheBound(@TempDir Path folder) throws IOException, InterruptedException {
        Random random = Seeds.random();
        boolean[] isHuge = new boolean[4000];
        for (int i = 0; i < isHuge.length; i += 16 + random.nextInt(200)) {
            isHuge[i] = true;
        }
        Path path = RealData.pack(folder.resolve("pack.a2pack"), isHuge.length, i -> isHuge[i] ? HUGE : 100);
        try (PackReader pack = PackReader.open(path)) {
            for (int threads : new int[] {1, 2, 8}) {
                LoaderOptions options = LoaderOptions.of(8)
                        .withRanks(Ranks.ALONE)
                        .withThreads(threads)
                        .withPrefetchBytes(BOUND);
                try (Loader loader = Loader.open(pack, options)) {
                    long first = mostHeld(loader, 1, 50);
                    long later = mostHeld(loader, 3, 50);
                    System.out.println("most held with " + threads + " threads: " + first + ", later " + later);
                    assertTrue(first <= BOUND + threads * (HUGE + 10_000L), threads + " threads held " + first);
                    // A batch that changes places while the sum is made may be counted twice.
                    assertTrue(later <= BOUND + HUGE + 10_000, threads + " threads held " + later + " bytes");
                }
            }
        }
    }

    /// Batches that fill the bound give their memory up when larger ones come.
    @Test
    void manyBatchesMakeRoomForLargeOnes(@TempDir Path folder) throws IOException, InterruptedException {
        int count = 800;
        Path path = RealData.pack(folder.resolve("pack.a2pack"), count, i -> i > 700 && i % 8 == 0 ? HUGE : 30_000);
        LoaderOptions options =
                LoaderOptions.of(8).withRanks(Ranks.ALONE).withThreads(2).withPrefetchBytes(BOUND);
        try (PackReader pack = PackReader.open(path);
                Loader loader = Loader.open(pack, options)) {
            long before = 0;
            long after = 0;
            for (LoaderBatch batch : loader) {
                if (batch.step() == 50) {
                    Waiting.until("the bound is filled", () -> loader.stats().heldBytes() > BOUND / 2);
                    before = loader.stats().heldBytes();
                }
                after = loader.stats().heldBytes();
            }
            assertTrue(before <= BOUND && after <= BOUND, before + " bytes held, and then " + after);
        }
    }

    /// Records beyond the bound: two batches, whatever they take.
    @Test
    void recordsBeyondTheBoundComeTwoAtATime(@TempDir Path folder) throws IOException, InterruptedException {
        Path path = RealData.pack(folder.resolve("pack.a2pack"), 60, i -> i % 2 == 0 ? HUGE : 10);
        try (PackReader pack = PackReader.open(path)) {
            LoaderOptions options =
                    LoaderOptions.of(2).withRanks(Ranks.ALONE).withThreads(8).withPrefetchBytes(1000);
            try (Loader loader = Loader.open(pack, options)) {
                long held = mostHeld(loader, 3, 7);
                assertTrue(held <= 2 * (HUGE + 1000), held + " bytes held");
                assertEquals(90, loader.stats().batches());
            }
        }
    }

    /// The batches that are ready: not the batch of the consumer, and none of a closed loader.
    @Test
    void theQueueCountsWaitingBatches() throws InterruptedException {
        Set<Thread> earlier = LoaderCloseTest.loaderThreads();
        LoaderOptions options =
                LoaderOptions.of(100).withRanks(Ranks.ALONE).withThreads(2).withPrefetchBytes(4 * 1600);
        Loader loader = Loader.open(Numbers.of(50_000), options);
        assertEquals(0, loader.stats().queuedCount());
        Iterator<LoaderBatch> batches = loader.iterator();
        Waiting.until("four are ready", () -> loader.stats().queuedCount() == 4);
        batches.next();
        Waiting.until("three wait beside the one", () -> loader.stats().queuedCount() == 3);
        Waiting.until(
                "a thread goes on",
                () -> LoaderCloseTest.loaderThreads().stream()
                        .filter(thread -> !earlier.contains(thread))
                        .allMatch(Waiting::isWaiting));
        assertEquals(3, loader.stats().queuedCount());
        loader.close();
        assertEquals(0, loader.stats().queuedCount());
    }

    @Test
    void equalRecordsStayWithinTheBoundExactly() throws InterruptedException {
        for (long bound : new long[] {0, 1000, 10_000, 1 << 20}) {
            LoaderOptions options =
                    LoaderOptions.of(100).withRanks(Ranks.ALONE).withThreads(8).withPrefetchBytes(bound);
            try (Loader loader = Loader.open(Numbers.of(50_000), options)) {
                long held = mostHeld(loader, 2, 100);
                long two = 2 * (100 * 16);
                assertTrue(held <= Math.max(two, bound), held + " bytes held, " + bound + " allowed");
                assertEquals(1000, loader.stats().batches());
            }
        }
    }
}
