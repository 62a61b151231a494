// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.Batch;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.store.StoreCompression;
import dev.penstock.store.StoreField;
import dev.penstock.store.StoreOptions;
import dev.penstock.store.StoreReader;
import dev.penstock.store.StoreWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;

/// Our store with one raw field. Reads use the snapshot of the last [#refresh].
final class StoreKeeper implements RecordKeeper {
    private final StoreWriter writer;
    private final Batch rows;
    private final Batch gathered;
    private final int recordSize;
    private final StoreReader.Options reading;
    private StoreReader snapshot;

    StoreKeeper(Path folder, int recordSize, StoreReader.Options reading) throws IOException {
        StoreField field = new StoreField("value", "u8", List.of((long) recordSize), StoreCompression.RAW);
        this.writer = StoreWriter.create(folder, List.of(field), StoreOptions.DEFAULT);
        List<Field> fields = List.of(Field.fixed("value", ElementType.U8, (long) recordSize));
        this.rows = Batch.create(fields);
        this.gathered = Batch.create(fields);
        this.recordSize = recordSize;
        this.reading = reading;
    }

    @Override
    public void append(MemorySegment batch, int count) throws IOException {
        long bytes = (long) count * recordSize;
        MemorySegment.copy(batch, 0, rows.column(0).reserveValues(bytes), 0, bytes);
        rows.complete(count);
        writer.appendAll(rows);
        writer.commit();
    }

    @Override
    public void update(long[] indices, MemorySegment batch) throws IOException {
        byte[] value = new byte[recordSize];
        for (int i = 0; i < indices.length; i++) {
            MemorySegment.copy(batch, (long) i * recordSize, MemorySegment.ofArray(value), 0, recordSize);
            writer.update(indices[i], "value", value);
        }
        writer.commit();
    }

    /// Makes the last commit the one that is read.
    void refresh() throws IOException {
        closeSnapshot();
        snapshot = writer.snapshot(reading);
    }

    StoreReader snapshot() {
        return snapshot;
    }

    @Override
    public void gather(long[] indices, MemorySegment target) throws IOException {
        snapshot.gather(indices, gathered);
        MemorySegment.copy(gathered.column(0).memory(), 0, target, 0, (long) indices.length * recordSize);
    }

    /// Gathers into a batch, as users do.
    void gather(long[] indices) throws IOException {
        snapshot.gather(indices, gathered);
    }

    /// Reads records through the writer, which includes uncommitted changes.
    void readThroughWriter(long[] indices, MemorySegment target) throws IOException {
        for (int i = 0; i < indices.length; i++) {
            byte[] value = writer.get(indices[i], "value");
            MemorySegment.copy(MemorySegment.ofArray(value), 0, target, (long) i * recordSize, recordSize);
        }
    }

    @Override
    public long count() {
        return writer.count();
    }

    private void closeSnapshot() {
        if (snapshot != null) {
            snapshot.close();
            snapshot = null;
        }
    }

    @Override
    public void close() throws IOException {
        closeSnapshot();
        rows.close();
        gathered.close();
        writer.close();
    }
}
