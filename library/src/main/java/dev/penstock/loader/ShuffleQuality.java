// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;

/// Measures how well a sampler shuffles the records, from some of its steps.
///
/// Neighbouring records in a file are often similar. A batch of similar records is worth less than one sampled
/// from the whole file, and [#effectiveBatch] measures this: with a full shuffle it is about the size of the
/// batch, with sequential order about 1.
///
/// @param steps             the number of steps that were examined, evenly spaced over the epoch
/// @param stepSize          the number of records in each step; all of the epoch when that is less than a step
/// @param effectiveBatch    the number of independently sampled records that a step is worth: the variance of an
///                          index divided by that of the means of the steps. NaN when there are fewer than two
///                          steps.
/// @param serialCorrelation the correlation of each index with the next in its step
/// @param neighbourShare    the fraction of successive records that are neighbours in the file
public record ShuffleQuality(
        long steps, long stepSize, double effectiveBatch, double serialCorrelation, double neighbourShare) {
    /// More steps would not change the result significantly.
    private static final long STEP_COUNT_MAX = 512;

    /// Limits the time for large steps: only their beginning is used.
    private static final long SAMPLE_COUNT_MAX = 1 << 22;

    /// Up to this number of records, the whole order is shuffled.
    private static final long SHUFFLE_COUNT_MAX = 1 << 20;

    private static final int SHUFFLE_ROUNDS = 8;

    /// Fills an array with the records from a position on.
    @FunctionalInterface
    private interface RecordOrder {
        void fill(long position, long[] target);
    }

    /// The quality of a sampler. For a subset, its records are numbered consecutively.
    ///
    /// @param stepSize the number of records of a step, on all ranks
    public static ShuffleQuality of(Sampler sampler, long epoch, long stepSize) {
        if (sampler instanceof SubsetSampler subset) {
            return of(subset.inner(), epoch, stepSize);
        }
        Sums sums = new Sums(sampler);
        measure(
                sampler,
                stepSize,
                sums,
                (position, target) -> sampler.fill(epoch, position, MemorySegment.ofArray(target)));
        return sums.quality();
    }

    /// The quality of a full shuffle of the same records, in steps of the same size.
    ///
    /// It combines eight shuffles, so that the result hardly depends on the seed. Few records are shuffled
    /// completely; for many records those of each step are drawn without replacement. If a sampler has records
    /// several times, its positions are shuffled.
    public static ShuffleQuality ofTrueShuffle(Sampler sampler, long epoch, long stepSize, long seed) {
        if (sampler instanceof SubsetSampler subset) {
            return ofTrueShuffle(subset.inner(), epoch, stepSize, seed);
        }
        boolean isOfRecords = sampler.isPermutation() || sampler.shareCount() > 1;
        long count = isOfRecords ? sampler.recordCount() : sampler.length();
        Sums sums = new Sums(sampler);
        for (int round = 0; round < SHUFFLE_ROUNDS; round++) {
            SplittableRandom random = new SplittableRandom(Mix.at(seed, round));
            RecordOrder places = count <= SHUFFLE_COUNT_MAX ? shuffled((int) count, random) : new Draws(count, random);
            measure(sampler, stepSize, sums, (position, target) -> {
                places.fill(position, target);
                for (int i = 0; !isOfRecords && i < target.length; i++) {
                    target[i] = sampler.index(epoch, target[i]);
                }
            });
        }
        return sums.quality();
    }

    private static void measure(Sampler sampler, long stepSize, Sums sums, RecordOrder source) {
        // Repetitions that only fill up are not part of the order.
        long positions = sampler.repeatsFrom();
        long size = Math.min(Math.min(stepSize, SAMPLE_COUNT_MAX / 2), positions);
        long wholeSteps = size == 0 ? 0 : positions / size;
        long stepCount = Math.min(wholeSteps, Math.clamp(SAMPLE_COUNT_MAX / Math.max(1, size), 2, STEP_COUNT_MAX));
        sums.isOfSeveral = stepCount > 1;
        long[] indices = new long[Math.toIntExact(size)];
        for (long i = 0; i < stepCount; i++) {
            source.fill(evenly(i, stepCount, wholeSteps) * size, indices);
            sums.add(indices);
        }
    }

    /// The `i`-th of `count` numbers spread evenly from 0 to `limit - 1`.
    private static long evenly(long i, long count, long limit) {
        long gaps = Math.max(1, count - 1);
        return (limit - 1) / gaps * i + (limit - 1) % gaps * i / gaps;
    }

    private static RecordOrder shuffled(int count, SplittableRandom random) {
        long[] order = new long[count];
        for (int i = 0; i < count; i++) {
            int j = random.nextInt(i + 1);
            order[i] = order[j];
            order[j] = i;
        }
        return (position, target) -> System.arraycopy(order, (int) position, target, 0, target.length);
    }

    /// Numbers below a count, without duplicates in a step.
    private static final class Draws implements RecordOrder {
        private static final long NONE = -1;

        private final long count;
        private final SplittableRandom random;
        private long[] seen = {};

        Draws(long count, SplittableRandom random) {
            this.count = count;
            this.random = random;
        }

        @Override
        public void fill(long position, long[] target) {
            int capacity = Math.toIntExact(Long.highestOneBit(target.length * 4L));
            seen = seen.length == capacity ? seen : new long[capacity];
            Arrays.fill(seen, NONE);
            for (int i = 0; i < target.length; i++) {
                do {
                    target[i] = random.nextLong(count);
                } while (!isNew(target[i]));
            }
        }

        private boolean isNew(long number) {
            int slot = (int) (Mix.at(0, number) & seen.length - 1);
            while (seen[slot] != NONE && seen[slot] != number) {
                slot = slot + 1 & seen.length - 1;
            }
            boolean isNew = seen[slot] == NONE;
            seen[slot] = number;
            return isNew;
        }
    }

    /// Accumulated sums. Indices are scaled to -0.5 to 0.5, so that sums keep their precision.
    private static final class Sums {
        private final double scale;
        private final boolean isPermutation;
        /// Whether an epoch has several steps to compare.
        private boolean isOfSeveral;

        private long stepCount;
        private long stepSize;
        private long count;
        private double sum;
        private double squares;
        private double meanSum;
        private double meanSquares;
        private long pairCount;
        private double products;
        private double pairSum;
        private long neighbourCount;

        Sums(Sampler sampler) {
            this.scale = 1.0 / Math.max(1, sampler.recordCount());
            this.isPermutation = sampler.isPermutation();
        }

        void add(long[] indices) {
            double stepSum = 0;
            double last = 0;
            for (int i = 0; i < indices.length; i++) {
                double value = (indices[i] + 0.5) * scale - 0.5;
                stepSum += value;
                squares += value * value;
                if (i > 0) {
                    products += last * value;
                    pairSum += last + value;
                    neighbourCount += Math.abs(indices[i] - indices[i - 1]) == 1 ? 1 : 0;
                }
                last = value;
            }
            double mean = stepSum / indices.length;
            stepCount++;
            stepSize = indices.length;
            count += indices.length;
            pairCount += indices.length - 1;
            sum += stepSum;
            meanSum += mean;
            meanSquares += mean * mean;
        }

        ShuffleQuality quality() {
            double mean = isPermutation ? 0 : sum / count;
            // For a permutation the variance is known and need not be estimated from a part.
            double variance = isPermutation ? (1 - scale * scale) / 12 : squares / count - mean * mean;
            double ofMeans = (meanSquares - meanSum * meanSum / stepCount) / (stepCount - 1);
            double effectiveBatch = isOfSeveral ? variance / ofMeans : Double.NaN;
            double correlation = (products - mean * pairSum + mean * mean * pairCount) / (pairCount * variance);
            return new ShuffleQuality(
                    stepCount, stepSize, effectiveBatch, correlation, (double) neighbourCount / pairCount);
        }
    }
}
