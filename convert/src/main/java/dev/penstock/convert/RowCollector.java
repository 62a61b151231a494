// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.file.Layouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.List;

/// Collects records that are read one by one into batches, and passes these on.
///
/// A missing value stays missing if the target supports that. Otherwise it is NaN in a field of floats and empty
/// in a field of text; in other fields it is an error.
///
/// **Threads.** One thread at a time.
public final class RowCollector implements AutoCloseable {
    /// Sources report their progress after as many records.
    public static final int PROGRESS_RECORDS = 4096;

    private static final int ROWS_MAX = 4096;
    private static final long BYTES_MAX = 4L << 20;

    private final List<Field> fields;
    private final boolean hasMissing;
    private final RecordSource.BatchReceiver receiver;
    private final Batch batch;
    private final int rowsMax;
    /// The memory of the fields of fixed size; null for others.
    private final MemorySegment[] fixed;
    /// The values of the fields of variable size, by field and row.
    private final byte[][][] variable;

    private final BitSet[] missing;
    private int rowCount;
    private long variableBytes;
    private long recordCount;

    public RowCollector(List<Field> fields, boolean hasMissing, RecordSource.BatchReceiver receiver) {
        this.fields = fields;
        this.hasMissing = hasMissing;
        this.receiver = receiver;
        this.batch = Batch.create(fields);
        long rowSize = fields.stream()
                .filter(field -> !field.isVariable())
                .mapToLong(Field::itemSize)
                .sum();
        this.rowsMax = Math.clamp(BYTES_MAX / Math.max(1, rowSize), 1, ROWS_MAX);
        this.fixed = new MemorySegment[fields.size()];
        this.variable = new byte[fields.size()][][];
        this.missing = new BitSet[fields.size()];
        begin();
    }

    private void begin() {
        batch.clear();
        for (int i = 0; i < fields.size(); i++) {
            missing[i] = new BitSet();
            if (fields.get(i).isVariable()) {
                variable[i] = new byte[rowsMax][];
            } else {
                fixed[i] = batch.column(i).reserveValues(rowsMax * fields.get(i).itemSize());
            }
        }
        rowCount = 0;
        variableBytes = 0;
    }

    /// The memory of a value of fixed size of the current record, which is then not missing.
    MemorySegment fixed(int position) {
        // An earlier record in this row may have been given up.
        missing[position].clear(rowCount);
        long size = fields.get(position).itemSize();
        return fixed[position].asSlice(rowCount * size, size);
    }

    /// Sets a value of the current record, or that it is missing.
    ///
    /// @param value the bytes, or null
    /// @throws IllegalArgumentException when the value is missing and the field must have one
    public void set(int position, byte[] value) {
        if (value == null) {
            setMissing(position);
            return;
        }
        // An earlier record in this row may have been given up.
        missing[position].clear(rowCount);
        if (fields.get(position).isVariable()) {
            variable[position][rowCount] = value;
        } else {
            fixed(position).copyFrom(MemorySegment.ofArray(value));
        }
    }

    private void setMissing(int position) {
        Field field = fields.get(position);
        boolean isText = field.type() == ElementType.UTF8 || field.type() == ElementType.UTF32;
        if (field.isVariable()) {
            variable[position][rowCount] = new byte[0];
        } else {
            fixed(position).fill((byte) 0);
        }
        if (hasMissing) {
            missing[position].set(rowCount);
        } else if (field.type().isFloat() && !field.isVariable()) {
            setNotANumber(field, fixed(position));
        } else if (!isText) {
            throw new IllegalArgumentException("the value is missing, but a field of " + field.type()
                    + " must have one here; fill it in, leave the field out, or convert to a store, where values may"
                    + " be missing");
        }
    }

    private static void setNotANumber(Field field, MemorySegment value) {
        for (long offset = 0; offset < field.itemSize(); offset += field.elementSize()) {
            ElementParser.parse(field, "nan", value, offset);
        }
    }

    /// Completes the current record.
    public void complete() throws IOException {
        for (byte[][] values : variable) {
            variableBytes += values == null ? 0 : values[rowCount].length;
        }
        rowCount++;
        recordCount++;
        if (rowCount == rowsMax || variableBytes >= BYTES_MAX) {
            flush();
        }
    }

    /// The number of complete records so far.
    public long recordCount() {
        return recordCount;
    }

    /// Passes on the records that are complete.
    public void flush() throws IOException {
        if (rowCount == 0) {
            return;
        }
        for (int i = 0; i < fields.size(); i++) {
            if (fields.get(i).isVariable()) {
                fill(batch.column(i), variable[i]);
            }
            if (!missing[i].get(0, rowCount).isEmpty()) {
                MemorySegment mask = batch.column(i).reserveMissing(rowCount);
                missing[i].stream().filter(row -> row < rowCount).forEach(row -> mask.set(Layouts.U8, row, (byte) 1));
            }
        }
        batch.complete(rowCount);
        receiver.accept(null, batch);
        begin();
    }

    private void fill(Column column, byte[][] values) {
        MemorySegment offsets = column.reserveOffsets(rowCount);
        long size = 0;
        for (int row = 0; row < rowCount; row++) {
            size += values[row].length;
        }
        MemorySegment target = column.reserveValues(size);
        long offset = 0;
        offsets.setAtIndex(Layouts.U64, 0, 0);
        for (int row = 0; row < rowCount; row++) {
            MemorySegment.copy(values[row], 0, target, Layouts.U8, offset, values[row].length);
            offset += values[row].length;
            offsets.setAtIndex(Layouts.U64, row + 1L, offset);
        }
    }

    @Override
    public void close() {
        batch.close();
    }
}
