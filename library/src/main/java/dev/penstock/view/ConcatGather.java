// SPDX-License-Identifier: Apache-2.0
package dev.penstock.view;

import dev.penstock.Batch;
import dev.penstock.Buffer;
import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.Indices;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// Gathers records of a [Concat] that lie in several parts, and owns the scratch memory for it.
///
/// The indices are sorted by part, each part is gathered once, and its rows are moved to their places in the
/// result. If a field is variable, the place of a row is known only after all parts have been gathered, so each
/// part gets its own batch. Otherwise one batch is reused for all parts.
///
/// **Threads.** One thread at a time.
final class ConcatGather implements AutoCloseable {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;

    private final List<Dataset> parts;
    private final List<Field> fields;
    private final boolean hasVariable;
    private final List<Batch> batches = new ArrayList<>();
    /// The part number of each requested row.
    private final Buffer partOfRow = new Buffer();
    /// While sorting, the number of rows requested from each part; then the end of each part in [#indices] and
    /// [#rows].
    private final Buffer limits = new Buffer();
    /// Record indices within their parts, sorted by part.
    private final Buffer indices = new Buffer();
    /// For each entry of [#indices], the row of the result it belongs to.
    private final Buffer rows = new Buffer();

    ConcatGather(List<Dataset> parts, List<Field> fields) {
        this.parts = parts;
        this.fields = fields;
        this.hasVariable = fields.stream().anyMatch(Field::isVariable);
    }

    /// The number of the part that holds a record. Empty parts are skipped.
    static int partOf(long[] starts, long index) {
        int low = 0;
        int high = starts.length - 1;
        while (high - low > 1) {
            int middle = (low + high) >>> 1;
            if (starts[middle] <= index) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /// Fills a batch that is empty and was created for the fields of this gather.
    ///
    /// @param starts the view index of the first record of each part, followed by the total number of records
    void gather(long[] starts, MemorySegment wanted, Batch batch) throws IOException {
        long rowCount = Indices.count(wanted);
        int onlyPart = locate(starts, wanted, rowCount);
        if (onlyPart >= 0) {
            MemorySegment own = indices.reserve(rowCount * LONG.byteSize()).asSlice(0, rowCount * LONG.byteSize());
            for (long row = 0; row < rowCount; row++) {
                own.set(Indices.LAYOUT, row * LONG.byteSize(), Indices.at(wanted, row) - starts[onlyPart]);
            }
            parts.get(onlyPart).gather(own, batch);
            return;
        }
        sort(starts, wanted, rowCount);
        reserve(batch, rowCount);
        gatherParts(batch, rowCount);
        if (hasVariable) {
            placeVariable(batch, rowCount);
        }
        batch.complete(rowCount);
    }

    /// Checks all indices and stores the part number of each.
    ///
    /// @return the number of the only part that is used, or -1 when there are several
    private int locate(long[] starts, MemorySegment wanted, long rowCount) {
        long recordCount = starts[parts.size()];
        MemorySegment partNumbers = partOfRow.reserve(rowCount * INT.byteSize());
        MemorySegment counts = limits.reserve(parts.size() * LONG.byteSize()).fill((byte) 0);
        int part = 0;
        int differing = 0;
        for (long row = 0; row < rowCount; row++) {
            long index = Objects.checkIndex(Indices.at(wanted, row), recordCount);
            if (index < starts[part] || index >= starts[part + 1]) {
                part = partOf(starts, index);
                differing += row == 0 ? 0 : 1;
            }
            partNumbers.setAtIndex(INT, row, part);
            counts.setAtIndex(LONG, part, counts.getAtIndex(LONG, part) + 1);
        }
        return differing == 0 ? part : -1;
    }

    /// Sorts the indices by part and keeps the order within each part.
    private void sort(long[] starts, MemorySegment wanted, long rowCount) {
        MemorySegment partNumbers = partOfRow.segment();
        MemorySegment ends = limits.segment();
        MemorySegment own = indices.reserve(rowCount * LONG.byteSize());
        MemorySegment targets = rows.reserve(rowCount * LONG.byteSize());
        long start = 0;
        for (int part = 0; part < parts.size(); part++) {
            long count = ends.getAtIndex(LONG, part);
            ends.setAtIndex(LONG, part, start);
            start += count;
        }
        for (long row = 0; row < rowCount; row++) {
            int part = partNumbers.getAtIndex(INT, row);
            long slot = ends.getAtIndex(LONG, part);
            ends.setAtIndex(LONG, part, slot + 1);
            own.set(Indices.LAYOUT, slot * LONG.byteSize(), Indices.at(wanted, row) - starts[part]);
            targets.setAtIndex(LONG, slot, row);
        }
    }

    private static void reserve(Batch batch, long rowCount) {
        for (Column column : batch.columns()) {
            if (column.field().isVariable()) {
                column.reserveOffsets(rowCount).setAtIndex(LONG, 0, 0L);
            } else {
                column.reserveValues(Math.multiplyExact(rowCount, column.field().itemSize()));
            }
        }
    }

    /// Gathers each part, moves the values of fixed fields to their rows and stores the sizes of variable values.
    private void gatherParts(Batch batch, long rowCount) throws IOException {
        long start = 0;
        int usedCount = 0;
        for (int part = 0; part < parts.size(); part++) {
            long limit = limits.segment().getAtIndex(LONG, part);
            if (limit == start) {
                continue;
            }
            Batch some = batch(hasVariable ? usedCount : 0);
            usedCount++;
            parts.get(part).gather(slice(indices, start, limit), some);
            MemorySegment targets = slice(rows, start, limit);
            for (int i = 0; i < fields.size(); i++) {
                RowScatter.missing(some.column(i), targets, batch.column(i), rowCount);
                if (fields.get(i).isVariable()) {
                    RowScatter.sizes(some.column(i), targets, batch.column(i).reserveOffsets(0));
                } else {
                    RowScatter.items(some.column(i), targets, batch.column(i).reserveValues(0));
                }
            }
            start = limit;
        }
    }

    private static MemorySegment slice(Buffer buffer, long start, long limit) {
        return buffer.segment().asSlice(start * LONG.byteSize(), (limit - start) * LONG.byteSize());
    }

    private Batch batch(int number) {
        if (number == batches.size()) {
            batches.add(Batch.create(fields));
        }
        return batches.get(number);
    }

    /// Turns the sizes of variable values into offsets and moves the values there.
    private void placeVariable(Batch batch, long rowCount) {
        for (int i = 0; i < fields.size(); i++) {
            if (!fields.get(i).isVariable()) {
                continue;
            }
            MemorySegment offsets = batch.column(i).reserveOffsets(rowCount);
            long end = 0;
            for (long row = 1; row <= rowCount; row++) {
                end = Math.addExact(end, offsets.getAtIndex(LONG, row));
                offsets.setAtIndex(LONG, row, end);
            }
            MemorySegment values = batch.column(i).reserveValues(end);
            long start = 0;
            int usedCount = 0;
            for (int part = 0; part < parts.size(); part++) {
                long limit = limits.segment().getAtIndex(LONG, part);
                if (limit > start) {
                    RowScatter.values(batches.get(usedCount).column(i), slice(rows, start, limit), offsets, values);
                    usedCount++;
                }
                start = limit;
            }
        }
    }

    @Override
    public void close() {
        batches.forEach(Batch::close);
        partOfRow.close();
        limits.close();
        indices.close();
        rows.close();
    }
}
