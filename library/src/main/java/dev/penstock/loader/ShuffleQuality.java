// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;

/// How well an order mixes the records, from some of its steps.
///
/// Records that lie together in a file are often alike. A batch of such records says less than one drawn from
/// everywhere, and [#effectiveBatch] says how much less: of a true shuffle it is about the size of the batch, of
/// the order of the file about 1.
///
/// @param steps             steps that were looked at, drawn evenly over the epoch
/// @param stepSize          records of each; all of the epoch when that is less than a step
/// @param effectiveBatch    how many records drawn independently a step is worth: the variance of an index over
///                          that of the means of the steps. Not a number when there are fewer than two steps.
/// @param serialCorrelation of each index with the next in its step
/// @param neighbourShare    of the successive records, how many are neighbours in the file
public record ShuffleQuality(
        long steps, long stepSize, double effectiveBatch, double serialCorrelation, double neighbourShare) {
    /// More steps would say no more that matters.
    private static final long STEP_COUNT_MAX = 512;

    /// So that large steps take no longer.
    private static final long SAMPLE_COUNT_MAX = 1 << 22;

    /// Orders of so many records are shuffled whole.
    private static final long SHUFFLE_COUNT_MAX = 1 << 20;

    /// Fills an array with the records from a position on.
    @FunctionalInterface
    private interface Source {
        void fill(long position, long[] target);
    }

    /// That of an order.
    ///
    /// @param stepSize records of a step, on all ranks
    public static ShuffleQuality of(Sampler sampler, long epoch, long stepSize) {
        return measure(
                sampler, stepSize, (position, target) -> sampler.fill(epoch, position, MemorySegment.ofArray(target)));
    }

    /// That of the same records truly shuffled, in steps of the same size.
    ///
    /// Few records are shuffled whole; of many, those of each step are drawn without replacement. Orders in which
    /// records come several times have their positions shuffled.
    public static ShuffleQuality ofTrueShuffle(Sampler sampler, long epoch, long stepSize, long seed) {
        boolean isOfRecords = sampler.isPermutation() || sampler.shareCount() > 1;
        long count = isOfRecords ? sampler.recordCount() : sampler.length();
        Source places = count <= SHUFFLE_COUNT_MAX ? shuffled((int) count, seed) : new Draws(count, seed);
        return measure(sampler, stepSize, (position, target) -> {
            places.fill(position, target);
            for (int i = 0; !isOfRecords && i < target.length; i++) {
                target[i] = sampler.index(epoch, target[i]);
            }
        });
    }

    private static ShuffleQuality measure(Sampler sampler, long stepSize, Source source) {
        // What comes a second time only to fill up is no part of the order.
        long positions = sampler.repeatsFrom();
        long size = Math.min(stepSize, positions);
        long wholeSteps = size == 0 ? 0 : positions / size;
        long stepCount = Math.min(wholeSteps, Math.clamp(SAMPLE_COUNT_MAX / stepSize, 2, STEP_COUNT_MAX));
        Sums sums = new Sums(sampler);
        long[] indices = new long[Math.toIntExact(size)];
        for (long i = 0; i < stepCount; i++) {
            source.fill(evenly(i, stepCount, wholeSteps) * size, indices);
            sums.add(indices);
        }
        return sums.quality(stepCount, size);
    }

    /// The `i`-th of `count` numbers spread evenly from 0 to `limit - 1`.
    private static long evenly(long i, long count, long limit) {
        long gaps = Math.max(1, count - 1);
        return (limit - 1) / gaps * i + (limit - 1) % gaps * i / gaps;
    }

    private static Source shuffled(int count, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        long[] order = new long[count];
        for (int i = 0; i < count; i++) {
            int j = random.nextInt(i + 1);
            order[i] = order[j];
            order[j] = i;
        }
        return (position, target) -> System.arraycopy(order, (int) position, target, 0, target.length);
    }

    /// Numbers below a count, none of them twice in a step.
    private static final class Draws implements Source {
        private static final long NONE = -1;

        private final long count;
        private final SplittableRandom random;
        private long[] seen = {};

        Draws(long count, long seed) {
            this.count = count;
            this.random = new SplittableRandom(seed);
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

    /// What the figures are made of. Indices are scaled to -0.5 to 0.5, so that sums keep their precision.
    private static final class Sums {
        private final double scale;
        private final boolean isPermutation;
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
            count += indices.length;
            pairCount += indices.length - 1;
            sum += stepSum;
            meanSum += mean;
            meanSquares += mean * mean;
        }

        ShuffleQuality quality(long stepCount, long stepSize) {
            double mean = isPermutation ? 0 : sum / count;
            // Of a permutation it is known, and so is not to be estimated from a part of it.
            double variance = isPermutation ? (1 - scale * scale) / 12 : squares / count - mean * mean;
            double ofMeans = (meanSquares - meanSum * meanSum / stepCount) / (stepCount - 1);
            double correlation = (products - mean * pairSum + mean * mean * pairCount) / (pairCount * variance);
            return new ShuffleQuality(
                    stepCount, stepSize, variance / ofMeans, correlation, (double) neighbourCount / pairCount);
        }
    }
}
