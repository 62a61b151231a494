// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.DatasetException;
import java.nio.file.Path;

/// Converts decoded runs to rows of a steps dataset.
final class StepRows {
    private static final int ONE_BITS = 0x3F80_0000;

    private StepRows() {}

    /// How steps without branch values are handled.
    enum MissingBranches {
        /// The run is rejected.
        ERROR,
        /// The legal moves of the board are used, with the value 1 for the chosen move and 0 for the others.
        SYNTHESIZE
    }

    /// Writes the rows of a run.
    ///
    /// @param target memory for the rows at the offset
    /// @throws DatasetException when a step has no branch values and they may not be synthesized
    static void write(
            RunColumns run, long runId, boolean isWide, MissingBranches missing, byte[] target, int offset, Path file) {
        int rowSize = StepsFormat.rowSize(isWide);
        for (int step = 0; step < run.stepCount; step++) {
            int at = offset + step * rowSize;
            RunBytes.U64.set(target, at, run.boards[step]);
            target[at + 8] = run.moves[step];
            int flags = run.flags[step];
            if ((flags & RunColumns.HAS_BRANCHES) != 0) {
                target[at + 9] = (byte) (flags & RunColumns.LEGAL);
                values(run, step, flags, target, at + StepsFormat.VALUES_OFFSET);
            } else if (missing == MissingBranches.SYNTHESIZE) {
                synthesize(run, step, target, at);
            } else {
                throw new DatasetException.Corrupt(
                        file,
                        0,
                        GameReason.MISSING_BRANCHES,
                        "step " + step + " has no branch values, which the dataset needs");
            }
            RunBytes.U32.set(target, at + StepsFormat.RUN_ID_OFFSET, (int) runId);
            if (isWide) {
                RunBytes.U32.set(target, at + StepsFormat.STEP_INDEX_OFFSET, step);
            } else {
                RunBytes.U16.set(target, at + StepsFormat.STEP_INDEX_OFFSET, (short) step);
            }
        }
    }

    private static void values(RunColumns run, int step, int flags, byte[] target, int at) {
        for (int move = 0; move < Move.COUNT; move++) {
            int bits = 0;
            if ((flags >>> move & 1) != 0) {
                bits = run.moves[step] == move ? ONE_BITS : clamped(run.branchBits[step * Move.COUNT + move]);
            }
            RunBytes.U32.set(target, at + move * Float.BYTES, bits);
        }
    }

    /// Clamps a value to the range from 0 to 1. NaN and everything below becomes plus 0.
    private static int clamped(int bits) {
        float value = Float.intBitsToFloat(bits);
        return value > 0 ? value < 1 ? bits : ONE_BITS : 0;
    }

    private static void synthesize(RunColumns run, int step, byte[] target, int at) {
        int legal = Board.legalMoves(run.boards[step]) | 1 << run.moves[step];
        target[at + 9] = (byte) legal;
        for (int move = 0; move < Move.COUNT; move++) {
            RunBytes.U32.set(
                    target,
                    at + StepsFormat.VALUES_OFFSET + move * Float.BYTES,
                    run.moves[step] == move ? ONE_BITS : 0);
        }
    }
}
