// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

/// Mean and standard deviation of values that come in blocks, computed by Chan's method. It never subtracts large
/// sums from each other, and two results can be merged.
///
/// Values whose squares are too large or too small for a double are scaled by a unit. The largest unit of any
/// block is used for the total.
///
/// **Threads.** One thread at a time.
final class Moments {
    private static final double PER_UNIT = 0x1p-600;

    /// The squares of smaller values can be added up without overflow.
    private static final double PLAIN_MAX = 0x1p450;

    /// The squares of larger values keep all their digits.
    private static final double PLAIN_MIN = 0x1p-450;

    private long count;
    private double mean;
    private double squares;

    /// The unit of mean and squares: -1, 0 or 1 stands for 2 to the power of -600, 0 or 600.
    private int unit = -1;

    long count() {
        return count;
    }

    double mean() {
        return scaled(mean);
    }

    /// The population standard deviation.
    double std() {
        return scaled(Math.sqrt(squares / count));
    }

    /// Adds the first `blockCount` finite values of an array. The array may be changed.
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
