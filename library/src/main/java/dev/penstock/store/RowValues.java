// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Field;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/// Brings values into the order of the fields, and rejects values that do not match their field.
///
/// **Threads.** Safe for any number of threads.
final class RowValues {
    private final List<StoreField> fields;
    /// The dataset field of each store field.
    private final List<Field> columns;

    RowValues(List<StoreField> fields) {
        this.fields = fields;
        this.columns = fields.stream().map(StoreField::column).toList();
    }

    /// The values of a row.
    ///
    /// @param values the values in the order of the fields; null if a value is missing
    MemorySegment[] of(List<byte[]> values) {
        if (values.size() != fields.size()) {
            throw new IllegalArgumentException("the store has " + fields.size() + " fields, not " + values.size());
        }
        int[] positions = new int[fields.size()];
        Arrays.setAll(positions, field -> field);
        return of(positions, values.toArray(byte[][]::new));
    }

    /// The values of a row that may lack fields.
    MemorySegment[] of(Map<String, byte[]> values) {
        byte[][] cells = new byte[fields.size()][];
        values.forEach((field, value) -> cells[StoreField.position(fields, field)] = value);
        return of(Arrays.asList(cells));
    }

    /// The values of some fields.
    MemorySegment[] of(int[] positions, byte[][] values) {
        MemorySegment[] cells = new MemorySegment[values.length];
        for (int i = 0; i < cells.length; i++) {
            cells[i] = values[i] == null ? null : MemorySegment.ofArray(values[i]);
            requireFitting(positions[i], cells[i], -1);
        }
        return cells;
    }

    /// The column of a batch for each field, or null if the batch has none. All values have been checked.
    Column[] of(Batch rows) {
        Column[] sources = new Column[fields.size()];
        for (Column column : rows.columns()) {
            sources[StoreField.position(fields, column.field().name())] = column;
        }
        for (int field = 0; field < sources.length; field++) {
            // If all values have the same size, it is enough to check the first one.
            boolean isUniform =
                    sources[field] != null && !sources[field].field().isVariable() && !sources[field].hasMissing();
            long checkedCount = isUniform ? Math.min(1, rows.rowCount()) : rows.rowCount();
            for (long row = 0; sources[field] != null && row < checkedCount; row++) {
                requireFitting(field, value(sources[field], row), row);
            }
        }
        return sources;
    }

    /// Reads the values of a row from columns.
    static void read(Column[] sources, long row, MemorySegment[] cells) {
        for (int field = 0; field < sources.length; field++) {
            cells[field] = sources[field] == null ? null : value(sources[field], row);
        }
    }

    private static MemorySegment value(Column column, long row) {
        return column.isMissing(row) ? null : column.value(row);
    }

    /// @param row the row of a batch, or -1
    private void requireFitting(int position, MemorySegment value, long row) {
        if (value == null) {
            return;
        }
        Field column = columns.get(position);
        long size = value.byteSize();
        boolean fits = column.isVariable() ? size % column.itemSize() == 0 : size == column.itemSize();
        if (!fits) {
            throw new IllegalArgumentException(where(row, column) + " holds " + column.type()
                    + (column.isVariable() ? ", any number of them" : " of shape " + column.shape()) + "; " + size
                    + " bytes do not fit");
        }
        if (size > StoreFormat.VALUE_SIZE_MAX) {
            throw new IllegalArgumentException(
                    where(row, column) + ": the value has " + size + " bytes, but a value has at most "
                            + StoreFormat.VALUE_SIZE_MAX + "; split it into several records");
        }
    }

    private static String where(long row, Field column) {
        return (row < 0 ? "" : "row " + row + ", ") + "field " + column.name();
    }
}
