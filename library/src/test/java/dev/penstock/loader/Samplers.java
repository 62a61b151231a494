// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;

/// Orders of every kind, for tests that hold for all of them.
final class Samplers {
    private Samplers() {}

    /// Samplers over a number of records, which is at least 100.
    static Stream<Named<Sampler>> of(int count, long seed) {
        double[] weights = LongStream.range(0, count).mapToDouble(i -> i % 7).toArray();
        long[] some = LongStream.range(0, count).filter(i -> i % 3 == 1).toArray();
        int[] lengths = lengths(count, seed);
        return Stream.<Sampler>of(
                        new SequentialSampler(count),
                        new PermutationSampler(count, seed),
                        new WindowSampler(count, 10, 4),
                        new WindowSampler(count, 4, 10),
                        new WindowSampler(count, count, count),
                        new UniformSampler(count, 2L * count, seed),
                        new BlockSampler(count, 16, 4, seed),
                        new BlockSampler(count, 2L * count, 4, seed),
                        new BlockSampler(count, 1, 1, seed),
                        new WeightedSampler(weights, count / 2, seed),
                        new SubsetSampler(count, some, new PermutationSampler(some.length, seed)),
                        new SubsetSampler(count, some, new ShareSampler(some.length, 8, 2, 3, seed)),
                        new ShareSampler(count, 10, 3, 4, seed),
                        new ShareSampler(count, 25, 2, 6, seed),
                        new ShareSampler(count, 1, 7, 12, seed),
                        new ShareSampler(count, count, 1, 1, seed),
                        new BucketSampler(lengths, 8, 64, seed),
                        new BucketSampler(lengths, 1, 1, seed),
                        new BucketSampler(lengths, 5, 5 * count, seed),
                        mixture(count, new double[] {3, 1, 2}, count / 2, seed),
                        mixture(count, new double[] {1, 0, 1e-9}, 3L * count, seed),
                        mixture(count, new double[] {1}, count - 3, seed))
                .map(sampler -> Named.of(sampler.name() + sampler.parameters(), sampler));
    }

    /// A mixture of as many parts as there are weights, of different sizes and orders.
    static MixtureSampler mixture(int count, double[] weights, long length, long seed) {
        int last = count - (weights.length - 1) * (count / 5);
        List<Sampler> parts = LongStream.range(0, weights.length)
                .<Sampler>mapToObj(i -> switch ((int) (i % 3)) {
                    case 0 -> new PermutationSampler(i == weights.length - 1 ? last : count / 5, seed + i);
                    case 1 -> new SequentialSampler(i == weights.length - 1 ? last : count / 5);
                    default -> new BlockSampler(i == weights.length - 1 ? last : count / 5, 4, 2, seed);
                })
                .toList();
        return new MixtureSampler(parts, weights, length, seed);
    }

    /// Lengths of records: most short, a few long, some empty.
    static int[] lengths(int count, long seed) {
        Random random = new Random(seed);
        return random.ints(count, 0, 1000).map(i -> i * i / 1000 * i / 1000).toArray();
    }

    /// The records of a whole epoch.
    static long[] epoch(Sampler sampler, long epoch) {
        long[] all = new long[Math.toIntExact(sampler.length())];
        sampler.fill(epoch, 0, MemorySegment.ofArray(all));
        return all;
    }

    /// Checks that an epoch has every record once, and that the inverse agrees for a regular sample of them.
    static void requirePermutation(Sampler sampler, long epoch, int stride) {
        long[] all = epoch(sampler, epoch);
        assertEquals(sampler.recordCount(), all.length, () -> what(sampler));
        BitSet seen = new BitSet(all.length);
        for (long index : all) {
            assertTrue(index >= 0 && index < all.length, () -> index + " in " + what(sampler));
            seen.set((int) index);
        }
        assertEquals(all.length, seen.cardinality(), () -> what(sampler) + " in epoch " + epoch);
        for (int i = 0; i < all.length; i += stride) {
            assertEquals(i, sampler.position(epoch, all[i]).getAsLong(), () -> what(sampler) + " in epoch " + epoch);
        }
    }

    static String what(Sampler sampler) {
        return sampler.name() + " of " + sampler.recordCount() + " " + sampler.parameters();
    }
}
