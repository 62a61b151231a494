// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

/// Mean and deviation of values that come in blocks, by the method of Chan: no large sums are subtracted from each
/// other, and two of them can be merged.
///
/// Values whose squares are too large or too small for a double are counted in a unit of their own; the largest
/// unit that was needed is that of all.
///
/// **Threads.** One at a time.
final class Moments {
    private static final double PER_UNIT = 0x1p-600;

    /// Squares of lesser values can be added up without end.
    private static final double PLAIN_MAX = 0x1p450;

    /// Squares of greater values keep all their digits.
    private static final double PLAIN_MIN = 0x1p-450;

    private long count;
    private double mean;
    private double squares;

    /// -1, 0 or 1: the power of 2 to the power of 600 that mean and squares are multiples of.
    private int unit = -1;

    long count() {
        return count;
    }

    double mean() {
        return scaled(mean);
    }

    /// The square root of the mean square distance from the mean.
    double std() {
        return scaled(Math.sqrt(squares / count));
    }

    /// Adds the first `blockCount` finite values of an array, which may be changed.
    ///
    /// @param magnitude the largest absolute value
    void add(double[] values, int blockCount, double magnitude) {
        if (blockCount == 0) {
            return;
        }
        Moments block = new Moments();
        block.count = blockCount;
        block.unit = magnitude > PLAIN_MAX ? 1 : magnitude < PLAIN_MIN ? -1 : 0;
        double factor = block.unit == 1 ? PER_UNIT : block.unit == -1 ? 1 / PER_UNIT : 1;
        double sum = 0;
        for (int i = 0; i < blockCount; i++) {
            values[i] *= factor;
            sum += values[i];
        }
        block.mean = sum / blockCount;
        double squares = 0;
        for (int i = 0; i < blockCount; i++) {
            double distance = values[i] - block.mean;
            squares += distance * distance;
        }
        block.squares = squares;
        merge(block);
    }

    void merge(Moments other) {
        if (other.count == 0) {
            return;
        }
        int largest = Math.max(unit, other.unit);
        double otherMean = other.meanIn(largest);
        double otherSquares = other.squaresIn(largest);
        mean = meanIn(largest);
        squares = squaresIn(largest);
        unit = largest;
        long total = count + other.count;
        double distance = otherMean - mean;
        double share = (double) other.count / total;
        mean += distance * share;
        squares += otherSquares + distance * distance * (count * share);
        count = total;
    }

    private double scaled(double value) {
        return unit == 1 ? value / PER_UNIT : unit == -1 ? value * PER_UNIT : value;
    }

    private double meanIn(int largerUnit) {
        double scaled = mean;
        for (int i = unit; i < largerUnit; i++) {
            scaled *= PER_UNIT;
        }
        return scaled;
    }

    private double squaresIn(int largerUnit) {
        double scaled = squares;
        for (int i = unit; i < largerUnit; i++) {
            scaled *= PER_UNIT;
            scaled *= PER_UNIT;
        }
        return scaled;
    }
}
