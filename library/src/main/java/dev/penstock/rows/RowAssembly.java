// SPDX-License-Identifier: Apache-2.0
package dev.penstock.rows;

import static dev.penstock.file.Layouts.U64;

import dev.penstock.Batch;
import dev.penstock.Buffer;
import dev.penstock.Column;
import dev.penstock.rows.kernel.RowCopy;
import java.lang.foreign.MemorySegment;
import java.util.List;

/// Combines the columns of a batch to rows in their stored form. Padding becomes zeros.
public final class RowAssembly implements AutoCloseable {
    private final List<RowField> fields;
    private final long rowSize;
    private final Buffer places = new Buffer();
    private final Buffer swapped = new Buffer();

    /// @param rowSize the size of a row in bytes, including padding
    public RowAssembly(List<RowField> fields, long rowSize) {
        this.fields = List.copyOf(fields);
        this.rowSize = rowSize;
    }

    /// @param rows off-heap memory for all rows of the batch
    public void assemble(Batch batch, MemorySegment rows) {
        int rowCount = Math.toIntExact(batch.rowCount());
        rows.asSlice(0, rowCount * rowSize).fill((byte) 0);
        places.reserve(rowCount * U64.byteSize());
        for (RowField field : fields) {
            Column column = column(batch, field);
            // Values are read at their addresses, so a lease keeps other threads from freeing them.
            Buffer.Block values = column.leaseValues(column.valueBytes());
            try {
                assemble(field, inOrder(field, values.segment().asSlice(0, column.valueBytes())), rowCount, rows);
            } finally {
                values.release();
            }
        }
    }

    private void assemble(RowField field, MemorySegment values, int rowCount, MemorySegment rows) {
        MemorySegment places = this.places.segment();
        long itemSize = field.field().itemSize();
        for (int row = 0; row < rowCount; row++) {
            places.setAtIndex(U64, row, values.address() + row * itemSize);
        }
        field.forEachBlock((rowOffset, columnOffset) -> RowCopy.copy(
                places.address(),
                rowCount,
                columnOffset,
                field.blockSize(),
                rows.address() + rowOffset,
                rowSize,
                true));
    }

    private static Column column(Batch batch, RowField field) {
        Column column = batch.column(field.field().name());
        if (!column.field().equals(field.field())) {
            throw new IllegalArgumentException(
                    "the batch has field " + column.field() + ", but the rows have " + field.field());
        }
        if (column.hasMissing()) {
            throw new IllegalArgumentException(
                    "a value of field " + field.field().name()
                            + " is missing, but NumPy arrays cannot store missing values: leave it out, or"
                            + " write CSV or JSON Lines");
        }
        return column;
    }

    /// The values in the byte order of the table.
    private MemorySegment inOrder(RowField field, MemorySegment values) {
        if (field.swapSize() == 1) {
            return values;
        }
        MemorySegment copy = swapped.reserve(values.byteSize()).asSlice(0, values.byteSize());
        copy.copyFrom(values);
        ByteOrderSwap.swap(copy, field.swapSize());
        return copy;
    }

    @Override
    public void close() {
        places.close();
        swapped.close();
    }
}
