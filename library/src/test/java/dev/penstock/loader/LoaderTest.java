// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Dataset;
import dev.penstock.Waiting;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Batches come in the order of the sampler, whatever the threads, and go on where they stopped.
class LoaderTest {
    private static final int COUNT = 211;

    private static Stream<Named<Sampler>> samplers() {
        return Samplers.of(COUNT, 3);
    }

    private static LoaderOptions options(int batchSize, Sampler sampler) {
        return LoaderOptions.of(batchSize)
                .withRanks(Ranks.ALONE)
                .withSampler(sampler)
                .withThreads(2);
    }

    /// The records of an epoch, without those that come again to fill up.
    private static long[] expected(Sampler sampler, long epoch) {
        return LongStream.range(0, sampler.length())
                .filter(position -> !sampler.isRepeat(position))
                .map(position -> sampler.index(epoch, position))
                .toArray();
    }

    /// The records of one pass, read out of the batches and held against the indices beside them.
    private static List<Long> pass(Loader loader) {
        List<Long> records = new ArrayList<>();
        for (LoaderBatch batch : loader) {
            for (long row = 0; row < batch.rowCount(); row++) {
                assertEquals(batch.index(row), Numbers.at(batch, row));
                if (!batch.isPadded(row)) {
                    records.add(batch.index(row));
                }
            }
        }
        return records;
    }

    private static long[] array(List<Long> records) {
        return records.stream().mapToLong(Long::longValue).toArray();
    }

    @ParameterizedTest
    @MethodSource("samplers")
    void everyPassIsTheNextEpoch(Sampler sampler) {
        Dataset numbers = Numbers.of(COUNT);
        for (int threads : new int[] {1, 2, 8}) {
            try (Loader loader = Loader.open(numbers, options(16, sampler).withThreads(threads))) {
                for (long epoch = 0; epoch < 3; epoch++) {
                    assertEquals(epoch, loader.epoch());
                    assertArrayEquals(expected(sampler, epoch), array(pass(loader)));
                }
                loader.setEpoch(1);
                assertArrayEquals(expected(sampler, 1), array(pass(loader)));
            }
        }
    }

    @Test
    void theLastStepIsSharedEquallyOrLeftOut() {
        Dataset numbers = Numbers.of(10);
        for (int rank = 0; rank < 3; rank++) {
            LoaderOptions options =
                    LoaderOptions.of(2).withRanks(Ranks.of(rank, 3)).withThreads(1);
            try (Loader loader = Loader.open(numbers, options)) {
                List<Long> sizes = new ArrayList<>();
                long padded = 0;
                for (LoaderBatch batch : loader) {
                    sizes.add(batch.rowCount());
                    padded += batch.paddedCount();
                }
                assertEquals(List.of(2L, 2L), sizes);
                assertEquals(rank == 2 ? 2 : 0, padded);
            }
            try (Loader loader = Loader.open(numbers, options.withDroppingLast(true))) {
                assertEquals(1, loader.stepCount());
            }
        }
    }

    @Test
    void anotherDatasetOrOrderIsRefusedShowingBoth() throws IOException {
        try (Loader loader = Loader.open(Numbers.of(100), options(10, new PermutationSampler(100, 1)));
                Loader other = Loader.open(Numbers.of(101), options(10, new PermutationSampler(101, 1)));
                Loader otherSeed = Loader.open(Numbers.of(100), options(10, new PermutationSampler(100, 2)))) {
            LoaderState state = loader.state();
            String dataset = assertThrows(IllegalArgumentException.class, () -> other.resume(state))
                    .getMessage();
            assertTrue(dataset.contains("100 records") && dataset.contains("101"), dataset);
            String order = assertThrows(IllegalArgumentException.class, () -> otherSeed.resume(state))
                    .getMessage();
            assertTrue(order.contains("seed=1") && order.contains("seed=2"), order);
            assertThrows(IllegalArgumentException.class, () -> LoaderState.parse("{}"));
            assertThrows(IllegalArgumentException.class, () -> LoaderState.parse("[1]"));
            assertEquals(state, LoaderState.parse(state.toJson()));
        }
    }

    @Test
    void aBadRecordIsNamedAtItsBatchOrSkipped() {
        Dataset numbers = Numbers.withBadRecord(100, 37);
        try (Loader loader = Loader.open(numbers, options(10, null))) {
            Iterator<LoaderBatch> batches = loader.iterator();
            for (int step = 0; step < 3; step++) {
                assertEquals(10, batches.next().rowCount());
            }
            LoaderException failure = assertThrows(LoaderException.class, batches::next);
            assertEquals(37, failure.recordIndex());
            assertEquals(3, failure.step());
        }
        try (Loader loader = Loader.open(numbers, options(10, null).withOnError(LoaderOptions.OnError.SKIP))) {
            List<Long> records = pass(loader);
            assertEquals(99, records.size());
            assertFalse(records.contains(37L));
            assertEquals(1, loader.stats().skippedRows());
        }
    }

    @Test
    void aSlowConsumerHoldsTheThreadsBack() throws InterruptedException {
        Set<Thread> earlier = LoaderCloseTest.loaderThreads();
        Dataset numbers = Numbers.of(100_000);
        try (Loader loader = Loader.open(numbers, options(10, null).withPrefetchBytes(10 * 16 * 4))) {
            Iterator<LoaderBatch> batches = loader.iterator();
            batches.next();
            Waiting.until("the queue does not fill", () -> loader.stats().queuedCount() == 3);
            Waiting.until(
                    "a thread goes on beyond the queue",
                    () -> newThreads(earlier).allMatch(Waiting::isWaiting));
            assertEquals(3, loader.stats().queuedCount(), loader.stats().toString());
            assertTrue(loader.stats().heldBytes() < 64 * 1024, loader.stats().toString());
            assertEquals(1, loader.stats().batches());
        }
    }

    private static Stream<Thread> newThreads(Set<Thread> earlier) {
        return LoaderCloseTest.loaderThreads().stream().filter(thread -> !earlier.contains(thread));
    }

    @Test
    void closingFromAnotherThreadEndsAWaitingConsumer() throws InterruptedException {
        Numbers.Slow slow = Numbers.slow(1000);
        Loader loader = Loader.open(slow, options(10, null));
        Thread consumer = Thread.ofPlatform().start(() -> pass(loader));
        Waiting.until("no gather begins", () -> slow.isGathering());
        Waiting.until("the consumer does not wait", () -> Waiting.isWaiting(consumer));
        // The gather ends only after its release, so a close that waited for it would never end.
        loader.close();
        loader.close();
        slow.release();
        consumer.join();
        assertThrows(IllegalStateException.class, loader::iterator);
    }
}
