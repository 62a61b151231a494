// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.Elements;
import dev.penstock.Field;
import dev.penstock.file.Faults;
import dev.penstock.rows.RowField;
import dev.penstock.rows.RowGather;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/// A zero-copy view of one field of all rows of a table.
///
/// Every access names a row and, for a field with a shape, an element, counted in row order. [TableReader#gather]
/// is faster for many rows.
///
/// **Lifecycle.** Valid until the reader is closed. **Threads.** Safe for any number of threads.
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

    /// The field of this column.
    public Field field() {
        return rowField.field();
    }

    /// The number of rows.
    public long count() {
        return shards.count();
    }

    /// Reads an integer or boolean. Unsigned 64-bit values above `Long.MAX_VALUE` become negative.
    ///
    /// @throws IllegalArgumentException when the field is not an integer field
    public long getLong(long rowIndex) throws IOException {
        return getLong(rowIndex, 0);
    }

    public long getLong(long rowIndex, long elementIndex) throws IOException {
        return read(rowIndex, elementIndex, (segment, offset) -> Elements.toLong(field().type(), segment, offset));
    }

    /// Reads a number as a double. Large integers are rounded.
    ///
    /// @throws IllegalArgumentException when the field is not numeric
    public double getDouble(long rowIndex) throws IOException {
        return getDouble(rowIndex, 0);
    }

    public double getDouble(long rowIndex, long elementIndex) throws IOException {
        return read(rowIndex, elementIndex, (segment, offset) -> Elements.toDouble(field().type(), segment, offset));
    }

    /// Reads text without its padding.
    ///
    /// @throws IllegalArgumentException when the field is not text
    public String getText(long rowIndex) throws IOException {
        return getText(rowIndex, 0);
    }

    public String getText(long rowIndex, long elementIndex) throws IOException {
        if (!field().type().isText()) {
            throw new IllegalArgumentException(field().type() + " is not a text type");
        }
        return read(
                rowIndex,
                elementIndex,
                (segment, offset) -> Elements.toText(field().type(), segment, offset, field().elementSize()));
    }

    /// Returns all bytes of the field in one row, little-endian.
    public MemorySegment get(long rowIndex) throws IOException {
        return shards.group().use(() -> {
            Objects.checkIndex(rowIndex, count());
            return gather.value(rowField, rowIndex);
        });
    }

    @FunctionalInterface
    private interface ElementRead<T> {
        T from(MemorySegment segment, long offset);
    }

    private <T> T read(long rowIndex, long elementIndex, ElementRead<T> read) throws IOException {
        Objects.checkIndex(elementIndex, elementCount);
        return shards.group().use(() -> {
            Objects.checkIndex(rowIndex, count());
            long size = field().elementSize();
            MemorySegment copy = MemorySegment.ofArray(new byte[Math.toIntExact(size)]);
            MemorySegment.copy(gather.value(rowField, rowIndex), elementIndex * size, copy, 0, size);
            // The bytes may be used only after this call: a load that widens a number ends the process if a page
            // of a mapped file is missing.
            Faults.settle();
            return read.from(copy, 0);
        });
    }
}
