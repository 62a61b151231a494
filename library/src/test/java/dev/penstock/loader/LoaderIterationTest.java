// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.Seeds;
import dev.penstock.Waiting;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// Iterating, stopping and moving about in any sequence, with others looking on.
@ExtendWith(Seeds.class)
class LoaderIterationTest {
    private static final int COUNT = 1000;
    private static final Sampler SAMPLER = new PermutationSampler(COUNT, 8);

    private static Loader loader(int threads) {
        return loader(Numbers.of(COUNT), threads);
    }

    private static Loader loader(Dataset numbers, int threads) {
        return Loader.open(
                numbers,
                LoaderOptions.of(10).withRanks(Ranks.ALONE).withSampler(SAMPLER).withThreads(threads));
    }

    @Test
    void onlyWhatNextReturnedIsDelivered() throws IOException {
        try (Loader loader = loader(2)) {
            Iterator<LoaderBatch> batches = loader.iterator();
            assertEquals(0, loader.state().delivered());
            for (int step = 0; step < 100; step++) {
                assertTrue(batches.hasNext());
                assertTrue(batches.hasNext());
                assertEquals(step * 10L, loader.state().delivered(), "asking whether there is one delivers nothing");
                assertEquals(step, loader.stats().batches());
                LoaderBatch batch = batches.next();
                assertEquals(SAMPLER.index(0, step * 10L), Numbers.at(batch, 0));
                assertEquals(step * 10L + 10, loader.state().delivered());
            }
            assertEquals(0, loader.epoch());
            assertFalse(batches.hasNext());
            assertFalse(batches.hasNext());
            assertThrows(NoSuchElementException.class, batches::next);
            assertEquals(1, loader.epoch());
            assertEquals(0, loader.state().delivered());
        }
    }

    /// A batch that was looked for and not taken comes again.
    @Test
    void aNewIteratorIsTheNextEpochAndEndsTheOldOne() {
        try (Loader loader = loader(2)) {
            Iterator<LoaderBatch> unused = loader.iterator();
            assertTrue(unused.hasNext());
            Iterator<LoaderBatch> first = loader.iterator();
            assertThrows(IllegalStateException.class, unused::next);
            assertEquals(SAMPLER.index(0, 0), Numbers.at(first.next(), 0));
            assertTrue(first.hasNext());
            Iterator<LoaderBatch> second = loader.iterator();
            assertThrows(IllegalStateException.class, first::next);
            assertEquals(SAMPLER.index(1, 0), Numbers.at(second.next(), 0));
            assertThrows(IllegalStateException.class, first::hasNext);
            assertEquals(SAMPLER.index(1, 10), Numbers.at(second.next(), 0));
            loader.setEpoch(5);
            assertThrows(IllegalStateException.class, second::hasNext);
            assertEquals(SAMPLER.index(5, 0), Numbers.at(loader.iterator().next(), 0));
        }
    }

    /// A model of the loader is a position; everything that may be done is done in random sequence.
    @Test
    void anySequenceOfStepsIsTheOneOfTheModel() throws IOException {
        Random random = Seeds.random();
        for (int threads : new int[] {1, 2, 8}) {
            try (Loader loader = loader(threads)) {
                long epoch = 0;
                long delivered = 0;
                long batchCount = 0;
                long takenCount = 0;
                Iterator<LoaderBatch> batches = null;
                List<LoaderState> states = new ArrayList<>(List.of(loader.state()));
                for (int i = 0; i < 1500; i++) {
                    switch (random.nextInt(20)) {
                        case 0 -> {
                            epoch = random.nextInt(5);
                            delivered = 0;
                            loader.setEpoch(epoch);
                            batches = null;
                        }
                        case 1 -> {
                            LoaderState state = states.get(random.nextInt(states.size()));
                            loader.resume(state);
                            epoch = state.epoch();
                            delivered = state.delivered();
                            batches = null;
                        }
                        case 2 -> {
                            boolean isLeftEarly = batches != null && takenCount > 0;
                            epoch += isLeftEarly ? 1 : 0;
                            delivered = isLeftEarly ? 0 : delivered;
                            batches = loader.iterator();
                            takenCount = 0;
                        }
                        case 3 -> states.add(LoaderState.parse(loader.state().toJson()));
                        default -> {
                            takenCount = batches == null ? 0 : takenCount;
                            batches = batches == null ? loader.iterator() : batches;
                            if (delivered == COUNT) {
                                assertFalse(batches.hasNext());
                                batches = null;
                                epoch++;
                                delivered = 0;
                            } else {
                                LoaderBatch batch = batches.next();
                                assertEquals(SAMPLER.index(epoch, delivered), Numbers.at(batch, 0));
                                delivered += 10;
                                batchCount++;
                                takenCount++;
                            }
                        }
                    }
                    assertEquals(epoch, loader.state().epoch());
                    assertEquals(delivered, loader.state().delivered());
                    assertEquals(batchCount, loader.stats().batches());
                }
            }
        }
    }

