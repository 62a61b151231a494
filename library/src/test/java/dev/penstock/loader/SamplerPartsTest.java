// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Seeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Shares, buckets and mixtures do what they are for.
@ExtendWith(Seeds.class)
class SamplerPartsTest {
    private static final int CYCLE = MixtureSampler.CYCLE;
    private static final long[] FIXED_SHARD = {192, 391, 549, 858, 10, 403, 737, 890};
    private static final long[] FIXED_BUCKET = {871, 851, 29, 231, 109, 598, 497, 694};
    private static final long[] FIXED_MIXTURE = {948, 949, 950, 80, 951, 952, 953, 954};

    /// The order is part of what users save, so it may never change: these are the first records of some orders.
    @Test
    void theOrdersAreFixedForEver() {
        int[] lengths = IntStream.range(0, 1000).map(i -> i * i % 101).toArray();
        Sampler mixture = new MixtureSampler(
                List.of(new PermutationSampler(300, 7), new SequentialSampler(700)), new double[] {1, 2}, 1000, 7);
        long[] share = Arrays.copyOf(Samplers.epoch(new ShareSampler(1000, 10, 4, 4, 7), 1), 8);
        long[] bucket = Arrays.copyOf(Samplers.epoch(new BucketSampler(lengths, 4, 100, 7), 1), 8);
        long[] mixed = Arrays.copyOf(Samplers.epoch(mixture, 1), 8);
        String all = Arrays.toString(share) + Arrays.toString(bucket) + Arrays.toString(mixed);
        assertEquals(
                Arrays.toString(FIXED_SHARD) + Arrays.toString(FIXED_BUCKET) + Arrays.toString(FIXED_MIXTURE), all);
    }

