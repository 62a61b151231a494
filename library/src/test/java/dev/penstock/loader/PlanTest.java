// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// A plan says what a loader then does.
class PlanTest {
    private static final int COUNT = 211;
    private static final long EPOCH = 3;

    private static Stream<Named<Sampler>> samplers() {
        double[] weights =
                LongStream.range(0, COUNT).mapToDouble(i -> 1 + i % 5).toArray();
        long[] some = LongStream.range(0, COUNT).filter(i -> i % 2 == 1).toArray();
        int[] lengths = IntStream.range(0, COUNT).map(i -> i * 7 % 50).toArray();
        return Stream.<Sampler>of(
                        new SequentialSampler(COUNT),
                        new PermutationSampler(COUNT, 3),
                        new PermutationSampler(5, 3),
                        new PermutationSampler(1, 3),
                        new PermutationSampler(0, 3),
                        new WindowSampler(COUNT, 8, 5),
                        new UniformSampler(COUNT, 150, 3),
                        new BlockSampler(COUNT, 10, 3, 3),
                        new ShareSampler(COUNT, 10, 3, 12, 3),
                        new BucketSampler(lengths, 12, 60, 3),
                        new WeightedSampler(weights, 120, 3),
                        new SubsetSampler(COUNT, some, new PermutationSampler(some.length, 3)))
                .map(sampler -> Named.of(sampler.name() + " " + sampler.recordCount(), sampler));
    }

    @ParameterizedTest
    @MethodSource("samplers")
    void theLoaderDeliversTheStepsOfThePlan(Sampler sampler) {
        for (int worldSize : new int[] {1, 2, 3, 12}) {
            for (long batchSize : new long[] {1, 7, 32, 300}) {
                for (boolean isDroppingLast : new boolean[] {false, true}) {
                    Plan plan = Plan.of(sampler, batchSize, worldSize, isDroppingLast);
                    for (int rank = 0; rank < worldSize; rank += batchSize == 1 ? 5 : 1) {
                        LoaderOptions options = LoaderOptions.of(batchSize)
                                .withRanks(Ranks.of(rank, worldSize))
                                .withSampler(sampler)
                                .withDroppingLast(isDroppingLast)
                                .withThreads(2);
                        compare(plan, rank, options);
                    }
                }
            }
        }
    }

    private static void compare(Plan plan, int rank, LoaderOptions options) {
        long step = 0;
        try (Loader loader = Loader.open(Numbers.of(options.sampler().recordCount()), options)) {
            assertEquals(loader.stepCount(), plan.stepCount());
            loader.setEpoch(EPOCH);
            for (LoaderBatch batch : loader) {
                long[] delivered = LongStream.range(0, batch.rowCount())
                        .map(row -> Numbers.at(batch, row))
                        .toArray();
                assertArrayEquals(delivered, plan.indices(EPOCH, step, rank));
                assertEquals(delivered.length, plan.rowCount(step));
                BitSet padded = plan.padded(step, rank);
                for (int row = 0; row < delivered.length; row++) {
                    assertEquals(batch.isPadded(row), padded.get(row));
                }
                step++;
            }
        }
        assertEquals(step, plan.stepCount());
    }

    @ParameterizedTest
    @MethodSource("samplers")
    void aRecordIsWhereThePlanFindsIt(Sampler sampler) {
        for (int worldSize : new int[] {1, 3, 12}) {
            for (boolean isDroppingLast : new boolean[] {false, true}) {
                Plan plan = Plan.of(sampler, 7, worldSize, isDroppingLast);
                long deliveredCount = 0;
                for (long record = 0; record < sampler.recordCount(); record++) {
                    Optional<Plan.Place> found = plan.find(EPOCH, record);
                    if (found.isEmpty() || !found.get().isDelivered()) {
                        continue;
                    }
                    deliveredCount++;
                    Plan.Place place = found.get();
                    assertEquals(record, sampler.index(EPOCH, place.position()));
                    long sought = record;
                    assertTrue(LongStream.of(plan.indices(EPOCH, place.step(), place.rank()))
                            .anyMatch(index -> index == sought));
                }
                assertTrue(!sampler.isPermutation() || deliveredCount == plan.sampleCount());
            }
        }
    }

    @Test
    void anOrderWithReplacementHasNoPlaces() {
        assertTrue(
                Plan.of(new UniformSampler(10, 10, 1), 2, 1, false).find(0, 3).isEmpty());
        long[] odd = {1, 3};
        Plan subset = Plan.of(new SubsetSampler(5, odd, new SequentialSampler(2)), 2, 1, false);
        assertTrue(subset.find(0, 2).isEmpty());
        assertEquals(1, subset.find(0, 3).orElseThrow().position());
    }

    @Test
    void whatIsLeftOutHasAPositionAndNoStep() {
        Plan plan = Plan.of(new SequentialSampler(10), 4, 1, true);
        assertEquals(2, plan.stepCount());
        assertEquals(8, plan.sampleCount());
        Plan.Place place = plan.find(0, 9).orElseThrow();
        assertEquals(9, place.position());
        assertFalse(place.isDelivered());
    }

    @Test
    void paddingIsCountedOverAllRanks() {
        Plan plan = Plan.of(new SequentialSampler(10), 2, 4, false);
        assertEquals(2, plan.stepCount());
        assertEquals(0, plan.paddedCount(0));
        assertEquals(2, plan.paddedCount(1));
        assertArrayEquals(new long[] {1}, plan.indices(0, 1, 3));
    }

    @Test
    void whatThereIsNotIsRefused() {
        Plan plan = Plan.of(new SequentialSampler(10), 4, 2, false);
        assertThrows(IndexOutOfBoundsException.class, () -> plan.indices(0, 2, 0));
        assertThrows(IndexOutOfBoundsException.class, () -> plan.indices(0, -1, 0));
        assertThrows(IndexOutOfBoundsException.class, () -> plan.indices(0, 0, 2));
        assertThrows(IndexOutOfBoundsException.class, () -> plan.find(0, 10));
        assertThrows(IllegalArgumentException.class, () -> Plan.of(new SequentialSampler(10), 4, 0, false));
        Sampler shares = new ShareSampler(10, 1, 1, 3, 0);
        assertThrows(IllegalArgumentException.class, () -> Plan.of(shares, 4, 2, false));
    }

    /// The places of a record are the rows that have it, padding included.
    @Test
    void allPlacesOfARecordAreFound() {
        for (Sampler sampler : List.of(
                new PermutationSampler(23, 4),
                new UniformSampler(23, 31, 4),
                new ShareSampler(23, 2, 3, 6, 4),
                new WindowSampler(23, 20, 10))) {
            Plan plan = Plan.of(sampler, 4, 3, false);
            for (long record = 0; record < 23; record++) {
                List<String> expected = new ArrayList<>();
                for (long step = 0; step < plan.stepCount(); step++) {
                    for (int rank = 0; rank < 3; rank++) {
                        for (long index : plan.indices(1, step, rank)) {
                            if (index == record) {
                                expected.add(step + " on " + rank);
                            }
                        }
                    }
                }
                List<String> found = plan.findAll(1, record).stream()
                        .map(place -> place.step() + " on " + place.rank())
                        .sorted()
                        .toList();
                expected.sort(null);
                assertEquals(expected, found, sampler.name() + " " + record);
            }
        }
    }
}
