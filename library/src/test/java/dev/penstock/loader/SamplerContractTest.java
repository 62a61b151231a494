// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Seeds;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The contract of every sampler: the record is a function of epoch and position.
@ExtendWith(Seeds.class)
class SamplerContractTest {
    private static final long[] FIXED_PERMUTATION = {350, 31, 949, 364, 610, 167, 125, 652};
    private static final long[] FIXED_UNIFORM = {462, 546, 961, 556, 228, 958, 730, 408};
    private static final long[] FIXED_BLOCK = {968, 270, 960, 966, 11, 965, 272, 379};

    private static Stream<Named<Sampler>> samplers() {
        return Samplers.of(1003, 5);
    }

    private static long[] epoch(Sampler sampler, long epoch) {
        return Samplers.epoch(sampler, epoch);
    }

    @ParameterizedTest
    @MethodSource("samplers")
    void anyPartCanBeAskedForAlone(Sampler sampler) {
        Random random = Seeds.random();
        for (long epoch : new long[] {0, 1, 77}) {
            long[] all = epoch(sampler, epoch);
            for (int i = 0; i < 100; i++) {
                int first = random.nextInt(all.length + 1);
                int count = random.nextInt(all.length - first + 1);
                long[] part = new long[count];
                sampler.fill(epoch, first, MemorySegment.ofArray(part));
                assertArrayEquals(Arrays.copyOfRange(all, first, first + count), part);
            }
            assertEquals(all[10], sampler.index(epoch, 10));
        }
    }

    @ParameterizedTest
    @MethodSource("samplers")
    void recordsAreThoseOfTheDataset(Sampler sampler) {
        for (long index : epoch(sampler, 3)) {
            assertTrue(index >= 0 && index < sampler.recordCount());
        }
        boolean isPermutation = Arrays.equals(
                LongStream.range(0, sampler.recordCount()).toArray(),
                Arrays.stream(epoch(sampler, 3)).sorted().toArray());
        assertEquals(isPermutation, sampler.isPermutation());
    }

    @ParameterizedTest
    @MethodSource("samplers")
    void thePositionOfARecordIsWhereItComes(Sampler sampler) {
        long[] all = epoch(sampler, 2);
        for (int i = 0; i < all.length; i++) {
            if (sampler.position(2, all[i]).isPresent()) {
                assertEquals(
                        i, sampler.isRepeat(i) ? i : sampler.position(2, all[i]).getAsLong());
            } else {
                assertFalse(sampler.isPermutation());
            }
        }
        for (long bad : new long[] {-1, sampler.recordCount(), Long.MIN_VALUE, Long.MAX_VALUE}) {
            assertThrows(IndexOutOfBoundsException.class, () -> sampler.position(0, bad));
        }
        assertThrows(IndexOutOfBoundsException.class, () -> sampler.position(-1, 0));
    }

    /// Repeats come late and are known; without them a record comes once where its place is known.
    @ParameterizedTest
    @MethodSource("samplers")
    void whatOnlyFillsUpIsSaidToBeARepeat(Sampler sampler) {
        long[] all = epoch(sampler, 4);
        BitSet seen = new BitSet();
        for (int i = 0; i < all.length; i++) {
            assertTrue(!sampler.isRepeat(i) || i >= sampler.repeatsFrom());
            boolean isNew = !seen.get((int) all[i]);
            seen.set((int) all[i]);
            if (sampler.position(4, all[i]).isPresent()) {
                assertEquals(isNew, !sampler.isRepeat(i), "position " + i);
            }
        }
        if (sampler.shareCount() > 1) {
            assertEquals(0, sampler.length() % sampler.shareCount());
        }
    }

