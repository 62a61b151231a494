// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// Gathers over several parts, and the memory that takes beside the result.
///
/// The indices are sorted by part, each part is gathered once, and its rows are moved to where they were asked
/// for. Where a field is variable all parts have to be gathered before it is known where a row goes, so each has a
/// batch of its own; otherwise one batch serves them all.
///
/// **Threads.** One at a time.
final class ConcatGather implements AutoCloseable {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;

    private final List<Dataset> parts;
    /// The first record of each part, and the number of all.
    private final long[] starts;

    private final List<Field> fields;
    private final boolean hasVariable;
    private final List<Batch> batches = new ArrayList<>();
    /// The part of each row that is asked for.
    private final Buffer partOfRow = new Buffer();
    /// For each part the rows that fall into it; then where its rows end in the two below.
    private final Buffer limits = new Buffer();
    /// Indices within their parts, sorted by part.
    private final Buffer indices = new Buffer();
    /// The row of the result that each of them is for.
    private final Buffer rows = new Buffer();

    ConcatGather(List<Dataset> parts, long[] starts, List<Field> fields) {
        this.parts = parts;
        this.starts = starts;
        this.fields = fields;
        this.hasVariable = fields.stream().anyMatch(Field::isVariable);
    }

    /// The part that holds a record. Parts without records hold none.
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

    /// Fills a batch that is empty and made for the fields.
    void gather(MemorySegment wanted, Batch batch) throws IOException {
        long rowCount = Indices.count(wanted);
        int onlyPart = locate(wanted, rowCount);
        if (onlyPart >= 0) {
            MemorySegment own = indices.reserve(rowCount * LONG.byteSize()).asSlice(0, rowCount * LONG.byteSize());
            for (long row = 0; row < rowCount; row++) {
                own.set(Indices.INDEX, row * LONG.byteSize(), Indices.at(wanted, row) - starts[onlyPart]);
            }
            parts.get(onlyPart).gather(own, batch);
            return;
        }
        sort(wanted, rowCount);
        reserve(batch, rowCount);
        gatherParts(batch, rowCount);
        if (hasVariable) {
            placeVariable(batch, rowCount);
        }
        batch.complete(rowCount);
    }

    /// Checks all indices and notes their parts.
    ///
    /// @return the part that all are in, or -1 when there are several
    private int locate(MemorySegment wanted, long rowCount) {
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

    /// Sorts by part and keeps the order within each.
    private void sort(MemorySegment wanted, long rowCount) {
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
            own.set(Indices.INDEX, slot * LONG.byteSize(), Indices.at(wanted, row) - starts[part]);
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

    /// Gathers each part, moves the values of fixed fields to their rows and notes the sizes of the others.
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

    /// Turns the sizes into offsets and moves the values there.
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
