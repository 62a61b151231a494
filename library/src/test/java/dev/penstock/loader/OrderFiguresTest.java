// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.TestData;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Permutations are as random as those of a true shuffle. The seeds are fixed, since a random test that is right
/// fails now and then.
@Tag("full")
class OrderFiguresTest {
    /// With a true shuffle and this number of seeds, about one figure in ten thousand is beyond this limit.
    private static final double LIMIT = 4.5;

    private static long[] permutation(int count, long seed) {
        long[] order = new long[count];
        new PermutationSampler(count, seed).fill(0, 0, MemorySegment.ofArray(order));
        return order;
    }

    static long[] trueShuffle(int count, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        long[] order = LongStream.range(0, count).toArray();
        for (int i = count - 1; i > 0; i--) {
            int j = random.nextInt(i + 1);
            long swapped = order[i];
            order[i] = order[j];
            order[j] = swapped;
        }
        return order;
    }

    /// Every number once, and every position as likely, but no shuffle.
    private static long[] affine(int count, long seed) {
        long factor = Math.floorMod(Mix.at(seed, 1), (long) count) | 1;
        while (gcd(factor, count) != 1) {
            factor += 2;
        }
        long shift = Math.floorMod(Mix.at(seed, 2), (long) count);
        long[] order = new long[count];
        for (int i = 0; i < count; i++) {
            order[i] = Math.floorMod(factor * i + shift, (long) count);
        }
        return order;
    }

    private static long gcd(long a, long b) {
        return b == 0 ? a : gcd(b, a % b);
    }

    @Test
    void everyNumberComesToEveryPositionAsOften() {
        for (int count : new int[] {2, 7, 64, 100, 257}) {
            double figure = OrderFigures.positions(OrderFiguresTest::permutation, count, 20_000, 1);
            assertTrue(Math.abs(figure) < LIMIT, count + ": " + figure);
        }
    }

    @Test
    void neighboursAreAsIndependentAsInATrueShuffle() {
        for (int count : new int[] {100, 1000, 4096, 4097, 65_537}) {
            int seedCount = (TestData.isLong() ? 2_000_000 : 800_000) / count;
            double ours = OrderFigures.worst(OrderFiguresTest::permutation, count, seedCount, 1);
            double theirs = OrderFigures.worst(OrderFiguresTest::trueShuffle, count, seedCount, 1);
            assertTrue(ours < LIMIT && theirs < LIMIT, count + ": ours " + ours + ", a true shuffle's " + theirs);
        }
    }

    @Test
    void allPermutationsOfAFewNumbersAreAsLikely() {
        for (int count = 2; count <= 5; count++) {
            int seedCount = TestData.isLong() ? 240_000 : 60_000;
            Map<String, Integer> hits = new HashMap<>();
            for (int seed = 0; seed < seedCount; seed++) {
                hits.merge(Arrays.toString(permutation(count, seed)), 1, Integer::sum);
            }
            long all = LongStream.rangeClosed(1, count).reduce(1, (a, b) -> a * b);
            assertEquals(all, hits.size());
            double expected = (double) seedCount / all;
            double chi = hits.values().stream()
                    .mapToDouble(hit -> (hit - expected) * (hit - expected) / expected)
                    .sum();
            assertTrue((chi - (all - 1)) / Math.sqrt(2.0 * (all - 1)) < LIMIT, count + ": " + chi);
        }
    }

    @Test
    void epochsAndSeedsAreUnrelated() {
        OrderFigures.Order acrossEpochs = (count, seed) -> {
            long[] order = new long[count];
            new PermutationSampler(count, 42).fill(seed, 0, MemorySegment.ofArray(order));
            return order;
        };
        double figure = OrderFigures.positions(acrossEpochs, 64, 20_000, 0);
        assertTrue(Math.abs(figure) < LIMIT, "over epochs: " + figure);
        assertTrue(OrderFigures.worst(acrossEpochs, 1000, 4000, 0) < LIMIT);
    }

    /// The harness sees what is wrong with a bad one.
    @Test
    void anAffineOrderIsCaught() {
        assertTrue(Math.abs(OrderFigures.positions(OrderFiguresTest::affine, 257, 20_000, 1)) < 100);
        assertTrue(OrderFigures.worst(OrderFiguresTest::affine, 4097, 1000, 1) > 3 * LIMIT);
        assertTrue(
                OrderFigures.worst((count, seed) -> LongStream.range(0, count).toArray(), 1000, 100, 1) > 3 * LIMIT);
    }
}
