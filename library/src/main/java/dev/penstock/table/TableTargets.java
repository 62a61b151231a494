// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.memory.RowCopy;
import java.util.Arrays;

/// Where the rows of a gather go: field by field into columns, or as they are.
///
/// **Threads.** Set by one; then any number may copy, each its own rows.
final class TableTargets {
    private RowField[] fields = new RowField[0];
    private long[] starts = new long[0];
    private int columnCount;
    private boolean isRows;
    private long rowsStart;
    private long rowSize;
    private boolean isTouched;

    /// Begins anew, without columns.
    void clear() {
        columnCount = 0;
        isRows = false;
    }

    /// @param start     where the column begins in memory
    /// @param isTouched whether the last of the rows is known to be there
    void addColumn(RowField field, long start, boolean isTouched) {
        if (columnCount == fields.length) {
            fields = Arrays.copyOf(fields, columnCount * 2 + 1);
            starts = Arrays.copyOf(starts, columnCount * 2 + 1);
        }
        fields[columnCount] = field;
        starts[columnCount++] = start;
        this.isTouched = isTouched;
    }

    /// Rows as they are stored, to consecutive places from an address on.
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
            copyColumn(fields[i], starts[i], places, firstRow, rowCount);
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
