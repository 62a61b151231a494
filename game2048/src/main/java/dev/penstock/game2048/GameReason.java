// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.Reason;

/// Why runs and steps of the game 2048 were rejected, beside the reasons of every format in [Reason].
public final class GameReason {
    /// A move that does not exist in the game.
    public static final Reason BAD_MOVE = new Reason("BAD_MOVE");
    /// A move that does not change the board.
    public static final Reason ILLEGAL_MOVE = new Reason("ILLEGAL_MOVE");
    /// A board that does not follow from the board and the move before it.
    public static final Reason BAD_TRANSITION = new Reason("BAD_TRANSITION");
    /// A stored legality that differs from the legality of the board.
    public static final Reason LEGALITY_MISMATCH = new Reason("LEGALITY_MISMATCH");
    /// A move that creates a tile too large for the board's encoding.
    public static final Reason TILE_OVERFLOW = new Reason("TILE_OVERFLOW");
    /// A step of a run lacks the branch values that the dataset needs.
    public static final Reason MISSING_BRANCHES = new Reason("MISSING_BRANCHES");
    /// A run with more steps than a step index can number.
    public static final Reason RUN_TOO_LONG = new Reason("RUN_TOO_LONG");
    /// A row whose run id or step index does not match its position.
    public static final Reason BAD_RUN_ID = new Reason("BAD_RUN_ID");

    private GameReason() {}
}
