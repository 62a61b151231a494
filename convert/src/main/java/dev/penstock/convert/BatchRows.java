// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.file.Layouts;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Copies rows between batches.
public final class BatchRows {
    private BatchRows() {}

    /// The rows from `from` to the exclusive `limit`: the batch itself if these are all, otherwise a copy.
    ///
    /// @param part a batch with the same fields, for the copy
    public static Batch range(Batch source, long from, long limit, Batch part) {
        if (limit - from == source.rowCount()) {
            return source;
        }
        copy(source, from, limit, part);
        return part;
    }

    /// Copies the rows from `from` to the exclusive `limit` into another batch with the same number of columns.
    static void copy(Batch source, long from, long limit, Batch target) {
        target.clear();
        for (int i = 0; i < source.columns().size(); i++) {
            copy(source.column(i), from, limit, target.column(i));
        }
        target.complete(limit - from);
    }

    /// Copies some rows of a column, in the given order, into another column of the same field.
    static void copy(Column source, long[] rows, Column target) {
        MemorySegment missing = isAnyMissing(source, rows) ? target.reserveMissing(rows.length) : null;
        MemorySegment offsets = source.field().isVariable() ? target.reserveOffsets(rows.length) : null;
        long byteCount = 0;
        for (long row : rows) {
            byteCount += source.value(row).byteSize();
        }
        MemorySegment values = target.reserveValues(byteCount);
        long offset = 0;
        for (int i = 0; i < rows.length; i++) {
            MemorySegment value = source.value(rows[i]);
            MemorySegment.copy(value, 0, values, offset, value.byteSize());
            offset += value.byteSize();
            if (offsets != null) {
                offsets.setAtIndex(Layouts.U64, i + 1L, offset);
            }
            if (missing != null) {
                missing.set(ValueLayout.JAVA_BYTE, i, (byte) (source.isMissing(rows[i]) ? 1 : 0));
            }
        }
        if (offsets != null) {
            offsets.setAtIndex(Layouts.U64, 0, 0);
        }
    }

    /// A mask means that a value is missing, so rows that have all values get none.
    private static boolean isAnyMissing(Column source, long[] rows) {
        for (int i = 0; source.hasMissing() && i < rows.length; i++) {
            if (source.isMissing(rows[i])) {
                return true;
            }
        }
        return false;
    }

    /// Copies rows of a column into another. Rows of a fixed field may become rows of a variable one.
    static void copy(Column source, long from, long limit, Column target) {
        long rowCount = limit - from;
        if (source.hasMissing()) {
            MemorySegment.copy(source.missing(), from, target.reserveMissing(rowCount), 0, rowCount);
        }
        long start = from * source.field().itemSize();
        long end = limit * source.field().itemSize();
        if (source.field().isVariable()) {
            MemorySegment offsets = source.offsets();
            start = offsets.getAtIndex(Layouts.U64, from);
            end = offsets.getAtIndex(Layouts.U64, limit);
        }
        MemorySegment.copy(source.values(), start, target.reserveValues(end - start), 0, end - start);
        if (!target.field().isVariable()) {
            return;
        }
        MemorySegment offsets = target.reserveOffsets(rowCount);
        for (long row = 0; row <= rowCount; row++) {
            long offset = source.field().isVariable()
                    ? source.offsets().getAtIndex(Layouts.U64, from + row)
                    : (from + row) * source.field().itemSize();
            offsets.setAtIndex(Layouts.U64, row, offset - start);
        }
    }
}
