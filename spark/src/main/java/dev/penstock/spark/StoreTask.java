// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import static dev.penstock.file.Layouts.U64;
import static dev.penstock.file.Layouts.U8;

import dev.penstock.Batch;
import dev.penstock.Buffer;
import dev.penstock.Column;
import dev.penstock.Field;
import dev.penstock.catalog.DatasetPart;
import dev.penstock.store.StoreField;
import dev.penstock.store.StoreOptions;
import dev.penstock.store.StoreReader;
import dev.penstock.store.StoreWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;

/// Writes a store for each task, whose fields may be ragged and may lack values.
final class StoreTask extends TaskWriter {
    private static final int ROWS = 1 << 12;
    private static final long BATCH_BYTES = 4L << 20;

    private final List<FieldEncoder> encoders;
    private final Batch batch;
    private final List<Pending> columns = new ArrayList<>();
    private int rowCount;
    private long storedCount;
    private Path path;
    private StoreWriter store;

    /// The values of a column that are not yet stored.
    private static final class Pending implements AutoCloseable {
        private final Buffer values = new Buffer();
        private final long[] ends = new long[ROWS + 1];
        private final boolean[] missing = new boolean[ROWS];
        private long used;
        private boolean hasMissing;

        @Override
        public void close() {
            values.close();
        }
    }

    StoreTask(WritePlan plan, int task, long attempt) {
        super(plan, task, attempt);
        this.encoders = plan.encoders();
        this.batch = Batch.create(plan.fields());
        encoders.forEach(_ -> columns.add(new Pending()));
    }

    /// The fields of the store.
    static List<StoreField> fields(WritePlan plan) {
        return plan.fields().stream()
                .map(field -> new StoreField(
                        field.name(),
                        field.type().toString(),
                        field.isVariable() ? null : field.shape(),
                        plan.options().compression()))
                .toList();
    }

    static StoreOptions options() {
        return StoreOptions.DEFAULT.withWriters(1).withDisk(disk());
    }

    @Override
    void append(InternalRow row) throws IOException {
        long bytes = 0;
        for (int i = 0; i < columns.size(); i++) {
            add(encoders.get(i), columns.get(i), row);
            bytes += columns.get(i).used;
        }
        rowCount++;
        if (rowCount == ROWS || bytes >= BATCH_BYTES) {
            flush();
        }
    }

    private void add(FieldEncoder encoder, Pending column, InternalRow row) {
        Field field = encoder.field();
        boolean isMissing = encoder.isMissing(row);
        column.missing[rowCount] = isMissing;
        column.hasMissing |= isMissing;
        if (field.isVariable()) {
            column.used = isMissing ? column.used : encoder.append(row, column.values, column.used);
        } else {
            long size = field.itemSize();
            MemorySegment target = column.values.reserve(Math.max(ROWS, 1) * size);
            target.asSlice(column.used, size).fill((byte) 0);
            if (!isMissing) {
                encoder.put(row, target, column.used);
            }
            column.used += size;
        }
        column.ends[rowCount + 1] = column.used;
    }

    private void flush() throws IOException {
        if (rowCount == 0) {
            return;
        }
        if (store == null) {
            path = newPath();
            store = StoreWriter.create(path, fields(plan()), options());
        }
        batch.clear();
        for (int i = 0; i < columns.size(); i++) {
            fill(batch.column(i), columns.get(i));
        }
        batch.complete(rowCount);
        store.appendAll(batch);
        storedCount += rowCount;
        rowCount = 0;
    }

    private void fill(Column column, Pending pending) {
        if (column.field().isVariable()) {
            MemorySegment.copy(
                    MemorySegment.ofArray(pending.ends),
                    0,
                    column.reserveOffsets(rowCount),
                    0,
                    (rowCount + 1) * U64.byteSize());
        }
        MemorySegment.copy(
                pending.values.reserve(pending.used), 0, column.reserveValues(pending.used), 0, pending.used);
        if (pending.hasMissing) {
            MemorySegment mask = column.reserveMissing(rowCount);
            for (int row = 0; row < rowCount; row++) {
                mask.set(U8, row, (byte) (pending.missing[row] ? 1 : 0));
            }
        }
        pending.used = 0;
        pending.hasMissing = false;
    }

    @Override
    void finish() throws IOException {
        flush();
        if (store != null) {
            store.close(Long.MAX_VALUE);
            store = null;
            try (StoreReader reader = StoreReader.open(path)) {
                add(new DatasetPart(path.getFileName().toString(), storedCount, reader.bytes()));
            }
        }
    }

    @Override
    void discard() throws IOException {
        batch.close();
        columns.forEach(Pending::close);
        if (store != null) {
            store.abort();
            store = null;
            disk().deleteAll(path);
        }
    }
}
