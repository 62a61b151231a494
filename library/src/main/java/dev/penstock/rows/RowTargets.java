// SPDX-License-Identifier: Apache-2.0
package dev.penstock.rows;

import dev.penstock.Buffer;
import dev.penstock.rows.kernel.RowCopy;
import java.util.Arrays;

/// The targets of the rows of a gather: columns, or rows in their stored form.
///
/// **Ownership.** Holds a lease on the memory of every column until [#clear], because rows are written to
/// addresses. Without it rows could be written to freed memory when another thread closes the batch.
///
/// **Threads.** Set by one thread; then any number may copy, each its own rows.
final class RowTargets {
    private RowField[] fields = new RowField[0];
    private Buffer.Block[] columns = new Buffer.Block[0];
    private int columnCount;
    private boolean isRows;
    private long rowsStart;
    private long rowSize;
    private boolean isTouched;

    /// Removes all columns and returns their leases.
    void clear() {
        for (int i = 0; i < columnCount; i++) {
            columns[i].release();
            columns[i] = null;
        }
        columnCount = 0;
        isRows = false;
    }

    /// @param column    leased memory, which [#clear] returns
    /// @param isTouched whether the last of the rows is known to be readable
    void addColumn(RowField field, Buffer.Block column, boolean isTouched) {
        if (columnCount == fields.length) {
            fields = Arrays.copyOf(fields, columnCount * 2 + 1);
            columns = Arrays.copyOf(columns, columnCount * 2 + 1);
        }
        fields[columnCount] = field;
        columns[columnCount++] = column;
        this.isTouched = isTouched;
    }

    /// Sets the target to rows in their stored form, contiguous from an address on.
    void setRows(long start, long rowSize, boolean isTouched) {
        this.isRows = true;
        this.rowsStart = start;
        this.rowSize = rowSize;
        this.isTouched = isTouched;
    }

    /// Copies some rows.
    ///
    /// @param places the address of the addresses of the rows
    void copy(long places, long firstRow, int rowCount) {
        if (isRows) {
            RowCopy.copy(places, rowCount, 0, rowSize, rowsStart + firstRow * rowSize, rowSize, isTouched);
            return;
        }
        for (int i = 0; i < columnCount; i++) {
            copyColumn(fields[i], columns[i].segment().address(), places, firstRow, rowCount);
        }
    }

    /// Converts the values of columns that are stored in big-endian order to little-endian order.
    void swap(long rowCount) {
        for (int i = 0; i < columnCount; i++) {
            long swapSize = fields[i].swapSize();
            if (swapSize > 1) {
                long byteCount = rowCount * fields[i].field().itemSize();
                ByteOrderSwap.swap(columns[i].segment().asSlice(0, byteCount), swapSize);
            }
        }
    }

    private void copyColumn(RowField field, long columnStart, long places, long firstRow, int rowCount) {
        long itemSize = field.field().itemSize();
        long start = columnStart + firstRow * itemSize;
        if (field.outer().isEmpty()) {
            RowCopy.copy(places, rowCount, field.offset(), field.blockSize(), start, itemSize, isTouched);
        } else {
            field.forEachBlock((rowOffset, columnOffset) -> RowCopy.copy(
                    places, rowCount, rowOffset, field.blockSize(), start + columnOffset, itemSize, isTouched));
        }
    }
}