    @ParameterizedTest
    @MethodSource("samplers")
    void everySoManyPositionsAreTheSameAsOneByOne(Sampler sampler) {
        Random random = Seeds.random();
        long[] all = epoch(sampler, 1);
        for (int i = 0; i < 100; i++) {
            int stride = 1 + random.nextInt(2 * sampler.shareCount() + 3);
            int first = random.nextInt(all.length);
            int count = random.nextInt((all.length - 1 - first) / stride + 2);
            long[] part = new long[count];
            sampler.fill(1, first, stride, MemorySegment.ofArray(part));
            for (int j = 0; j < count; j++) {
                assertEquals(all[first + j * stride], part[j]);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("samplers")
    void positionsOutsideTheEpochAreRefused(Sampler sampler) {
        MemorySegment two = MemorySegment.ofArray(new long[2]);
        assertThrows(IndexOutOfBoundsException.class, () -> sampler.fill(0, sampler.length() - 1, two));
        assertThrows(IndexOutOfBoundsException.class, () -> sampler.fill(0, -1, two));
        assertThrows(IndexOutOfBoundsException.class, () -> sampler.fill(-1, 0, two));
    }

    @Test
    void randomOrdersDependOnSeedAndEpoch() {
        for (long seed : new long[] {0, 1, -1, Long.MAX_VALUE}) {
            for (Sampler sampler : List.of(
                    new PermutationSampler(1000, seed),
                    new UniformSampler(1000, 1000, seed),
                    new BlockSampler(1000, 10, 5, seed))) {
                assertFalse(Arrays.equals(epoch(sampler, 0), epoch(sampler, 1)), sampler.name());
            }
            assertFalse(Arrays.equals(
                    epoch(new PermutationSampler(1000, seed), 0), epoch(new PermutationSampler(1000, seed ^ 2), 0)));
        }
    }

    /// The order is part of what users save, so it may never change: these are the first records of some orders.
    @Test
    void theOrdersAreFixedForEver() {
        assertArrayEquals(FIXED_PERMUTATION, Arrays.copyOf(epoch(new PermutationSampler(1000, 7), 0), 8));
        assertArrayEquals(FIXED_UNIFORM, Arrays.copyOf(epoch(new UniformSampler(1000, 8, 7), 0), 8));
        assertArrayEquals(FIXED_BLOCK, Arrays.copyOf(epoch(new BlockSampler(1000, 10, 4, 7), 1), 8));
    }

    @Test
    void aBlockShuffleReadsFewBlocksAtATime() {
        long count = 10_007;
        BlockSampler sampler = new BlockSampler(count, 64, 8, 3);
        for (long epoch = 0; epoch < 20; epoch++) {
            long[] all = epoch(sampler, epoch);
            int start = 0;
            while (start < all.length) {
                // A window that holds the short block is shorter; the first of the next has another block.
                int end = (int) Math.min(all.length, start + sampler.windowSize());
                long blocks = Arrays.stream(all, start, end)
                        .map(index -> index / 64)
                        .distinct()
                        .count();
                assertTrue(blocks <= 16, "blocks of two windows at most: " + blocks);
                start = end;
            }
        }
    }

    @Test
    void weightsAreKept() {
        double[] weights = {0, 1, 0, 2, 5, 0};
        WeightedSampler sampler = new WeightedSampler(weights, 800_000, 1);
        long[] hits = new long[weights.length];
        for (long index : epoch(sampler, 0)) {
            hits[(int) index]++;
        }
        for (int i = 0; i < weights.length; i++) {
            double expected = weights[i] * 100_000;
            assertTrue(Math.abs(hits[i] - expected) <= 5 * Math.sqrt(expected), i + ": " + hits[i]);
        }
        assertThrows(IllegalArgumentException.class, () -> new WeightedSampler(new double[] {0, 0}, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new WeightedSampler(new double[] {1, -1}, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new WeightedSampler(new double[] {1, Double.NaN}, 1, 1));
    }

    @Test
    void windowsGoRoundTheCircle() {
        assertArrayEquals(new long[] {0, 1, 2, 2, 3, 4, 4, 0, 1}, epoch(new WindowSampler(5, 3, 2), 0));
    }

    @Test
    void aUniformOrderTakesEveryRecordAsOften() {
        long[] hits = new long[10];
        for (long index : epoch(new UniformSampler(10, 1_000_000, 9), 4)) {
            hits[(int) index]++;
        }
        for (long hit : hits) {
            assertTrue(Math.abs(hit - 100_000) < 5 * Math.sqrt(100_000), Arrays.toString(hits));
        }
    }
}
