// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.util.List;
import java.util.stream.Collectors;

/// Memory for the values of many records, with one [Column] for each requested field. A batch is created once and
/// refilled for each gather.
///
/// **Ownership.** The caller owns the batch. Columns grow to the largest batch seen and keep that size until
/// [#close].
///
/// **Threads.** One thread at a time. Handing a batch to another thread needs a happens-before edge.
public final class Batch implements AutoCloseable {
    private final List<Field> fields;
    private final List<Column> columns;
    private long rowCount;

    private Batch(List<Field> fields) {
        this.fields = List.copyOf(fields);
        this.columns = fields.stream().map(Column::new).toList();
    }

    /// Creates an empty batch for all fields of a dataset, or for some of them.
    public static Batch create(List<Field> fields) {
        Batch batch = new Batch(fields);
        batch.clear();
        return batch;
    }

    /// The number of records in the last gather.
    public long rowCount() {
        return rowCount;
    }

    /// The fields the batch was created for.
    public List<Field> fields() {
        return fields;
    }

    /// The columns, in the order of [#fields].
    public List<Column> columns() {
        return columns;
    }

    /// The column at an index.
    public Column column(int columnIndex) {
        return columns.get(columnIndex);
    }

    /// The column with a name.
    ///
    /// @throws IllegalArgumentException when the batch has no such column
    public Column column(String name) {
        for (Column column : columns) {
            if (column.field().name().equals(name)) {
                return column;
            }
        }
        String names = columns.stream().map(column -> column.field().name()).collect(Collectors.joining(", "));
        throw new IllegalArgumentException("this batch has no column " + name + "; its columns are " + names);
    }

    /// For datasets: empties the batch, so that a gather that fails leaves no partial records.
    public void clear() {
        rowCount = 0;
        for (int i = 0; i < columns.size(); i++) {
            columns.get(i).clear();
        }
    }

    /// For datasets: sets the number of rows that all columns now hold.
    public void complete(long rowCount) {
        for (int i = 0; i < columns.size(); i++) {
            columns.get(i).complete(rowCount);
        }
        this.rowCount = rowCount;
    }

    /// The number of bytes that the columns have allocated.
    public long allocatedBytes() {
        long bytes = 0;
        for (int i = 0; i < columns.size(); i++) {
            bytes += columns.get(i).allocatedBytes();
        }
        return bytes;
    }

    /// Empties the batch and frees its memory. The batch can be filled again.
    public void trim() {
        rowCount = 0;
        for (int i = 0; i < columns.size(); i++) {
            columns.get(i).trim();
        }
    }

    /// Frees the memory. Using the columns afterwards throws an [IllegalStateException].
    @Override
    public void close() {
        rowCount = 0;
        columns.forEach(Column::close);
    }
}
