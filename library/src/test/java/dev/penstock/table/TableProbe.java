// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.DatasetException;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.Row;
import dev.penstock.rows.RowField;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/// Reads everything of a table in every way there is, and holds the ways against each other.
///
/// A table is refused with a [DatasetException] when it is opened, or all of it can be read; anything else that
/// is thrown fails the test.
final class TableProbe {
    /// Rows without bytes cost nothing in a file, so a header may announce any number.
    private static final long ROWS_MAX = 100;

    private static List<Field> lastFields;
    private static Batch lastBatch;

    private TableProbe() {}

    /// The result of reading a table.
    enum Outcome {
        REFUSED,
        /// Read, and `verify` finds fault with it.
        BAD,
        GOOD
    }

    @FunctionalInterface
    interface Opening {
        TableReader open() throws IOException;
    }

    static Outcome read(Opening opening) throws IOException {
        TableReader opened;
        try {
            opened = opening.open();
        } catch (DatasetException e) {
            assertNotNull(e.file());
            assertTrue(
                    e.getMessage().length() < 2000,
                    "a message of " + e.getMessage().length());
            return Outcome.REFUSED;
        }
        try (TableReader table = opened) {
            readEverything(table);
            return table.verify(Progress.NONE).isOk() ? Outcome.GOOD : Outcome.BAD;
        }
    }

    private static void readEverything(TableReader table) throws IOException {
        assertFalse(table.fields().isEmpty());
        assertFalse(table.facts().isEmpty());
        assertNotNull(table.metadata());
        assertEquals(32, table.fingerprint().length());
        long rowCount = Math.min(table.count(), ROWS_MAX);
        long first = table.count() - rowCount;
        long[] indices = LongStream.range(first, first + rowCount).toArray();
        byte[] rows = new byte[Math.toIntExact(rowCount * table.rowType().size())];
        table.read(MemorySegment.ofArray(indices), MemorySegment.ofArray(rows));
        Batch batch = batch(table.fields());
        table.gather(indices, batch);
        assertEquals(rowCount, batch.rowCount());
        for (int row = 0; row < rowCount; row++) {
            readRow(table, indices[row], batch, row);
        }
        requireRawValues(table, rows, (int) rowCount);
    }

    /// Making and freeing memory for a batch is the slow part of a probe, and most tables of a sweep have the same
    /// fields.
    private static synchronized Batch batch(List<Field> fields) {
        if (lastBatch == null || !lastFields.equals(fields)) {
            if (lastBatch != null) {
                lastBatch.close();
            }
            lastFields = fields;
            lastBatch = Batch.create(fields);
        }
        return lastBatch;
    }

    private static void readRow(TableReader table, long index, Batch batch, int batchRow) throws IOException {
        Row row = table.get(index);
        for (int f = 0; f < table.fields().size(); f++) {
            Field field = table.fields().get(f);
            byte[] value = row.value(f).toArray(ValueLayout.JAVA_BYTE);
            assertArrayEquals(value, batch.column(f).value(batchRow).toArray(ValueLayout.JAVA_BYTE));
            TableColumn column = table.column(field.name());
            assertArrayEquals(value, column.get(index).toArray(ValueLayout.JAVA_BYTE));
            if (field.itemSize() > 0) {
                readElement(column, field, index);
            }
        }
    }

    private static void readElement(TableColumn column, Field field, long index) throws IOException {
        if (field.type().isText()) {
            assertNotNull(column.getText(index));
        } else if (field.type().isFloat()) {
            column.getDouble(index);
        } else if (!field.type().isComplex()) {
            assertEquals(column.getLong(index), column.getLong(index, 0));
        }
    }

    /// A plain little-endian field is found in the raw row at its offset.
    private static void requireRawValues(TableReader table, byte[] rows, int rowCount) throws IOException {
        long rowSize = table.rowType().size();
        for (RowField field : table.rowType().fields()) {
            for (int row = 0; row < rowCount && field.isPlain(); row++) {
                int start = (int) (row * rowSize + field.offset());
                byte[] raw = Arrays.copyOfRange(rows, start, start + (int) field.blockSize());
                long index = table.count() - rowCount + row;
                byte[] value = table.column(field.field().name()).get(index).toArray(ValueLayout.JAVA_BYTE);
                assertArrayEquals(raw, value);
            }
        }
    }
}
