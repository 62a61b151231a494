// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

/// Evaluates a board from its rows and columns. The values are those of the original program, bit for bit.
///
/// A line is worth `200000 + 270 * empty + 700 * merges - 47 * min(falling, rising) - 11 * sum(e^3.5)`. `merges`
/// counts the tiles in groups of equal neighbours; `falling` and `rising` sum up the differences of `e^4` between
/// neighbours where the line falls and where it rises.
///
/// The heuristic has its powers as constants. Java's `pow` differs from C's in the last bit, and
/// the search would choose other moves.
public final class Heuristic {
    private static final double LOST_PENALTY = 200_000;
    private static final double EMPTY_WEIGHT = 270;
    private static final double MERGES_WEIGHT = 700;
    private static final double MONOTONICITY_WEIGHT = 47;
    private static final double SUM_WEIGHT = 11;

    /// The exponents to the power of 3.5, as computed by the C library of the original program. Java's results
    /// differ in the last bit, so a search that compares sums of them would choose other moves.
    private static final long[] POWER_BITS = {
        0,
        0x3ff0000000000000L,
        0x4026a09e667f3bcdL,
        0x404761f7b40a80b0L,
        0x4060000000000000L,
        0x40717822cdf264ecL,
        0x408088b7e0e7b3ffL,
        0x408c5bf10c89ab81L,
        0x4096a09e667f3bcdL,
        0x40a1160000000000L,
        0x40a8b48e29793d2fL,
        0x40b13e6d76edd525L,
        0x40b761f7b40a80b0L,
        0x40bef1656a3aef1fL,
        0x40c40d8dcea95665L,
        0x40c987a8ce394909L
    };

    private static final double[] LINES = new double[Lines.COUNT];

    static {
        for (int line = 0; line < Lines.COUNT; line++) {
            LINES[line] = line(Lines.cells(line));
        }
    }

    private Heuristic() {}

    private static double line(int[] cells) {
        double sum = 0;
        int empty = 0;
        int merges = 0;
        int previous = 0;
        int group = 0;
        for (int exponent : cells) {
            sum += Double.longBitsToDouble(POWER_BITS[exponent]);
            if (exponent == 0) {
                empty++;
            } else if (exponent == previous) {
                group++;
            } else if (group > 0) {
                merges += 1 + group;
                group = 0;
            }
            if (exponent == 0 && group > 0) {
                merges += 1 + group;
                group = 0;
            }
            previous = exponent;
        }
        merges += group > 0 ? 1 + group : 0;
        return LOST_PENALTY
                + EMPTY_WEIGHT * empty
                + MERGES_WEIGHT * merges
                - MONOTONICITY_WEIGHT * monotonicity(cells)
                - SUM_WEIGHT * sum;
    }

    private static double monotonicity(int[] cells) {
        double falling = 0;
        double rising = 0;
        for (int i = 1; i < cells.length; i++) {
            double difference = fourthPower(cells[i - 1]) - fourthPower(cells[i]);
            falling += Math.max(difference, 0);
            rising += Math.max(-difference, 0);
        }
        return Math.min(falling, rising);
    }

    private static double fourthPower(int exponent) {
        return (double) exponent * exponent * exponent * exponent;
    }

    /// Returns the value of a board.
    public static double of(long board) {
        return of(board, Board.transpose(board));
    }

    /// The value of a board whose columns are already known. The order of the additions is that of the original
    /// program.
    static double of(long rows, long columns) {
        double value = LINES[(int) (rows >>> 48)];
        value += LINES[(int) (columns >>> 48)];
        value += LINES[(int) (rows >>> 32) & 0xFFFF];
        value += LINES[(int) (columns >>> 32) & 0xFFFF];
        value += LINES[(int) (rows >>> 16) & 0xFFFF];
        value += LINES[(int) (columns >>> 16) & 0xFFFF];
        value += LINES[(int) rows & 0xFFFF];
        value += LINES[(int) columns & 0xFFFF];
        return value;
    }
}
