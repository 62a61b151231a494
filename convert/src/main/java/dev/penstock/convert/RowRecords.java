// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Batch;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.table.RowType;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// Rows of floating-point numbers of one width, as activation shards have them: records of one field.
interface RowRecords extends RecordSource {
    /// The rows that are copied at once have about as many bytes.
    long COPY_BYTES = 4L << 20;

    /// The number of rows.
    long rowCount();

    /// The number of values in a row.
    default long width() {
        return fields().getFirst().shape().getFirst();
    }

    /// The field of rows of one width.
    static Field field(ElementType type, long width) {
        return Field.fixed(RowType.VALUE, type, width);
    }

    /// Copies consecutive rows.
    @FunctionalInterface
    interface RowReader {
        void read(long firstRow, long rowCount, MemorySegment target) throws IOException;
    }

    /// Reads all rows, a few MiB at a time.
    static void forEachPart(RowRecords rows, Batch batch, RowReader reader, BatchReceiver receiver, Progress progress)
            throws IOException {
        long rowSize = rows.fields().getFirst().itemSize();
        long rowsAtOnce = Math.max(1, COPY_BYTES / rowSize);
        for (long row = 0; row < rows.rowCount(); row += rowsAtOnce) {
            long count = Math.min(rowsAtOnce, rows.rowCount() - row);
            batch.clear();
            reader.read(row, count, batch.column(0).reserveValues(count * rowSize));
            batch.complete(count);
            receiver.accept(null, batch);
            progress.at(row + count, rows.rowCount());
        }
    }
}
