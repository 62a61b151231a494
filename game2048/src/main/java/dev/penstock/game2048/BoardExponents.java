// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.loader.Transform;
import dev.penstock.memory.Layouts;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/// Boards as 16 exponents each: the field `board` becomes the field `exponents` of 16 bytes, row by row from the
/// top left.
///
/// **Threads.** Any number.
public final class BoardExponents implements Transform {
    private static final String BOARD = "board";

    /// The name of the field with the exponents.
    public static final String EXPONENTS = "exponents";

    @Override
    public List<Field> fields(List<Field> fields) {
        Field board = Field.fixed(BOARD, ElementType.U64);
        if (!fields.contains(board)) {
            throw new IllegalArgumentException("exponents need a field board of type u64; there are: " + fields);
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

    /// Spreads the 16 nibbles over two numbers of eight bytes.
    private static void expand(Column from, Column to, long rowCount) {
        to.copyMissing(from, rowCount);
        MemorySegment boards = from.memory();
        MemorySegment exponents = to.reserveValues(rowCount * Board.CELLS);
        for (long row = 0; row < rowCount; row++) {
            long board = boards.get(Layouts.U64, row * Long.BYTES);
            exponents.set(Layouts.U64, row * Board.CELLS, spread(board >>> 32));
            exponents.set(Layouts.U64, row * Board.CELLS + Long.BYTES, spread(board & 0xFFFF_FFFFL));
        }
    }

    /// Eight nibbles as eight bytes, the highest nibble in the lowest byte.
    static long spread(long nibbles) {
        long spread = (nibbles | nibbles << 16) & 0x0000_FFFF_0000_FFFFL;
        spread = (spread | spread << 8) & 0x00FF_00FF_00FF_00FFL;
        spread = (spread | spread << 4) & 0x0F0F_0F0F_0F0F_0F0FL;
        return Long.reverseBytes(spread);
    }
}
