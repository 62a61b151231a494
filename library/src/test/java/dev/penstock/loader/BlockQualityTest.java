// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.TestData;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A block shuffle is as random as a true shuffle where it promises to be: the order of the blocks, and the order
/// inside a window. The seeds are fixed, since a random test that is right fails now and then.
@Tag("full")
class BlockQualityTest {
    /// With a true shuffle and this number of seeds, about one figure in ten thousand is beyond this limit.
    private static final double LIMIT = 4.5;

    private static final int SHORTER = TestData.isLong() ? 1 : 8;
    private static final int BLOCK_SIZE = 16;
    private static final int WINDOW_BLOCKS = 8;
    private static final int WINDOW_SIZE = BLOCK_SIZE * WINDOW_BLOCKS;

    private static long[] epoch(int count, int blockSize, int windowBlocks, long seed) {
        return Samplers.epoch(new BlockSampler(count, blockSize, windowBlocks, seed), 3);
    }

    /// The order of a number of blocks, with windows of one block.
    private static long[] blocks(int count, long seed) {
        long[] all = epoch(count * 4, 4, 1, seed);
        return IntStream.range(0, count).mapToLong(block -> all[block * 4] / 4).toArray();
    }

    /// The order inside one window of many: the place that each of its records has among all of them.
    private static long[] inside(int count, long seed, int window) {
        long[] all = epoch(WINDOW_SIZE * 6, BLOCK_SIZE, WINDOW_BLOCKS, seed);
        long[] records = Arrays.copyOfRange(all, window * WINDOW_SIZE, (window + 1) * WINDOW_SIZE);
        long[] sorted = records.clone();
        Arrays.sort(sorted);
        return Arrays.stream(records)
                .map(record -> Arrays.binarySearch(sorted, record))
                .limit(count)
                .toArray();
    }

    private static void requireRandom(String what, OrderFigures.Order order, int count, int seedCount) {
        double positions = OrderFigures.positions(order, count, seedCount, 1);
        double worst = OrderFigures.worst(order, count, seedCount, 1);
        double truePositions = OrderFigures.positions(OrderFiguresTest::trueShuffle, count, seedCount, 1);
        double trueWorst = OrderFigures.worst(OrderFiguresTest::trueShuffle, count, seedCount, 1);
        System.out.printf(
                "%s: positions %.2f (a true shuffle %.2f), neighbours %.2f (%.2f)%n",
                what, positions, truePositions, worst, trueWorst);
        assertTrue(Math.abs(positions) < LIMIT && worst < LIMIT, what + ": " + positions + ", " + worst);
        assertTrue(Math.abs(truePositions) < LIMIT && trueWorst < LIMIT, "a true shuffle: " + trueWorst);
    }

    @Test
    void theBlocksAreShuffled() {
        requireRandom("order of blocks", BlockQualityTest::blocks, 100, 20_000 / SHORTER);
    }

    @Test
    void windowsAreShuffledInside() {
        requireRandom("first window", (count, seed) -> inside(count, seed, 0), WINDOW_SIZE, 12_000 / SHORTER);
        requireRandom("last window", (count, seed) -> inside(count, seed, 5), WINDOW_SIZE, 12_000 / SHORTER);
    }

    @Test
    void oneWindowOfEverythingIsATrueShuffle() {
        requireRandom("one window", (count, seed) -> epoch(count, 7, 1000, seed), 128, 12_000 / SHORTER);
    }

    /// The blocks that share a window are random, including the short block.
    @Test
    void blocksMeetByChance() {
        int blocks = 24;
        int count = blocks * BLOCK_SIZE - 9;
        int seedCount = 30_000 / SHORTER;
        int[][] hits = new int[blocks][blocks];
        for (long seed = 0; seed < seedCount; seed++) {
            long[] all = epoch(count, BLOCK_SIZE, WINDOW_BLOCKS, seed);
            long[] first = Arrays.stream(all, 0, WINDOW_SIZE - 9)
                    .map(record -> record / BLOCK_SIZE)
                    .distinct()
                    .toArray();
            for (long one : first) {
                for (long other : first) {
                    hits[(int) one][(int) other]++;
                }
            }
        }
        double chance = WINDOW_BLOCKS * (WINDOW_BLOCKS - 1.0) / (blocks * (blocks - 1.0));
        double deviation = Math.sqrt(seedCount * chance * (1 - chance));
        for (int one = 0; one < blocks; one++) {
            for (int other = 0; other < one; other++) {
                double figure = (hits[one][other] - seedCount * chance) / deviation;
                assertTrue(Math.abs(figure) < 5, one + " and " + other + ": " + figure);
            }
        }
    }

    /// The place in a window says nothing about the same place of the next window, nor of the next epoch.
    @Test
    void windowsAndEpochsAreUnrelated() {
        int seedCount = 6000 / SHORTER;
        double windows = 0;
        double epochs = 0;
        for (long seed = 0; seed < seedCount; seed++) {
            windows += correlation(inside(WINDOW_SIZE, seed, 1), inside(WINDOW_SIZE, seed, 2));
            Sampler whole = new BlockSampler(WINDOW_SIZE, BLOCK_SIZE, WINDOW_BLOCKS, seed);
            epochs += correlation(Samplers.epoch(whole, 0), Samplers.epoch(whole, 1));
        }
        assertTrue(Math.abs(windows / Math.sqrt(seedCount)) < LIMIT, "windows: " + windows);
        assertTrue(Math.abs(epochs / Math.sqrt(seedCount)) < LIMIT, "epochs: " + epochs);
    }

    /// In standard deviations of that of two true shuffles.
    private static double correlation(long[] one, long[] other) {
        int count = one.length;
        double mean = (count - 1) / 2.0;
        double sum = 0;
        for (int i = 0; i < count; i++) {
            sum += (one[i] - mean) * (other[i] - mean);
        }
        return sum / (((double) count * count - 1) / 12 * count) * Math.sqrt(count - 1.0);
    }

    /// A network of two rounds, in the form of [Bijection].
    private static long[] twoRounds(int count, long seed) {
        int base = (int) Math.ceil(Math.sqrt(count));
        return LongStream.range(0, (long) base * base)
                .map(number -> {
                    long left = (number / base + Math.floorMod(Mix.at(seed, number % base), (long) base)) % base;
                    long right = (number % base + Math.floorMod(Mix.at(~seed, left), (long) base)) % base;
                    return left * base + right;
                })
                .filter(number -> number < count)
                .toArray();
    }

    /// The harness sees what is wrong with bad ones.
    @Test
    void badOrdersAreCaught() {
        assertTrue(OrderFigures.worst(BlockQualityTest::twoRounds, 4096, 300, 1) > 3 * LIMIT, "two rounds");
        assertTrue(OrderFigures.worst(BlockQualityTest::twoRounds, 4097, 300, 1) > 3 * LIMIT, "two rounds");
        OrderFigures.Order blocksOnly = (count, seed) -> epoch(count, 16, 1, seed);
        assertTrue(Math.abs(OrderFigures.adjacency(blocksOnly, 1024, 300, 1)) > 3 * LIMIT, "small windows");
        OrderFigures.Order rotated = (count, seed) ->
                LongStream.range(0, count).map(i -> (i * 5 + seed * 3) % count).toArray();
        assertTrue(OrderFigures.worst(rotated, 128, 1000, 1) > 3 * LIMIT, "an affine one");
        assertTrue(correlation(rotated.of(128, 1), rotated.of(128, 1)) > 2 * LIMIT, "the same twice");
    }
}
