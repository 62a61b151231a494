// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

/// Tells an order that is random from one that only looks so, over many seeds.
///
/// Each figure is how many standard deviations it is from what a true shuffle has: beyond 5 or so there is
/// something to be seen.
final class OrderFigures {
    /// An order of the numbers below a count.
    @FunctionalInterface
    interface Order {
        long[] of(int count, long seed);
    }

    private OrderFigures() {}

    /// Whether each number comes to each position as often as to the others.
    static double positions(Order order, int count, int seedCount, long firstSeed) {
        int[][] hits = new int[count][count];
        for (int s = 0; s < seedCount; s++) {
            long[] numbers = order.of(count, firstSeed + s);
            for (int i = 0; i < count; i++) {
                hits[i][(int) numbers[i]]++;
            }
        }
        double expected = (double) seedCount / count;
        double chi = 0;
        for (int[] row : hits) {
            for (int hit : row) {
                chi += (hit - expected) * (hit - expected) / expected;
            }
        }
        double freedom = (count - 1.0) * (count - 1.0);
        return (chi - freedom) / Math.sqrt(2 * freedom);
    }

    /// The serial correlation of numbers at a distance of some positions.
    static double correlation(Order order, int count, int lag, int seedCount, long firstSeed) {
        double mean = (count - 1) / 2.0;
        double variance = ((double) count * count - 1) / 12;
        double sum = 0;
        for (int s = 0; s < seedCount; s++) {
            long[] numbers = order.of(count, firstSeed + s);
            double one = 0;
            for (int i = 0; i + lag < count; i++) {
                one += (numbers[i] - mean) * (numbers[i + lag] - mean) / variance;
            }
            // Drawn without replacement, two numbers are a little opposed.
            double pairs = count - lag;
            sum += (one + pairs / (count - 1.0)) / Math.sqrt(pairs);
        }
        return sum / Math.sqrt(seedCount);
    }

    /// Whether neighbours come after each other as often as by chance: a difference of 1, either way.
    static double adjacency(Order order, int count, int seedCount, long firstSeed) {
        long hits = 0;
        for (int s = 0; s < seedCount; s++) {
            long[] numbers = order.of(count, firstSeed + s);
            for (int i = 1; i < count; i++) {
                hits += Math.abs(numbers[i] - numbers[i - 1]) == 1 ? 1 : 0;
            }
        }
        // Nearly a Poisson number with this mean.
        double expected = 2.0 * (count - 1) / count * seedCount;
        return (hits - expected) / Math.sqrt(expected);
    }

    /// Whether differences of neighbours in the order spread as those of two numbers drawn at random.
    static double differences(Order order, int count, int seedCount, long firstSeed) {
        int bins = 16;
        long[] hits = new long[bins];
        long total = 0;
        for (int s = 0; s < seedCount; s++) {
            long[] numbers = order.of(count, firstSeed + s);
            for (int i = 1; i < count; i += 2) {
                hits[(int) (Math.floorMod(numbers[i] - numbers[i - 1], (long) count) * bins / count)]++;
                total++;
            }
        }
        double chi = 0;
        for (int bin = 0; bin < bins; bin++) {
            // A difference of 0 cannot be.
            double share = binShare(count, bins, bin);
            chi += (hits[bin] - share * total) * (hits[bin] - share * total) / (share * total);
        }
        return (chi - (bins - 1)) / Math.sqrt(2.0 * (bins - 1));
    }

    private static double binShare(int count, int bins, int bin) {
        long inBin = 0;
        for (long difference = 1; difference < count; difference++) {
            inBin += difference * bins / count == bin ? 1 : 0;
        }
        return inBin / (count - 1.0);
    }

    /// The worst of all figures.
    static double worst(Order order, int count, int seedCount, long firstSeed) {
        double worst = Math.abs(adjacency(order, count, seedCount, firstSeed));
        worst = Math.max(worst, Math.abs(differences(order, count, seedCount, firstSeed)));
        for (int lag : new int[] {1, 2, 3, (int) Math.sqrt(count), count / 2}) {
            worst = Math.max(worst, Math.abs(correlation(order, count, lag, seedCount, firstSeed)));
        }
        return worst;
    }
}
