// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Seeds;
import dev.penstock.TestData;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Mixtures whose weights change: beside the integral of the weights, and beside a log of every sample.
@ExtendWith(Seeds.class)
class StagedSamplerTest {
    private static final int ROUNDS = TestData.isLong() ? 2000 : 40;

    private static double[] unlimited(int count) {
        double[] max = new double[count];
        Arrays.fill(max, StagedSampler.UNLIMITED);
        return max;
    }

    private static List<MixtureStage> stages(Random random, int count, long length) {
        List<MixtureStage> stages = new ArrayList<>();
        long from = 0;
        while (from < length && stages.size() < 6) {
            double[] weights = new double[count];
            for (int i = 0; i < count; i++) {
                weights[i] = random.nextInt(4) == 0 ? 0 : Math.pow(random.nextDouble(), 3);
            }
            weights[random.nextInt(count)] += 0.1;
            long ramp = random.nextBoolean() ? 0 : random.nextLong(1, length);
            stages.add(
                    new MixtureStage(from, ramp, Arrays.stream(weights).boxed().toList()));
            from += random.nextLong(1, length);
        }
        return stages;
    }

    /// The share of a source at a place between two positions, straight from the declaration.
    private static double[] shares(List<MixtureStage> stages, int stage, double at, int count) {
        MixtureStage own = stages.get(stage);
        double[] shares = own.shares(count);
        if (stage > 0 && at < own.from() + own.ramp()) {
            double[] before = shares(stages, stage - 1, own.from(), count);
            double done = (at - own.from()) / own.ramp();
            for (int i = 0; i < count; i++) {
                shares[i] = before[i] + (shares[i] - before[i]) * done;
            }
        }
        return shares;
    }

    private static double[] shares(List<MixtureStage> stages, double at, int count) {
        int stage = 0;
        while (stage + 1 < stages.size() && stages.get(stage + 1).from() < at) {
            stage++;
        }
        return shares(stages, stage, at, count);
    }

