// SPDX-License-Identifier: Apache-2.0
package dev.penstock.rows;

import static dev.penstock.file.Layouts.U64;

import dev.penstock.file.RangeList;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// Reads rows without an address, because their file is not mapped or their values are scattered. The caller holds
/// the files open.
record UnmappedRows(RowFiles files) {
    /// The size of the buffer for rows that are read by position.
    private static final long READ_TILE_BYTES = 1L << 20;

    /// The size of the buffer for rows of a remote store, large enough for many parallel requests.
    private static final long RANGE_TILE_BYTES = 8L << 20;

    private static final int RANGE_TILE_ROWS = 16_384;

    /// The number of rows that are read at a time.
    int tileRows() {
        boolean isRanged = files.files().isRanged();
        long bytes = isRanged ? RANGE_TILE_BYTES : READ_TILE_BYTES;
        return Math.clamp(bytes / Math.max(1, files.rowSize()), 1, isRanged ? RANGE_TILE_ROWS : RowGather.TILE_ROWS);
    }

    /// Reads rows one after another into memory, neighbours in one read.
    void read(MemorySegment indices, MemorySegment rows) throws IOException {
        long rowSize = files.rowSize();
        long count = indices.byteSize() / U64.byteSize();
        RangeList ranges = files.files().isRanged() ? new RangeList() : null;
        for (long i = 0; i < count; ) {
            long first = indices.getAtIndex(U64, i);
            long rowCount = 1;
            while (i + rowCount < count && indices.getAtIndex(U64, i + rowCount) == first + rowCount) {
                rowCount++;
            }
            MemorySegment target = rows.asSlice(i * rowSize, rowCount * rowSize);
            if (ranges == null) {
                files.read(first, rowCount, target);
            } else {
                files.collect(first, rowCount, target, ranges);
            }
            i += rowCount;
        }
        if (ranges != null) {
            ranges.read();
        }
    }
}
