// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.loader.PermutationSampler;
import dev.penstock.loader.Sampler;
import java.util.Arrays;
import java.util.BitSet;
import java.util.stream.IntStream;

/// A split of runs into a test part and a training part. Runs are never divided, so no game is in both parts.
///
/// @param test  the indices of the test part, in the order they were chosen
/// @param train the indices of the training part, ascending
public record RunSplit(long[] test, long[] train) {
    /// The order in which runs are chosen for the test part.
    public enum Order {
        /// Our own shuffle, which works for any number of runs.
        SHUFFLED,
        /// The shuffle of the original program.
        ORIGINAL,
        /// The order of the pack.
        SEQUENTIAL
    }

    /// Options for a split.
    ///
    /// @param testShare the fraction for testing, greater than 0 and less than 1, or 0 when `testSize` is given
    /// @param testSize  the number of runs or steps for testing, or -1 when `testShare` is given
    /// @param isBySteps whether fraction and size count steps instead of runs; whole runs are taken until it is
    ///                  reached
    /// @param seed      the seed of the shuffle
    public record Options(double testShare, long testSize, boolean isBySteps, long seed, Order order) {
        public Options {
            if ((testShare == 0) == (testSize < 0)) {
                throw new IllegalArgumentException("give either the fraction or the size of the test part");
            }
            if (testSize < 0 && !(testShare > 0 && testShare < 1)) {
                throw new IllegalArgumentException(
                        "the test fraction must be greater than 0 and less than 1, got " + testShare);
            }
        }
    }

    /// @param indices all runs
    /// @param steps   the number of steps of each run, needed for a split by steps
    static RunSplit of(long[] indices, long[] steps, Options options) {
        int[] order = order(indices.length, options);
        int testCount = testCount(order, steps, options);
        BitSet isTest = new BitSet(indices.length);
        long[] test = new long[testCount];
        for (int i = 0; i < testCount; i++) {
            isTest.set(order[i]);
            test[i] = indices[order[i]];
        }
        long[] train = new long[indices.length - testCount];
        int filled = 0;
        for (int i = 0; i < indices.length; i++) {
            if (!isTest.get(i)) {
                train[filled++] = indices[i];
            }
        }
        return new RunSplit(test, train);
    }

    private static int testCount(int[] order, long[] steps, Options options) {
        long total = options.isBySteps() ? Arrays.stream(steps).sum() : order.length;
        long target = options.testSize() >= 0
                ? Math.min(options.testSize(), total)
                : Math.max(1, (long) (options.testShare() * total));
        if (!options.isBySteps()) {
            return (int) Math.min(target, order.length);
        }
        long taken = 0;
        int count = 0;
        while (count < order.length && taken < Math.max(1, target)) {
            taken += steps[order[count++]];
        }
        return count;
    }

    private static int[] order(int count, Options options) {
        return switch (options.order()) {
            case ORIGINAL -> new StdRng(options.seed()).shuffled(count);
            case SEQUENTIAL -> IntStream.range(0, count).toArray();
            case SHUFFLED -> shuffled(count, options.seed());
        };
    }

    private static int[] shuffled(int count, long seed) {
        Sampler sampler = new PermutationSampler(count, seed);
        int[] order = new int[count];
        for (int i = 0; i < count; i++) {
            order[i] = (int) sampler.index(0, i);
        }
        return order;
    }
}
