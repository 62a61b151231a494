// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.Elements;
import dev.penstock.Field;
import dev.penstock.memory.Faults;
import dev.penstock.rows.RowField;
import dev.penstock.rows.RowGather;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/// One field of all rows of a table, seen where it lies.
///
/// Every access names a row and, for a field with a shape, an element of it, counted through in row order. For
/// many rows at once [TableReader#gather] is faster.
///
/// **Lifecycle.** Dies with the reader. **Threads.** Any number.
public final class TableColumn {
    private final TableRows shards;
    private final RowGather gather;
    private final RowField rowField;
    private final long elementCount;

    TableColumn(TableRows shards, RowGather gather, RowField rowField) {
        this.shards = shards;
        this.gather = gather;
        this.rowField = rowField;
        this.elementCount = RowType.size(1, rowField.field().shape());
    }

    /// What the values are.
    public Field field() {
        return rowField.field();
    }

    /// How many rows there are.
    public long count() {
        return shards.count();
    }

    /// A whole number or truth value; the largest unsigned ones come out negative.
    ///
    /// @throws IllegalArgumentException when the field has none
    public long getLong(long rowIndex) throws IOException {
        return getLong(rowIndex, 0);
    }

    public long getLong(long rowIndex, long elementIndex) throws IOException {
        return read(rowIndex, elementIndex, (segment, offset) -> Elements.toLong(field().type(), segment, offset));
    }

    /// A number; a whole one is rounded where it has to be.
    ///
    /// @throws IllegalArgumentException when the field has none
    public double getDouble(long rowIndex) throws IOException {
        return getDouble(rowIndex, 0);
    }

    public double getDouble(long rowIndex, long elementIndex) throws IOException {
        return read(rowIndex, elementIndex, (segment, offset) -> Elements.toDouble(field().type(), segment, offset));
    }

    /// Text without its padding.
    ///
    /// @throws IllegalArgumentException when the field has none
    public String getText(long rowIndex) throws IOException {
        return getText(rowIndex, 0);
    }

    public String getText(long rowIndex, long elementIndex) throws IOException {
        if (!field().type().isText()) {
            throw new IllegalArgumentException(field().type() + " is no type of text");
        }
        return read(
                rowIndex,
                elementIndex,
                (segment, offset) -> Elements.toText(field().type(), segment, offset, field().elementSize()));
    }

    /// All bytes of the field in one row, little-endian.
    public MemorySegment get(long rowIndex) throws IOException {
        return shards.group().use(() -> {
            Objects.checkIndex(rowIndex, count());
            return gather.value(rowField, rowIndex);
        });
    }

    @FunctionalInterface
    private interface Read<T> {
        T from(MemorySegment segment, long offset);
    }

    private <T> T read(long rowIndex, long elementIndex, Read<T> read) throws IOException {
        Objects.checkIndex(elementIndex, elementCount);
        return shards.group().use(() -> {
            Objects.checkIndex(rowIndex, count());
            long size = field().elementSize();
            MemorySegment copy = MemorySegment.ofArray(new byte[Math.toIntExact(size)]);
            MemorySegment.copy(gather.value(rowField, rowIndex), elementIndex * size, copy, 0, size);
            // Only now may the bytes be looked at: a load that widens a number ends the process where the page of a
            // mapped file is gone.
            Faults.settle();
            return read.from(copy, 0);
        });
    }
}