    @Test
    void aRankTouchesOnlyItsShares() {
        ShareSampler sampler = new ShareSampler(10_007, 100, 5, 12, 3);
        for (int worldSize : World.sizes(sampler, 13)) {
            for (int rank = 0; rank < worldSize; rank++) {
                for (long position = rank; position < sampler.length(); position += worldSize) {
                    int share = (int) (position % 12);
                    long record = sampler.index(5, position);
                    assertTrue(record >= sampler.shareStart(share) && record < sampler.shareStart(share + 1));
                    assertEquals(rank, share % worldSize);
                }
            }
        }
        for (int share = 0; share <= 12; share++) {
            assertTrue(share == 12 || sampler.shareStart(share) % 100 == 0, "shares are of whole blocks");
        }
        assertThrows(IllegalArgumentException.class, () -> new ShareSampler(100, 10, 2, 11, 1));
        assertThrows(IllegalArgumentException.class, () -> new ShareSampler(100, 0, 2, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> Steps.of(sampler, 0, 10, 5, false));
    }

    /// In each part's own order, once each before it begins again, through the ends of epochs.
    @Test
    void sharesOfHugeWindowsSpreadOverAllRecords() {
        assertEquals(1000, new ShareSampler(1000, 2, 1L << 61, 2, 1).spreadCount());
        assertEquals(80, new ShareSampler(1000, 10, 2, 4, 1).spreadCount());
    }

    @Test
    void aPartOfAMixtureComesInItsOwnOrder() {
        Random random = Seeds.random();
        List<Sampler> parts =
                List.of(new PermutationSampler(1000, 1), new SequentialSampler(7), new BlockSampler(90_000, 50, 4, 2));
        for (double[] weights : new double[][] {{1, 1, 1}, {5, 0, 1}, {1, 1e-12, 1e-3}, {0, 3, 0}}) {
            MixtureSampler mixture = new MixtureSampler(parts, weights, 1 + random.nextInt(3 * CYCLE), 9);
            long[] drawn = new long[3];
            long total = 0;
            for (long epoch = 0; total < 3L * CYCLE; epoch++) {
                for (long record : Samplers.epoch(mixture, epoch)) {
                    int part = record < 1000 ? 0 : record < 1007 ? 1 : 2;
                    Sampler order = parts.get(part);
                    long expected = order.index(drawn[part] / order.length(), drawn[part] % order.length());
                    assertEquals(expected, record - (part == 0 ? 0 : part == 1 ? 1000 : 1007));
                    drawn[part]++;
                    total++;
                }
            }
            requireShares(weights, drawn, total);
        }
    }

    private static void requireShares(double[] weights, long[] drawn, long total) {
        double sum = Arrays.stream(weights).sum();
        for (int part = 0; part < weights.length; part++) {
            double cycles = Math.ceil((double) total / CYCLE);
            double expected = weights[part] / sum * total;
            assertEquals(weights[part] == 0, drawn[part] == 0, "part " + part);
            // Exact to a place of each cycle, but for the one that is not whole.
            double limit = cycles + 5 * Math.sqrt(CYCLE);
            assertTrue(Math.abs(drawn[part] - expected) <= limit, part + ": " + drawn[part] + ", not " + expected);
        }
    }

    @Test
    void aWholeCycleHasTheSharesExactly() {
        List<Sampler> parts = new ArrayList<>(Collections.nCopies(40, new SequentialSampler(10)));
        double[] weights = LongStream.range(0, 40)
                .mapToDouble(i -> i % 4 == 0 ? 0 : Math.pow(10, -i / 3.0))
                .toArray();
        long[] hits = new long[40];
        for (long record : Samplers.epoch(new MixtureSampler(parts, weights, CYCLE, 4), 2)) {
            hits[(int) (record / 10)]++;
        }
        double sum = Arrays.stream(weights).sum();
        for (int part = 0; part < 40; part++) {
            double exact = weights[part] / sum * CYCLE;
            // Each of the tiny ones takes a place, and the others make room.
            assertTrue(weights[part] == 0 ? hits[part] == 0 : hits[part] >= 1, "part " + part);
            assertTrue(exact < 1 || Math.abs(hits[part] - exact) <= 30, part + ": " + hits[part] + ", not " + exact);
        }
        assertEquals(CYCLE, Arrays.stream(hits).sum());
    }

    @Test
    void mixturesThatCannotBeAreRefused() {
        List<Sampler> two = List.of(new SequentialSampler(5), new SequentialSampler(0));
        for (double[] bad : new double[][] {
            {1}, {0, 0}, {1, 1}, {1, -1}, {1, Double.NaN}, {Double.MAX_VALUE, 1e308}, {Double.POSITIVE_INFINITY, 0}
        }) {
            assertThrows(IllegalArgumentException.class, () -> new MixtureSampler(two, bad, 10, 1));
        }
        assertThrows(IllegalArgumentException.class, () -> new MixtureSampler(List.of(), new double[0], 0, 1));
        assertThrows(IllegalArgumentException.class, () -> new MixtureSampler(two, new double[] {1, 0}, -1, 1));
        List<Sampler> huge = List.of(new PermutationSampler(1L << 62, 1), new PermutationSampler(1L << 62, 2));
        assertThrows(IllegalArgumentException.class, () -> new MixtureSampler(huge, new double[] {1, 1}, 10, 1));
        long[] all = Samplers.epoch(new MixtureSampler(two, new double[] {1, 0}, 10, 1), 0);
        assertArrayEquals(new long[] {0, 1, 2, 3, 4, 0, 1, 2, 3, 4}, all);
        assertThrows(IllegalArgumentException.class, () -> new WeightedSampler(new double[] {1e308, 1e308}, 1, 1));
    }

    /// The share of padding in padded batches, compared with the same batches in a plain permutation.
    @Test
    void bucketsLeaveLittlePadding() {
        int[] lengths = Samplers.lengths(20_000, 3);
        BucketSampler bucket = new BucketSampler(lengths, 128, 128 * 50, 1);
        double random = padding(Samplers.epoch(new PermutationSampler(lengths.length, 1), 0), lengths, 32);
        double bucketed = padding(Samplers.epoch(bucket, 0), lengths, 32);
        System.out.printf("padding: %.1f %% in a permutation, %.1f %% in buckets%n", 100 * random, 100 * bucketed);
        assertTrue(random > 0.5 && bucketed < random / 10, random + " and " + bucketed);
    }

    private static double padding(long[] order, int[] lengths, int batchSize) {
        long real = 0;
        long whole = 0;
        for (int start = 0; start < order.length; start += batchSize) {
            int count = Math.min(batchSize, order.length - start);
            long longest = 0;
            for (int i = start; i < start + count; i++) {
                longest = Math.max(longest, lengths[(int) order[i]]);
                real += lengths[(int) order[i]];
            }
            whole += longest * count;
        }
        return 1 - (double) real / whole;
    }

    @Test
    void bucketsThatCannotBeAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> new BucketSampler(new int[] {1, -1}, 1, 1, 0));
        assertThrows(IllegalArgumentException.class, () -> new BucketSampler(new int[] {1}, 4, 10, 0));
        assertThrows(IllegalArgumentException.class, () -> new BucketSampler(new int[] {1}, 0, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> new BucketSampler(new int[] {1}, 8, 4, 0));
    }

    @Test
    void fewerThanNoRecordsAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> new SequentialSampler(-1));
        assertThrows(IllegalArgumentException.class, () -> new WindowSampler(-1, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new BlockSampler(-1, 1, 1, 0));
        assertThrows(IllegalArgumentException.class, () -> new PermutationSampler(-1, 0));
        IllegalArgumentException failure =
                assertThrows(IllegalArgumentException.class, () -> new WeightedSampler(new double[] {1}, -1, 0));
        assertTrue(failure.getMessage().contains("got -1"), failure.getMessage());
        assertThrows(IllegalArgumentException.class, () -> LoaderOptions.of(1).withThreads(1 << 20));
    }
}
