// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

/// A move merges two tiles of 32768. A board has four bits for each cell and cannot represent 65536, so the run
/// ends here.
public final class TileOverflowException extends IllegalStateException {
    TileOverflowException(long board, Move move) {
        super("moving " + move + " on " + Board.text(board) + " merges two 32768 tiles into 65536, which a board"
                + " cannot represent; the run ends before this move");
    }
}
