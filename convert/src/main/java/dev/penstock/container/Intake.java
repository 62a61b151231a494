// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.DatasetException;
import dev.penstock.Field;
import dev.penstock.Reason;
import dev.penstock.convert.BadRecords;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.RowCollector;
import dev.penstock.convert.SourceOptions;
import dev.penstock.file.Location;
import java.io.IOException;
import java.util.List;

/// Collects the records of a pass, and leaves out those that are bad. Records before a defect are passed on before
/// it is reported.
final class Intake implements AutoCloseable {
    private final List<Field> fields;
    private final BadRecords bad;
    private final RowCollector rows;

    Intake(List<Field> fields, SourceOptions options, RecordSource.BatchReceiver receiver) {
        this.fields = fields;
        this.bad = options.bad();
        this.rows = new RowCollector(fields, options.text().hasMissing(), receiver);
    }

    /// Adds a record.
    ///
    /// @param values the value of each field; null if it is missing
    /// @param offset the offset of the record in the file
    /// @param record the number or name of the record, for messages
    void add(byte[][] values, Location file, long offset, String record) throws IOException {
        for (int i = 0; i < values.length; i++) {
            try {
                set(i, values[i]);
            } catch (IllegalArgumentException e) {
                String field = fields.get(i).name();
                if (values[i] == null && !bad.isSkipping()) {
                    // The target cannot hold what the source says; the source is not damaged.
                    flush();
                    throw new IllegalArgumentException(
                            "record " + record + " of " + file + ", field " + field + ": " + e.getMessage(), e);
                }
                leaveOut(new BadRecords.LeftOut(file, offset, Reason.UNREADABLE, record, field, e.getMessage()));
                return;
            }
        }
        rows.complete();
    }

    private void set(int position, byte[] value) {
        Field field = fields.get(position);
        if (value != null && !field.isVariable() && value.length != field.itemSize()) {
            throw new IllegalArgumentException(
                    "the value has " + value.length + " bytes instead of " + field.itemSize());
        }
        rows.set(position, value);
    }

    /// Notes a bad record, or throws the error.
    void leaveOut(BadRecords.LeftOut record) throws IOException {
        if (!bad.isSkipping()) {
            flush();
        }
        bad.add(record);
    }

    /// Notes that the rest of a file cannot be read, or throws the error.
    void giveUp(DatasetException.Corrupt rest) throws IOException {
        if (!bad.isSkipping()) {
            flush();
        }
        bad.add(rest);
    }

    long recordCount() {
        return rows.recordCount();
    }

    boolean isProgressDue() {
        return rows.recordCount() % RowCollector.PROGRESS_RECORDS == 0;
    }

    void flush() throws IOException {
        rows.flush();
    }

    @Override
    public void close() {
        rows.close();
    }
}
