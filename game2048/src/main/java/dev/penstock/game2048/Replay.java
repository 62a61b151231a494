// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.Reason;
import java.util.ArrayList;
import java.util.List;

/// Replays a run: every move must be legal, every next board must be the moved board with one spawned tile, and
/// the recorded legality must be that of the board.
public final class Replay {
    /// The largest number of problems that are listed. A file that is not a run has a problem in every step.
    private static final int PROBLEMS_MAX = 100;

    private Replay() {}

    /// A violation of the rules.
    ///
    /// @param step the index of the step
    public record Problem(long step, Reason reason, String what) {}

    /// Checks a run and returns its problems, at most [#PROBLEMS_MAX].
    public static List<Problem> check(Run run) {
        List<Problem> problems = new ArrayList<>();
        RunColumns columns = run.columns();
        for (int i = 0; i < columns.stepCount && problems.size() < PROBLEMS_MAX; i++) {
            long next = i + 1 < columns.stepCount ? columns.boards[i + 1] : columns.finalBoard;
            check(columns, i, next, problems);
        }
        return problems;
    }

    private static void check(RunColumns columns, int index, long next, List<Problem> problems) {
        long board = columns.boards[index];
        Move move = Move.of(columns.moves[index]);
        int legal = Board.legalMoves(board);
        int flags = columns.flags[index];
        if ((flags & RunColumns.HAS_BRANCHES) != 0 && (flags & RunColumns.LEGAL) != legal) {
            problems.add(new Problem(
                    index,
                    GameReason.LEGALITY_MISMATCH,
                    "the legality bits are " + bits(flags & RunColumns.LEGAL) + ", but those of " + Board.text(board)
                            + " are " + bits(legal) + " (up, down, left, right from the right)"));
        }
        if ((legal & move.bit()) == 0) {
            problems.add(new Problem(index, GameReason.ILLEGAL_MOVE, move + " does not change " + Board.text(board)));
        } else if (Board.isOverflowing(board, move)) {
            problems.add(
                    new Problem(index, GameReason.TILE_OVERFLOW, new TileOverflowException(board, move).getMessage()));
        } else if (!isSpawned(Board.shift(board, move), next)) {
            problems.add(new Problem(
                    index,
                    GameReason.BAD_TRANSITION,
                    move + " makes " + Board.text(Board.shift(board, move)) + " of " + Board.text(board)
                            + ", and one spawned tile does not make it " + Board.text(next)));
        }
    }

    private static String bits(int legal) {
        return Integer.toBinaryString(legal | 16).substring(1);
    }

    /// Whether `next` is the board `moved` with a 2 or a 4 in one of its empty cells.
    static boolean isSpawned(long moved, long next) {
        long difference = moved ^ next;
        int cell = Long.numberOfTrailingZeros(difference) & ~3;
        long tile = difference >>> cell;
        return difference != 0 && (tile == 1 || tile == 2) && (moved >>> cell & 15) == 0;
    }
}
