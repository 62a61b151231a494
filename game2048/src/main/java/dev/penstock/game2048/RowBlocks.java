// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.StoredRows;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// Reads consecutive rows of a table in their stored form, some thousands at a time.
final class RowBlocks {
    private static final int BLOCK_ROWS = 1 << 16;

    private RowBlocks() {}

    /// Receives blocks of rows.
    @FunctionalInterface
    interface BlockReceiver {
        /// @param rows the rows one after another; there may be bytes after them. Valid during the call only
        void accept(long firstRow, int rowCount, byte[] rows) throws IOException;
    }

    static void forEach(StoredRows table, long firstRow, long rowCount, BlockReceiver receiver) throws IOException {
        int blockRows = (int) Math.min(BLOCK_ROWS, rowCount);
        byte[] rows = new byte[Math.toIntExact(blockRows * table.rowSize())];
        long[] indices = new long[blockRows];
        for (long done = 0; done < rowCount; done += BLOCK_ROWS) {
            int count = (int) Math.min(BLOCK_ROWS, rowCount - done);
            for (int i = 0; i < count; i++) {
                indices[i] = firstRow + done + i;
            }
            table.read(
                    MemorySegment.ofArray(indices).asSlice(0, (long) count * Long.BYTES),
                    MemorySegment.ofArray(rows).asSlice(0, count * table.rowSize()));
            receiver.accept(firstRow + done, count, rows);
        }
    }
}
