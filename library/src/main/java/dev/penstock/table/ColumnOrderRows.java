// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.file.OpenFile;
import dev.penstock.file.RangeReader;
import dev.penstock.rows.RowLayout;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/// Rows of an array in Fortran order, which is stored column by column, so that the items of a row are scattered
/// over the file.
///
/// Two neighbouring items of a row are `rowCount` items apart in the file, and the same item of neighbouring rows
/// is adjacent. So consecutive rows are read with one read for each item of a row.
///
/// An array in Fortran order has a row layout of its own; its rows are copied item by item
/// and never viewed. Every array that NumPy saves can be read; the fast path for contiguous rows stays as it
/// is.
///
/// @param dataOffset the offset of the items in the file
/// @param itemSize   the size of one item in bytes
/// @param shape      the dimensions of a row, outermost first
record ColumnOrderRows(long dataOffset, long itemSize, List<Long> shape, long rowCount) implements RowLayout {
    ColumnOrderRows {
        shape = List.copyOf(shape);
    }

    @Override
    public long rowSize() {
        return RowType.size(itemSize, shape);
    }

    @Override
    public long offset() {
        return -1;
    }

    @Override
    public void read(OpenFile file, long firstRow, long rowCount, MemorySegment target) throws IOException {
        if (rowCount == 1) {
            readPart(file, firstRow, 0, target.asSlice(0, rowSize()));
            return;
        }
        long rowSize = rowSize();
        MemorySegment column = MemorySegment.ofArray(new byte[Math.toIntExact(rowCount * itemSize)]);
        for (long item = 0; item * itemSize < rowSize; item++) {
            file.read(itemOffset(firstRow, item), column);
            for (long row = 0; row < rowCount; row++) {
                MemorySegment.copy(column, row * itemSize, target, row * rowSize + item * itemSize, itemSize);
            }
        }
    }

    @Override
    public void readPart(RangeReader file, long row, long offsetInRow, MemorySegment target) throws IOException {
        long done = 0;
        while (done < target.byteSize()) {
            long item = (offsetInRow + done) / itemSize;
            long inItem = (offsetInRow + done) % itemSize;
            long byteCount = Math.min(itemSize - inItem, target.byteSize() - done);
            file.read(itemOffset(row, item) + inItem, target.asSlice(done, byteCount));
            done += byteCount;
        }
    }

    /// The offset of an item in the file.
    ///
    /// @param item the index of the item in the row, with the last dimension running fastest
    private long itemOffset(long row, long item) {
        long column = 0;
        long rest = item;
        // Innermost dimension first: it runs fastest in a row and slowest in the file.
        for (long length : shape.reversed()) {
            column = column * length + rest % length;
            rest /= length;
        }
        return dataOffset + (column * rowCount + row) * itemSize;
    }
}
