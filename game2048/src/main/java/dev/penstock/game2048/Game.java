// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import java.util.function.Function;

/// Plays games with a player and records them.
///
/// **Threads.** One thread at a time.
public final class Game {
    /// The reason why a game ended.
    public enum End {
        /// No move is legal.
        OVER,
        /// The player chose no move.
        NO_MOVE,
        /// The chosen move would have created a tile of 65536.
        OVERFLOW,
        /// The largest number of steps was reached.
        STEPS
    }

    private final Expectimax player;
    private final Function<Expectimax, Move> choice;
    private final int stepsMax;

    /// @param choice   chooses one of the evaluated moves
    /// @param stepsMax the largest number of steps
    Game(Expectimax player, Function<Expectimax, Move> choice, int stepsMax) {
        this.player = player;
        this.choice = choice;
        this.stepsMax = stepsMax;
    }

    /// Creates a game that chooses moves as the original recorder does and plays until it is over.
    public static Game of(Expectimax player) {
        return new Game(player, Expectimax::lastBest, Integer.MAX_VALUE);
    }

    /// Plays one game from the start.
    ///
    /// @param random chooses positions and tiles to spawn
    /// @param target receives the steps and the final board; the caller sets its metadata
    public End play(StdRng random, RunColumns target) {
        target.begin();
        long board = Board.start(random);
        End end = null;
        while (end == null) {
            player.evaluate(board);
            Move move = choice.apply(player);
            end = end(board, move, target.stepCount);
            if (end == null) {
                int index = target.add(board, move.code(), RunColumns.HAS_BRANCHES | player.legalBits());
                Branches.normalise(player.legalBits(), player.values(), target.branchBits, index * Move.COUNT);
                board = Board.spawn(Board.slide(board, move.code()), random);
            }
        }
        target.end(null, board);
        return end;
    }

    private End end(long board, Move move, int stepCount) {
        if (player.legalBits() == 0) {
            return End.OVER;
        }
        if (move == null) {
            return End.NO_MOVE;
        }
        if (Board.isOverflowing(board, move)) {
            return End.OVERFLOW;
        }
        return stepCount >= stepsMax ? End.STEPS : null;
    }
}
