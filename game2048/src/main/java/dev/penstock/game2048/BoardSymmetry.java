// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Field;
import dev.penstock.file.Layouts;
import dev.penstock.loader.Transform;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.SplittableRandom;

/// A transform that rotates and mirrors boards, together with moves, legal moves and values: the eight symmetries
/// of the square.
///
/// Symmetry `k` first mirrors left and right if `k` is 4 or more, and then rotates by `k % 4` quarter turns
/// clockwise. The fields `board`, `move`, `ev_legal` and `ev_values` are changed if they exist; a batch without
/// boards is rejected.
///
/// A random symmetry depends on the seed, the epoch, and the position of the row in the epoch. So a row gets
/// another symmetry in the next epoch, and loaders with any number of threads, also resumed ones, give the same
/// rows.
///
/// **Threads.** Safe for any number of threads.
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

    /// Creates a transform with the same symmetry for all rows.
    ///
    /// @param symmetry 0 to 7; 0 changes nothing
    public static BoardSymmetry of(int symmetry) {
        if (symmetry < 0 || symmetry >= COUNT) {
            throw new IllegalArgumentException("a symmetry must be between 0 and 7, got " + symmetry);
        }
        return new BoardSymmetry(symmetry, 0);
    }

    /// Creates a transform with a random symmetry for each row.
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

    /// Applies a symmetry to a board.
    public static long board(long board, int symmetry) {
        long result = symmetry >= 4 ? mirrored(board) : board;
        for (int quarter = 0; quarter < symmetry % 4; quarter++) {
            result = mirrored(Board.transpose(result));
        }
        return result;
    }

    /// Exchanges left and right: the nibbles of each row in reverse order.
    private static long mirrored(long board) {
        long pairs = (board & 0x0F0F_0F0F_0F0F_0F0FL) << 4 | (board & 0xF0F0_F0F0_F0F0_F0F0L) >>> 4;
        return (pairs & 0x00FF_00FF_00FF_00FFL) << 8 | (pairs & 0xFF00_FF00_FF00_FF00L) >>> 8;
    }

    /// Applies a symmetry to a move.
    public static int move(int move, int symmetry) {
        return MOVES[symmetry][move];
    }

    @Override
    public List<Field> fields(List<Field> fields) {
        if (fields.stream().noneMatch(field -> field.name().equals("board"))) {
            throw new IllegalArgumentException("the transform needs the field board; the fields are " + fields);
        }
        return fields;
    }

    /// Outside a loader there is no epoch, so a random symmetry depends on the seed and the position in the batch.
    @Override
    public void apply(Batch source, Batch target) {
        apply(source, target, (row, own) -> new SplittableRandom(own + row).nextLong());
    }

    @Override
    public void apply(Batch source, Batch target, RowSeeds seeds) {
        int rowCount = Math.toIntExact(source.rowCount());
        byte[] symmetries = new byte[rowCount];
        for (int row = 0; row < rowCount; row++) {
            // Use the highest three bits of the seed of a row.
            symmetries[row] = (byte) (fixed >= 0 ? fixed : seeds.of(row, seed) >>> 61);
        }
        for (int i = 0; i < source.columns().size(); i++) {
            Column column = source.column(i);
            change(column, symmetries, rowCount);
            target.column(i).exchange(column);
        }
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
                // Other fields, such as run ids, do not depend on the symmetry.
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
