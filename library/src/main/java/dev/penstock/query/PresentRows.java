// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.file.Layouts;
import java.lang.foreign.MemorySegment;
import java.util.List;

/// Copies the rows of a column that have a value, so that tallies can ignore missing values.
final class PresentRows {
    private PresentRows() {}

    /// Returns a batch with the copied rows. The caller closes it.
    static Batch of(Column column, long rowCount) {
        Batch batch = Batch.create(List.of(column.field()));
        try {
            batch.complete(copy(column, rowCount, batch.column(0)));
            return batch;
        } catch (Throwable e) {
            batch.close();
            throw e;
        }
    }

    private static long copy(Column from, long rowCount, Column to) {
        boolean isVariable = from.field().isVariable();
        MemorySegment values = to.reserveValues(from.valueBytes());
        MemorySegment offsets = isVariable ? to.reserveOffsets(rowCount) : null;
        if (isVariable) {
            offsets.setAtIndex(Layouts.U64, 0, 0L);
        }
        long copied = 0;
        long end = 0;
        for (long row = 0; row < rowCount; row++) {
            if (!from.isMissing(row)) {
                MemorySegment value = from.value(row);
                MemorySegment.copy(value, 0, values, end, value.byteSize());
                end += value.byteSize();
                copied++;
                if (isVariable) {
                    offsets.setAtIndex(Layouts.U64, copied, end);
                }
            }
        }
        return copied;
    }
}