    @Test
    void everySourceHasItsShareAndItsOwnOrder() {
        Random random = Seeds.random();
        double worstOfThree = 0;
        double worst = 0;
        for (int round = 0; round < ROUNDS; round++) {
            int count = random.nextInt(1, 7);
            List<Sampler> parts = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                parts.add(new PermutationSampler(random.nextInt(1, 50), i));
            }
            int length = random.nextInt(1, round % 8 == 0 ? 3 * MixturePhase.CHUNK : 3000);
            List<MixtureStage> stages = stages(random, count, length);
            StagedSampler sampler = new StagedSampler(parts, stages, unlimited(count), length, random.nextLong());
            long[] records = new long[length];
            sampler.fill(0, 0, MemorySegment.ofArray(records));
            long[] starts = new long[count + 1];
            for (int i = 0; i < count; i++) {
                starts[i + 1] = starts[i] + parts.get(i).recordCount();
            }
            long[] drawn = new long[count];
            double[] due = new double[count];
            double furthest = 0;
            for (int position = 0; position < length; position++) {
                int part = 0;
                while (records[position] >= starts[part + 1]) {
                    part++;
                }
                Sampler order = parts.get(part);
                long number = drawn[part]++;
                assertEquals(
                        starts[part] + order.index(number / order.length(), number % order.length()),
                        records[position],
                        "the samples of a source come in its own order, without a gap");
                double[] shares = shares(stages, position + 0.5, count);
                for (int i = 0; i < count; i++) {
                    due[i] += shares[i];
                    furthest = Math.max(furthest, Math.abs(drawn[i] - due[i]));
                }
            }
            worst = Math.max(worst, furthest);
            worstOfThree = count <= 3 ? Math.max(worstOfThree, furthest) : worstOfThree;
        }
        System.out.println("figure: furthest from the share, of up to three sources and of up to six: " + worstOfThree
                + ", " + worst);
        assertTrue(worstOfThree <= 1 + 1e-6, "of three sources, one is " + worstOfThree + " samples off");
        assertTrue(worst < 2, "a source is " + worst + " samples off");
    }

    @Test
    void anyPositionIsReachedAloneAndRecordsAreFound() {
        Random random = Seeds.random();
        for (int round = 0; round < ROUNDS; round++) {
            int count = random.nextInt(1, 5);
            List<Sampler> parts = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                int records = random.nextInt(1, 30);
                parts.add(
                        random.nextBoolean()
                                ? new PermutationSampler(records, i)
                                : new UniformSampler(records, random.nextInt(1, 40), i));
            }
            int length = random.nextInt(1, 400);
            long seed = random.nextLong();
            List<MixtureStage> stages = stages(random, count, 4L * length);
            Sampler sampler = new StagedSampler(parts, stages, unlimited(count), length, seed);
            for (int epoch = 0; epoch < 3; epoch++) {
                long[] records = new long[length];
                sampler.fill(epoch, 0, MemorySegment.ofArray(records));
                Sampler fresh = new StagedSampler(parts, stages, unlimited(count), length, seed);
                int position = random.nextInt(length);
                assertEquals(records[position], fresh.index(epoch, position));
                long record = random.nextLong(sampler.recordCount());
                long[] places = IntStream.range(0, length)
                        .filter(i -> records[i] == record)
                        .mapToLong(i -> i)
                        .toArray();
                assertArrayEquals(places, fresh.positions(epoch, record));
            }
        }
    }

    @Test
    void positionsFarAwayAgreeWithThoseReachedStepByStep() {
        List<Sampler> parts =
                List.of(new PermutationSampler(1000, 1), new PermutationSampler(77, 2), new PermutationSampler(5, 3));
        List<MixtureStage> stages = List.of(
                MixtureStage.of(0, 0.7, 0.3),
                new MixtureStage(500_000_000L, 1_000_000_000L, List.of(0.1, 0.2, 0.7)),
                MixtureStage.of(3_000_000_000L, 1, 1, 1e-7));
        Sampler sampler = new StagedSampler(parts, stages, unlimited(3), 4_000_000_000L, 9);
        for (long at : new long[] {0, 65_535, 499_999_999, 500_000_001, 1_200_000_000, 3_999_000_000L}) {
            long record = sampler.index(0, at);
            Sampler fresh = new StagedSampler(parts, stages, unlimited(3), 4_000_000_000L, 9);
            assertEquals(record, fresh.index(0, at));
        }
        long[] counts = ((StagedSampler) sampler).countsBefore(500_000_000L);
        assertArrayEquals(new long[] {350_000_000, 150_000_000, 0}, counts);
    }

    @Test
    void aSourceIsDrawnAsOftenAsItMayAndThenLeftOut() {
        List<Sampler> parts = List.of(new PermutationSampler(100, 1), new PermutationSampler(10, 2));
        StagedSampler sampler =
                new StagedSampler(parts, List.of(MixtureStage.of(0, 1, 1)), new double[] {3, 2}, 320, 5);
        long[] records = new long[320];
        sampler.fill(0, 0, MemorySegment.ofArray(records));
        assertEquals(20, Arrays.stream(records).filter(record -> record >= 100).count());
        assertTrue(Arrays.stream(records, 41, 320).allMatch(record -> record < 100));
        for (int record = 0; record < 110; record++) {
            int one = record;
            assertEquals(
                    record < 100 ? 3 : 2,
                    Arrays.stream(records).filter(i -> i == one).count());
        }
        IllegalArgumentException after = assertThrows(IllegalArgumentException.class, () -> sampler.index(1, 0));
        assertTrue(after.getMessage().contains("ends at sample 320"), after.getMessage());
        assertThrows(
                IllegalArgumentException.class,
                () -> new StagedSampler(parts, List.of(MixtureStage.of(0, 1, 1)), new double[] {3, 2}, 321, 5));
    }

    @Test
    void aRunContinuesWithStagesAndSourcesThatAreAddedLater() throws IOException {
        Sampler first = new PermutationSampler(100, 1);
        Sampler second = new PermutationSampler(50, 2);
        Sampler before =
                new StagedSampler(List.of(first, second), List.of(MixtureStage.of(0, 3, 1)), unlimited(2), 1000, 5);
        Sampler after = new StagedSampler(
                List.of(first, second, new PermutationSampler(20, 3)),
                List.of(MixtureStage.of(0, 3, 1), new MixtureStage(400, 100, List.of(1.0, 1.0, 2.0))),
                unlimited(3),
                1000,
                5);
        for (int i = 0; i < 400; i++) {
            assertEquals(before.index(0, i), after.index(0, i));
        }
        LoaderState state =
                new LoaderState("f", 150, "stages", before.parameters(), 0, 400, List.of(), before.recipe(), Map.of());
        assertTrue(after.continues(LoaderState.parse(state.toJson())));
        LoaderState late =
                new LoaderState("f", 150, "stages", before.parameters(), 0, 401, List.of(), before.recipe(), Map.of());
        assertFalse(after.continues(late), "the weights have already changed there");
        assertEquals(
                after.index(0, 777),
                SamplerRecipe.make(LoaderState.plainMap(after.recipe()), new SamplerRecipe.Data() {})
                        .index(0, 777));
    }

    @Test
    void stagesOutOfOrderAreRefused() {
        List<Sampler> parts = List.of(new PermutationSampler(10, 1));
        for (List<MixtureStage> bad : List.of(
                List.<MixtureStage>of(),
                List.of(MixtureStage.of(1, 1)),
                List.of(MixtureStage.of(0, 1), MixtureStage.of(0, 1)),
                List.of(MixtureStage.of(0, 1, 1)))) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> new StagedSampler(parts, bad, unlimited(1), 10, 0),
                    bad.toString());
        }
        for (double weight : new double[] {-1, Double.NaN, Double.POSITIVE_INFINITY, 0}) {
            assertThrows(IllegalArgumentException.class, () -> MixtureStage.of(0, weight));
        }
    }
}
