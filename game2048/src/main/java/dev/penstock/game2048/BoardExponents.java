// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.file.Layouts;
import dev.penstock.loader.Transform;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/// A transform that replaces the field `board` by the field `exponents` of 16 bytes, row by row from the top left.
///
/// **Threads.** Safe for any number of threads.
public final class BoardExponents implements Transform {
    private static final String BOARD = "board";

    /// Boards of a chunk take 6 KB, which fits the first-level cache.
    private static final int CHUNK_BOARDS = 256;

    /// The name of the field with the exponents.
    public static final String EXPONENTS = "exponents";

    @Override
    public List<Field> fields(List<Field> fields) {
        Field board = Field.fixed(BOARD, ElementType.U64);
        if (!fields.contains(board)) {
            throw new IllegalArgumentException(
                    "the transform needs a field board of type u64; the fields are " + fields);
        }
        List<Field> changed = new ArrayList<>();
        for (Field field : fields) {
            changed.add(field.equals(board) ? Field.fixed(EXPONENTS, ElementType.U8, (long) Board.CELLS) : field);
        }
        return changed;
    }

    @Override
    public void apply(Batch source, Batch target) {
        for (int i = 0; i < source.columns().size(); i++) {
            Column from = source.column(i);
            if (from.field().name().equals(BOARD)) {
                expand(from, target.column(i), source.rowCount());
            } else {
                target.column(i).exchange(from);
            }
        }
    }

    /// Expands the 16 nibbles of each board to two numbers of eight bytes.
    ///
    /// Boards go through arrays that stay in the first-level cache, and each step is a separate loop. The compiler
    /// vectorises such loops, but not one loop over the columns.
    private static void expand(Column from, Column to, long rowCount) {
        to.copyMissing(from, rowCount);
        MemorySegment boards = from.memory();
        MemorySegment exponents = to.reserveValues(rowCount * Board.CELLS);
        long[] chunk = new long[CHUNK_BOARDS];
        int[] halves = new int[2 * CHUNK_BOARDS];
        long[] spread = new long[2 * CHUNK_BOARDS];
        for (long row = 0; row < rowCount; row += CHUNK_BOARDS) {
            int count = (int) Math.min(CHUNK_BOARDS, rowCount - row);
            MemorySegment.copy(boards, Layouts.U64, row * Long.BYTES, chunk, 0, count);
            exchangeHalves(chunk, count);
            MemorySegment.copy(MemorySegment.ofArray(chunk), ValueLayout.JAVA_INT_UNALIGNED, 0, halves, 0, 2 * count);
            spread(halves, spread, 2 * count);
            reverseBytes(spread, 2 * count);
            MemorySegment.copy(spread, 0, exponents, Layouts.U64, row * Board.CELLS, 2 * count);
        }
    }

    /// Exchanges the halves: the upper half has the first exponents, but comes after the lower half in memory.
    private static void exchangeHalves(long[] boards, int count) {
        for (int i = 0; i < count; i++) {
            boards[i] = boards[i] << 32 | boards[i] >>> 32;
        }
    }

    /// Expands eight nibbles to eight bytes each.
    private static void spread(int[] nibbles, long[] bytes, int count) {
        for (int i = 0; i < count; i++) {
            long spread = nibbles[i] & 0xFFFF_FFFFL;
            spread = (spread | spread << 16) & 0x0000_FFFF_0000_FFFFL;
            spread = (spread | spread << 8) & 0x00FF_00FF_00FF_00FFL;
            bytes[i] = (spread | spread << 4) & 0x0F0F_0F0F_0F0F_0F0FL;
        }
    }

    /// Reverses the bytes, because the highest nibble of a half board is the first exponent.
    private static void reverseBytes(long[] bytes, int count) {
        for (int i = 0; i < count; i++) {
            bytes[i] = Long.reverseBytes(bytes[i]);
        }
    }
}
