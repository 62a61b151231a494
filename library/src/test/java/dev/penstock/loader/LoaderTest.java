// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Dataset;
import dev.penstock.Seeds;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Batches come in the order of the sampler, whatever the threads, and go on where they stopped.
@ExtendWith(Seeds.class)
class LoaderTest {
    private static final int COUNT = 211;

    private static Stream<Named<Sampler>> samplers() {
        double[] weights =
                LongStream.range(0, COUNT).mapToDouble(i -> 1 + i % 5).toArray();
        long[] some = LongStream.range(0, COUNT).filter(i -> i % 2 == 1).toArray();
        return Stream.<Sampler>of(
                        new SequentialSampler(COUNT),
                        new PermutationSampler(COUNT, 3),
                        new WindowSampler(COUNT, 8, 5),
                        new UniformSampler(COUNT, 150, 3),
                        new BlockSampler(COUNT, 10, 3, 3),
                        new WeightedSampler(weights, 120, 3),
                        new SubsetSampler(COUNT, some, new PermutationSampler(some.length, 3)))
                .map(sampler -> Named.of(sampler.name(), sampler));
    }

    private static LoaderOptions options(int batchSize, Sampler sampler) {
        return LoaderOptions.of(batchSize)
                .withRanks(Ranks.ALONE)
                .withSampler(sampler)
                .withThreads(2);
    }

    private static long[] expected(Sampler sampler, long epoch) {
        long[] all = new long[(int) sampler.length()];
        sampler.fill(epoch, 0, MemorySegment.ofArray(all));
        return all;
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

    /// Stops after every step, and goes on with another batch size, other threads and another number of ranks.
    @ParameterizedTest
    @MethodSource("samplers")
    void stoppedAnywhereTheRestIsTheSame(Sampler sampler) throws IOException {
        Dataset numbers = Numbers.of(COUNT);
        Random random = Seeds.random();
        long[] all = expected(sampler, 1);
        for (int stop = 0; stop <= Math.ceilDiv(all.length, 16); stop++) {
            String state;
            try (Loader loader = Loader.open(numbers, options(16, sampler))) {
                loader.setEpoch(1);
                Iterator<LoaderBatch> batches = loader.iterator();
                for (int i = 0; i < stop; i++) {
                    batches.next();
                }
                state = loader.state().toJson();
            }
            assertTrue(state.length() < 1024);
            int delivered = Math.min(all.length, stop * 16);
            long[] rest = Arrays.copyOfRange(all, delivered, all.length);
            int worldSize = 1 + random.nextInt(4);
            int batchSize = 1 + random.nextInt(40);
            assertArrayEquals(rest, resumed(numbers, sampler, state, batchSize, worldSize), "after " + stop);
        }
    }

    /// The rest of an epoch, put together from the batches of all ranks step by step.
    private static long[] resumed(Dataset numbers, Sampler sampler, String state, int batchSize, int worldSize)
            throws IOException {
        List<List<List<Long>>> steps = new ArrayList<>();
        for (int rank = 0; rank < worldSize; rank++) {
            LoaderOptions options = options(batchSize, sampler).withRanks(Ranks.of(rank, worldSize));
            try (Loader loader = Loader.open(numbers, options.withThreads(1 + rank))) {
                loader.resume(LoaderState.parse(state));
                int step = 0;
                for (LoaderBatch batch : loader) {
                    List<Long> records = new ArrayList<>();
                    for (long row = 0; row < batch.rowCount() - batch.paddedCount(); row++) {
                        records.add(batch.index(row));
                    }
                    if (rank == 0) {
                        steps.add(new ArrayList<>());
                    }
                    steps.get(step++).add(records);
                }
            }
        }
        return steps.stream()
                .flatMap(List::stream)
                .flatMap(List::stream)
                .mapToLong(Long::longValue)
                .toArray();
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
        Dataset numbers = Numbers.of(100_000);
        try (Loader loader = Loader.open(numbers, options(10, null).withPrefetchBytes(10 * 16 * 4))) {
            Iterator<LoaderBatch> batches = loader.iterator();
            batches.next();
            Thread.sleep(50);
            assertTrue(loader.stats().queuedCount() <= 4, loader.stats().toString());
            assertTrue(loader.stats().heldBytes() < 64 * 1024, loader.stats().toString());
            assertEquals(1, loader.stats().batches());
        }
    }

    @Test
    void closingFromAnotherThreadEndsAWaitingConsumer() throws InterruptedException {
        Numbers.Slow slow = Numbers.slow(1000);
        Loader loader = Loader.open(slow, options(10, null));
        Thread consumer = Thread.ofPlatform().start(() -> pass(loader));
        Thread.sleep(20);
        long start = System.nanoTime();
        loader.close();
        loader.close();
        assertTrue(System.nanoTime() - start < 1_000_000_000L);
        slow.release();
        consumer.join(1000);
        assertFalse(consumer.isAlive());
        assertThrows(IllegalStateException.class, loader::iterator);
    }
}
