// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/// The figures of an order tell how far it is from a true shuffle.
class ShuffleQualityTest {
    private static final long COUNT = 200_000;
    private static final long BATCH = 256;

    /// Five standard deviations of a variance that is taken from 512 steps.
    private static final double ERROR = 5 * Math.sqrt(2.0 / 511);

    @Test
    void theOrderOfTheFileIsWorthOneRecord() {
        ShuffleQuality quality = ShuffleQuality.of(new SequentialSampler(COUNT), 0, BATCH);
        assertEquals(512, quality.steps());
        assertEquals(1, quality.effectiveBatch(), 0.02);
        assertEquals(1, quality.serialCorrelation(), 0.02);
        assertEquals(1, quality.neighbourShare());
    }

    @Test
    void aPermutationIsWorthWhatATrueShuffleIs() {
        for (long seed = 0; seed < 10; seed++) {
            Sampler sampler = new PermutationSampler(COUNT, seed);
            requireRandom(ShuffleQuality.of(sampler, 2, BATCH));
            requireRandom(ShuffleQuality.ofTrueShuffle(sampler, 2, BATCH, seed));
        }
    }

    private static void requireRandom(ShuffleQuality quality) {
        assertEquals(1, quality.effectiveBatch() / BATCH, ERROR, quality.toString());
        double pairCount = quality.steps() * (BATCH - 1.0);
        assertEquals(0, quality.serialCorrelation(), 5 / Math.sqrt(pairCount), quality.toString());
        // Nearly a Poisson number.
        double expected = 2.0 / COUNT * pairCount;
        assertTrue(quality.neighbourShare() * pairCount < expected + 5 * Math.sqrt(expected) + 3, quality.toString());
    }

    @Test
    void billionsOfRecordsAreNoTrouble() {
        Sampler sampler = new PermutationSampler(1L << 61, 5);
        requireRandom(ShuffleQuality.of(sampler, 0, BATCH));
        requireRandom(ShuffleQuality.ofTrueShuffle(sampler, 0, BATCH, 1));
        assertEquals(
                1, ShuffleQuality.of(new SequentialSampler(1L << 40), 0, BATCH).effectiveBatch(), 0.02);
    }

    @Test
    void wideWindowsMixBetter() {
        double last = 0;
        for (long windowBlocks : new long[] {1, 4, 16, 64, 256}) {
            ShuffleQuality quality = ShuffleQuality.of(new BlockSampler(COUNT, 100, windowBlocks, 1), 0, BATCH);
            assertTrue(quality.effectiveBatch() > last, windowBlocks + " blocks: " + quality);
            last = quality.effectiveBatch();
        }
        assertTrue(last > 100 && last < BATCH, last + " of a window of 25,600 records");
    }

    @Test
    void ordersWithRepetitionAreHeldAgainstTheirOwnRecords() {
        requireRandom(ShuffleQuality.of(new UniformSampler(COUNT, COUNT, 1), 0, BATCH));
        requireRandom(ShuffleQuality.ofTrueShuffle(new UniformSampler(COUNT, COUNT, 1), 0, BATCH, 2));
        double[] weights = new double[(int) COUNT];
        for (int i = 0; i < weights.length; i++) {
            weights[i] = i < 1000 ? 1000 : 1;
        }
        Sampler weighted = new WeightedSampler(weights, COUNT, 1);
        assertEquals(1, ShuffleQuality.of(weighted, 0, BATCH).effectiveBatch() / BATCH, ERROR);
        assertEquals(1, ShuffleQuality.ofTrueShuffle(weighted, 0, BATCH, 1).effectiveBatch() / BATCH, ERROR);
        Sampler windows = new WindowSampler(COUNT, 256, 100);
        assertEquals(1, ShuffleQuality.of(windows, 0, BATCH).effectiveBatch(), 0.05);
        assertEquals(1, ShuffleQuality.ofTrueShuffle(windows, 0, BATCH, 1).effectiveBatch() / BATCH, ERROR);
        Sampler shares = new ShareSampler(COUNT, 1000, 10, 8, 1);
        double spread = ShuffleQuality.of(shares, 0, BATCH).effectiveBatch();
        assertTrue(spread > 8 && spread < BATCH * 70, "shares spread a step over the file: " + spread);
    }

    @Test
    void anAffineOrderIsCaught() {
        int caughtCount = 0;
        for (long seed = 1; seed <= 10; seed++) {
            ShuffleQuality quality =
                    ShuffleQuality.of(new Affine(COUNT, Mix.below(COUNT / 2, seed, 1) * 2 + 1), 0, BATCH);
            boolean isCaught = Math.abs(Math.log(quality.effectiveBatch() / BATCH)) > Math.log1p(ERROR)
                    || Math.abs(quality.serialCorrelation()) > 5 / Math.sqrt(512 * (BATCH - 1.0));
            caughtCount += isCaught ? 1 : 0;
        }
        assertEquals(10, caughtCount);
    }

    @Test
    void whatIsTooFewForAFigureHasNone() {
        assertEquals(
                0, ShuffleQuality.of(new PermutationSampler(0, 1), 0, BATCH).steps());
        assertTrue(Double.isNaN(
                ShuffleQuality.of(new PermutationSampler(0, 1), 0, BATCH).effectiveBatch()));
        ShuffleQuality one = ShuffleQuality.of(new SequentialSampler(100), 0, BATCH);
        assertEquals(1, one.steps());
        assertEquals(100, one.stepSize());
        assertTrue(Double.isNaN(one.effectiveBatch()));
        assertEquals(1, one.neighbourShare());
        ShuffleQuality shuffled = ShuffleQuality.ofTrueShuffle(new SequentialSampler(100), 0, BATCH, 1);
        assertTrue(Double.isNaN(shuffled.effectiveBatch()), shuffled.toString());
        ShuffleQuality alone = ShuffleQuality.of(new SequentialSampler(1), 0, 1);
        assertTrue(Double.isNaN(alone.effectiveBatch()) && Double.isNaN(alone.serialCorrelation()));
    }

    /// Every record once, and no shuffle.
    private record Affine(long recordCount, long factor) implements Sampler {
        @Override
        public String name() {
            return "affine";
        }

        @Override
        public Map<String, Object> parameters() {
            return Map.of();
        }

        @Override
        public long length() {
            return recordCount;
        }

        @Override
        public long index(long epoch, long position) {
            return Math.floorMod(position * factor, recordCount);
        }

        @Override
        public OptionalLong position(long epoch, long recordIndex) {
            return OptionalLong.empty();
        }

        @Override
        public boolean isPermutation() {
            return true;
        }
    }
}