    @Test
    void statesAndFiguresAreRightAtAnyTimeFromOtherThreads() throws Exception {
        try (Loader loader = loader(2)) {
            AtomicBoolean isDone = new AtomicBoolean();
            AtomicReference<Throwable> wrong = new AtomicReference<>();
            Thread watcher = Thread.ofPlatform().start(() -> {
                try {
                    watch(loader, isDone);
                } catch (Throwable e) {
                    wrong.set(e);
                }
            });
            for (int epoch = 0; epoch < 30; epoch++) {
                loader.forEach(batch -> assertEquals(10, batch.rowCount()));
            }
            isDone.set(true);
            watcher.join();
            assertEquals(null, wrong.get());
            LoaderStats stats = loader.stats();
            assertEquals(3000, stats.batches());
            assertEquals(30 * COUNT, stats.rows());
            assertEquals(30 * COUNT * 8, stats.bytes());
        }
    }

    private static void watch(Loader loader, AtomicBoolean isDone) throws IOException {
        LoaderStats before = loader.stats();
        long positionBefore = 0;
        while (!isDone.get()) {
            LoaderState state = loader.state();
            long position = state.epoch() * COUNT + state.delivered();
            assertTrue(position >= positionBefore, "going back from " + positionBefore + " to " + position);
            positionBefore = position;
            LoaderStats stats = loader.stats();
            assertTrue(stats.batches() >= before.batches() && stats.batches() * 10 >= position);
            assertEquals(stats.batches() * 10, stats.rows());
            assertEquals(stats.rows() * 8, stats.bytes());
            assertTrue(stats.waitNanos() >= before.waitNanos() && stats.gatherNanos() >= before.gatherNanos());
            assertTrue(stats.queuedCount() >= 0 && stats.queuedCount() <= 64);
            before = stats;
        }
    }

    /// An interrupt neither ends the iteration nor gets lost.
    @Test
    void anInterruptedConsumerGetsItsBatchesAndKeepsTheInterrupt() throws InterruptedException {
        Numbers.Slow slow = Numbers.slow(COUNT);
        try (Loader loader = loader(slow, 2)) {
            AtomicReference<String> result = new AtomicReference<>();
            Thread consumer = Thread.ofPlatform().start(() -> {
                long first = Numbers.at(loader.iterator().next(), 0);
                result.set(first + " " + Thread.currentThread().isInterrupted());
            });
            Waiting.until("the consumer does not wait", () -> slow.isGathering() && Waiting.isWaiting(consumer));
            consumer.interrupt();
            Waiting.until("the consumer ends", () -> consumer.isInterrupted() || Waiting.isWaiting(consumer));
            slow.release();
            consumer.join(300_000);
            assertEquals(SAMPLER.index(0, 0) + " true", result.get());
        }
    }

    /// A transform may go by the epoch, and be in the middle of asking when the loader is moved.
    @Test
    @Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aTransformMayAskItsOwnLoader() throws IOException, InterruptedException {
        Loader[] self = new Loader[1];
        Semaphore asking = new Semaphore(0);
        Transform curious = new Transform() {
            @Override
            public List<Field> fields(List<Field> fields) {
                return fields;
            }

            @Override
            public void apply(Batch source, Batch target) throws Exception {
                asking.release();
                Thread.sleep(10);
                assertTrue(self[0].epoch() >= 0 && self[0].state().delivered() >= 0);
                assertEquals(1000, self[0].recordCount());
                target.column(0).exchange(source.column(0));
            }
        };
        LoaderOptions options =
                LoaderOptions.of(10).withRanks(Ranks.ALONE).withThreads(2).withTransforms(curious);
        try (Loader loader = Loader.open(Numbers.of(1000), options)) {
            self[0] = loader;
            LoaderState first = loader.state();
            for (int round = 0; round < 10; round++) {
                Iterator<LoaderBatch> batches = loader.iterator();
                asking.acquire();
                switch (round % 3) {
                    case 0 -> loader.setEpoch(round);
                    case 1 -> loader.resume(first);
                    default -> batches.next();
                }
            }
        }
    }

    @Test
    void readingAnyStepDoesNotTouchTheIteration() throws IOException {
        Random random = Seeds.random();
        try (Loader loader = loader(2);
                LoaderBatch any = loader.createBatch()) {
            Iterator<LoaderBatch> batches = loader.iterator();
            for (int i = 0; i < 100; i++) {
                int epoch = random.nextInt(10);
                int step = random.nextInt(100);
                loader.read(epoch, step, any);
                assertEquals(SAMPLER.index(epoch, step * 10L + 9), Numbers.at(any, 9));
                assertEquals(SAMPLER.index(0, i * 10L), Numbers.at(batches.next(), 0));
            }
            assertEquals(100, loader.stats().batches());
            assertThrows(IndexOutOfBoundsException.class, () -> loader.read(0, 100, any));
            assertThrows(IndexOutOfBoundsException.class, () -> loader.read(0, -1, any));
            assertThrows(IndexOutOfBoundsException.class, () -> loader.read(-1, 0, any));
        }
    }
}
