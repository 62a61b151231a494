// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Field;
import dev.penstock.loader.Transform;
import dev.penstock.memory.Layouts;
import java.lang.foreign.MemorySegment;
import java.util.List;

/// Turns and mirrors boards, and with them the moves, the legal moves and the values: the eight symmetries of the
/// square.
///
/// Symmetry `k` mirrors left and right first when `k` is 4 or more, and then turns by `k % 4` quarters clockwise.
/// The fields `board`, `move`, `ev_legal` and `ev_values` are changed, as far as they are there; a batch without
/// boards is refused.
///
/// A random symmetry depends on the seed and on the values of the row alone, so that a loader that is resumed
/// gives the same rows. Another seed gives other ones, for instance a seed for each epoch.
///
/// **Threads.** Any number.
public final class BoardSymmetry implements Transform {
    /// The number of symmetries.
    public static final int COUNT = 8;

    /// For each symmetry, the move that a move becomes.
    private static final int[][] MOVES = moves();

    private final int fixed;
    private final long seed;

    private BoardSymmetry(int fixed, long seed) {
        this.fixed = fixed;
        this.seed = seed;
    }

    /// The same symmetry for all rows.
    ///
    /// @param symmetry 0 to 7; 0 changes nothing
    public static BoardSymmetry of(int symmetry) {
        if (symmetry < 0 || symmetry >= COUNT) {
            throw new IllegalArgumentException("a symmetry is 0 to 7, got " + symmetry);
        }
        return new BoardSymmetry(symmetry, 0);
    }

    /// A symmetry for each row, chosen by the seed and the row.
    public static BoardSymmetry random(long seed) {
        return new BoardSymmetry(-1, seed);
    }

    private static int[][] moves() {
        // Clockwise, up becomes right, down left, left up, and right down.
        int[] turned = {3, 2, 0, 1};
        int[] mirrored = {0, 1, 3, 2};
        int[][] all = new int[COUNT][Move.COUNT];
        for (int symmetry = 0; symmetry < COUNT; symmetry++) {
            for (int move = 0; move < Move.COUNT; move++) {
                int result = symmetry >= 4 ? mirrored[move] : move;
                for (int quarter = 0; quarter < symmetry % 4; quarter++) {
                    result = turned[result];
                }
                all[symmetry][move] = result;
            }
        }
        return all;
    }

    /// A board after a symmetry.
    public static long board(long board, int symmetry) {
        long result = symmetry >= 4 ? mirrored(board) : board;
        for (int quarter = 0; quarter < symmetry % 4; quarter++) {
            result = mirrored(Board.transpose(result));
        }
        return result;
    }

    /// Left and right exchanged: the nibbles of each row in reverse order.
    private static long mirrored(long board) {
        long pairs = (board & 0x0F0F_0F0F_0F0F_0F0FL) << 4 | (board & 0xF0F0_F0F0_F0F0_F0F0L) >>> 4;
        return (pairs & 0x00FF_00FF_00FF_00FFL) << 8 | (pairs & 0xFF00_FF00_FF00_FF00L) >>> 8;
    }

    /// A move after a symmetry.
    public static int move(int move, int symmetry) {
        return MOVES[symmetry][move];
    }

    @Override
    public List<Field> fields(List<Field> fields) {
        if (fields.stream().noneMatch(field -> field.name().equals("board"))) {
            throw new IllegalArgumentException("symmetries need the field board; there are: " + fields);
        }
        return fields;
    }

    @Override
    public void apply(Batch source, Batch target) {
        int rowCount = Math.toIntExact(source.rowCount());
        MemorySegment boards = source.column("board").memory();
        byte[] symmetries = new byte[rowCount];
        for (int row = 0; row < rowCount; row++) {
            symmetries[row] = (byte) (fixed >= 0 ? fixed : chosen(boards.get(Layouts.U64, row * 8L)));
        }
        for (int i = 0; i < source.columns().size(); i++) {
            Column column = source.column(i);
            change(column, symmetries, rowCount);
            target.column(i).exchange(column);
        }
    }

    /// The three highest bits of a mixture of seed and board.
    private int chosen(long board) {
        long mixed = (board ^ seed) * 0x9E37_79B9_7F4A_7C15L;
        mixed = (mixed ^ mixed >>> 32) * 0xD6E8_FEB8_6659_FD93L;
        return (int) (mixed >>> 61);
    }

    private static void change(Column column, byte[] symmetries, int rowCount) {
        MemorySegment memory = column.memory();
        switch (column.field().name()) {
            case "board" -> {
                for (int row = 0; row < rowCount; row++) {
                    memory.set(Layouts.U64, row * 8L, board(memory.get(Layouts.U64, row * 8L), symmetries[row]));
                }
            }
            case "move" -> {
                for (int row = 0; row < rowCount; row++) {
                    memory.set(Layouts.U8, row, (byte) MOVES[symmetries[row]][memory.get(Layouts.U8, row) & 3]);
                }
            }
            case "ev_legal" -> {
                for (int row = 0; row < rowCount; row++) {
                    memory.set(Layouts.U8, row, (byte) legal(memory.get(Layouts.U8, row), symmetries[row]));
                }
            }
            case "ev_values" -> {
                for (int row = 0; row < rowCount; row++) {
                    permute(memory, row * 16L, symmetries[row]);
                }
            }
            default -> {
                // Run ids and the like are the same for all symmetries.
            }
        }
    }

    private static int legal(int bits, int symmetry) {
        int changed = 0;
        for (int move = 0; move < Move.COUNT; move++) {
            changed |= (bits >>> move & 1) << MOVES[symmetry][move];
        }
        return changed;
    }

    private static void permute(MemorySegment memory, long offset, int symmetry) {
        int[] values = new int[Move.COUNT];
        for (int move = 0; move < Move.COUNT; move++) {
            values[MOVES[symmetry][move]] = memory.get(Layouts.U32, offset + move * 4L);
        }
        for (int move = 0; move < Move.COUNT; move++) {
            memory.set(Layouts.U32, offset + move * 4L, values[move]);
        }
    }
}
