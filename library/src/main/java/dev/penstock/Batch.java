// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.util.List;
import java.util.stream.Collectors;

/// Memory for many records, one [Column] for each wanted field. Made once and filled again and again.
///
/// **Ownership.** The caller's. Columns grow to the largest batch seen and stay there until [#close].
///
/// **Threads.** One at a time; hand it over with the usual happens-before.
public final class Batch implements AutoCloseable {
    private final List<Field> fields;
    private final List<Column> columns;
    private long rowCount;

    private Batch(List<Field> fields) {
        this.fields = List.copyOf(fields);
        this.columns = fields.stream().map(Column::new).toList();
    }

    /// An empty batch for these fields: all of a dataset's, or those that are wanted.
    public static Batch create(List<Field> fields) {
        Batch batch = new Batch(fields);
        batch.clear();
        return batch;
    }

    /// How many records the last gather brought.
    public long rowCount() {
        return rowCount;
    }

    /// The fields the batch was made for.
    public List<Field> fields() {
        return fields;
    }

    /// The columns, in the order of the fields the batch was made for.
    public List<Column> columns() {
        return columns;
    }

    /// The column at a position.
    public Column column(int columnIndex) {
        return columns.get(columnIndex);
    }

    /// The column of a name.
    ///
    /// @throws IllegalArgumentException when there is none
    public Column column(String name) {
        for (Column column : columns) {
            if (column.field().name().equals(name)) {
                return column;
            }
        }
        String names = columns.stream().map(column -> column.field().name()).collect(Collectors.joining(", "));
        throw new IllegalArgumentException("no column " + name + " in this batch; there are: " + names);
    }

    /// For datasets: empties the batch, so that a failure half-way leaves nothing that looks like records.
    public void clear() {
        rowCount = 0;
        for (int i = 0; i < columns.size(); i++) {
            columns.get(i).clear();
        }
    }

    /// For datasets: says that all columns now hold so many rows.
    public void complete(long rowCount) {
        for (int i = 0; i < columns.size(); i++) {
            columns.get(i).complete(rowCount);
        }
        this.rowCount = rowCount;
    }

    /// Bytes the columns hold on to.
    public long allocatedBytes() {
        long bytes = 0;
        for (int i = 0; i < columns.size(); i++) {
            bytes += columns.get(i).allocatedBytes();
        }
        return bytes;
    }

    /// Empties the batch and gives up its memory; it can be filled again.
    public void trim() {
        rowCount = 0;
        for (int i = 0; i < columns.size(); i++) {
            columns.get(i).trim();
        }
    }

    /// Frees the memory; using the columns afterwards is an [IllegalStateException].
    @Override
    public void close() {
        rowCount = 0;
        columns.forEach(Column::close);
    }
}
