// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

/// Branch values of a step as the original program provides them for training: a chosen move that is as good as
/// the best is exactly 1. A step without branch values has the chosen move as its only legal move, with the value
/// 1.
final class StepBranches {
    /// A chosen move above this value counts as the best: the float nearest to 1 - 1e-6.
    private static final float BEST_ABOVE = Float.intBitsToFloat(0x3F7F_FFEF);

    private static final int ONE_BITS = 0x3F80_0000;

    private StepBranches() {}

    /// The legality bits of a step.
    static int legal(RunColumns columns, int step) {
        int flags = columns.flags[step];
        return (flags & RunColumns.HAS_BRANCHES) != 0 ? flags & RunColumns.LEGAL : 1 << columns.moves[step];
    }

    /// The bits of the value of a move; 0 when it is illegal.
    static int valueBits(RunColumns columns, int step, int move) {
        boolean isChosen = columns.moves[step] == move;
        if ((columns.flags[step] & RunColumns.HAS_BRANCHES) == 0) {
            return isChosen ? ONE_BITS : 0;
        }
        int bits = columns.branchBits[step * Move.COUNT + move];
        return isChosen && Float.intBitsToFloat(bits) > BEST_ABOVE ? ONE_BITS : bits;
    }
}
