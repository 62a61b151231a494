// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import java.util.HexFormat;

/// The rules of the game on a board of 16 exponents in one `long`.
///
/// Cells are numbered row by row from the top left. Cell `i` is bits `63 - 4i` to `60 - 4i`, so the hexadecimal
/// digits read like the board, four for each row. A cell is 0 when it is empty and `e` for the tile `2^e`.
public final class Board {
    /// The number of cells.
    public static final int CELLS = 16;

    /// The largest exponent of a cell: the tile 32768.
    public static final int EXPONENT_MAX = 15;

    private static final long LOW_BITS = 0x1111_1111_1111_1111L;

    private Board() {}

    /// Returns the exponent in a cell, 0 when it is empty.
    public static int exponent(long board, int cell) {
        return (int) (board >>> 60 - 4 * cell) & 15;
    }

    /// Returns the value of the tile in a cell, 0 when it is empty.
    public static int tile(long board, int cell) {
        int exponent = exponent(board, cell);
        return exponent == 0 ? 0 : 1 << exponent;
    }

    /// Returns the number of empty cells.
    public static int emptyCount(long board) {
        return Long.bitCount(emptyCells(board));
    }

    /// Returns the lowest bit of every empty cell.
    static long emptyCells(long board) {
        long used = board | board >>> 2;
        used |= used >>> 1;
        return ~used & LOW_BITS;
    }

    /// Returns the board after a move, before a tile is spawned. An illegal move changes nothing.
    ///
    /// @throws TileOverflowException when the move merges two tiles of 32768, which a board cannot represent
    public static long shift(long board, Move move) {
        if (isOverflowing(board, move)) {
            throw new TileOverflowException(board, move);
        }
        return slide(board, move.code());
    }

    /// [#shift] without the check. [Lines] says what happens to two tiles of 32768.
    static long slide(long board, int move) {
        return switch (move) {
            case 0 -> transpose(toFirst(transpose(board)));
            case 1 -> transpose(toLast(transpose(board)));
            case 2 -> toFirst(board);
            default -> toLast(board);
        };
    }

    static long toFirst(long board) {
        return (long) Lines.TO_FIRST[(int) (board >>> 48)] << 48
                | (long) Lines.TO_FIRST[(int) (board >>> 32) & 0xFFFF] << 32
                | (long) Lines.TO_FIRST[(int) (board >>> 16) & 0xFFFF] << 16
                | Lines.TO_FIRST[(int) board & 0xFFFF];
    }

    static long toLast(long board) {
        return (long) Lines.TO_LAST[(int) (board >>> 48)] << 48
                | (long) Lines.TO_LAST[(int) (board >>> 32) & 0xFFFF] << 32
                | (long) Lines.TO_LAST[(int) (board >>> 16) & 0xFFFF] << 16
                | Lines.TO_LAST[(int) board & 0xFFFF];
    }

    /// Returns the board with rows and columns exchanged.
    static long transpose(long board) {
        // Exchange cells within blocks of two by two, then these blocks.
        long cells = (board ^ board >>> 12) & 0x0000_F0F0_0000_F0F0L;
        long half = board ^ cells ^ cells << 12;
        long blocks = (half ^ half >>> 24) & 0x0000_0000_FF00_FF00L;
        return half ^ blocks ^ blocks << 24;
    }

    /// Returns whether a move merges two tiles of 32768.
    public static boolean isOverflowing(long board, Move move) {
        if (highestExponent(board) < EXPONENT_MAX) {
            return false;
        }
        long lines = move == Move.UP || move == Move.DOWN ? transpose(board) : board;
        boolean isToFirst = move == Move.UP || move == Move.LEFT;
        boolean isOverflowing = false;
        for (int shift = 0; shift < Long.SIZE; shift += 16) {
            int line = (int) (lines >>> shift) & 0xFFFF;
            isOverflowing |= isToFirst ? Lines.overflowsToFirst(line) : Lines.overflowsToLast(line);
        }
        return isOverflowing;
    }

    /// Returns the legality bits: one for each move that changes the board.
    public static int legalMoves(long board) {
        long columns = transpose(board);
        return (toFirst(columns) != columns ? Move.UP.bit() : 0)
                | (toLast(columns) != columns ? Move.DOWN.bit() : 0)
                | (toFirst(board) != board ? Move.LEFT.bit() : 0)
                | (toLast(board) != board ? Move.RIGHT.bit() : 0);
    }

    /// Returns whether no move changes the board. The empty board is over.
    public static boolean isOver(long board) {
        return legalMoves(board) == 0;
    }

    /// Returns the score of the board: the sum of `(e - 1) * 2^e` over its tiles. It depends on the board only, so
    /// a spawned 4 counts as if it had been merged.
    public static long score(long board) {
        long score = 0;
        for (int cell = 0; cell < CELLS; cell++) {
            int exponent = exponent(board, cell);
            score += exponent < 2 ? 0 : (exponent - 1L) << exponent;
        }
        return score;
    }

    static int highestExponent(long board) {
        int highest = 0;
        for (long rest = board; rest != 0; rest >>>= 4) {
            highest = Math.max(highest, (int) rest & 15);
        }
        return highest;
    }

    /// Returns the value of the highest tile, 1 on an empty board.
    public static int highestTile(long board) {
        return 1 << highestExponent(board);
    }

    /// Spawns a tile: a 2 with probability 0.9, otherwise a 4, in a random empty cell, counted from the last one.
    ///
    /// @throws IllegalStateException when the board is full
    public static long spawn(long board, StdRng random) {
        int emptyCount = emptyCount(board);
        if (emptyCount == 0) {
            throw new IllegalStateException("the board is full, so no tile can be spawned");
        }
        long free = emptyCells(board);
        for (long skip = random.below64(emptyCount); skip > 0; skip--) {
            free &= free - 1;
        }
        long cell = free & -free;
        return board | (random.below32(10) < 9 ? cell : cell << 1);
    }

    /// Returns a board at the start of a game, with two spawned tiles.
    public static long start(StdRng random) {
        return spawn(spawn(0, random), random);
    }

    /// Returns the board as a hexadecimal number, such as `0x1234142030001200`.
    public static String text(long board) {
        return "0x" + HexFormat.of().toHexDigits(board);
    }
}
