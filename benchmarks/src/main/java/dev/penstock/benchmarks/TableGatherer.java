// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.Batch;
import dev.penstock.Buffer;
import dev.penstock.Column;
import dev.penstock.Field;
import dev.penstock.table.TableReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.zip.CRC32;

/// Our gather of a table: whole rows in their stored form, or columns.
final class TableGatherer implements Contender, AutoCloseable {
    static final String ROWS = "rows";
    static final String COLUMNS = "columns";

    private final TableReader reader;

    /// The batch for columns, or null for whole rows.
    private final Batch batch;

    private final Buffer indexBuffer = new Buffer();
    private final Buffer rowBuffer = new Buffer();
    private MemorySegment indices;
    private MemorySegment rows;

    private TableGatherer(TableReader reader, Batch batch) {
        this.reader = reader;
        this.batch = batch;
    }

    /// Gathers whole rows.
    static TableGatherer rows(TableReader reader) {
        return new TableGatherer(reader, null);
    }

    /// Gathers these fields into columns; all fields if none is named.
    static TableGatherer columns(TableReader reader, String... names) {
        List<Field> fields = reader.fields().stream()
                .filter(field -> names.length == 0 || List.of(names).contains(field.name()))
                .toList();
        return new TableGatherer(reader, Batch.create(fields));
    }

    /// Creates either kind from a word: `rows`, `columns` or `columns:NAME,NAME`.
    static TableGatherer of(TableReader reader, String operation) {
        if (operation.equals(ROWS)) {
            return rows(reader);
        }
        String[] parts = operation.split(":", 2);
        return columns(reader, parts.length == 2 ? parts[1].split(",") : new String[0]);
    }

    @Override
    public long[] run(Draw draw) throws IOException {
        prepare(draw);
        return gather(draw);
    }

    /// Draws the indices.
    void prepare(Draw draw) {
        indices = indexBuffer.reserve(draw.bytes()).asSlice(0, draw.bytes());
        draw.fill(indices, reader.count());
    }

    /// The measured work.
    long[] gather(Draw draw) throws IOException {
        long[] nanos = new long[draw.batchCount()];
        long before = System.nanoTime();
        for (int i = 0; i < nanos.length; i++) {
            gather(draw, i);
            long after = System.nanoTime();
            nanos[i] = after - before;
            before = after;
        }
        return nanos;
    }

    private void gather(Draw draw, int batchIndex) throws IOException {
        MemorySegment ofBatch = indices.asSlice(batchIndex * draw.batchBytes(), draw.batchBytes());
        if (batch == null) {
            rows = reader.read(ofBatch, rowBuffer);
        } else {
            reader.gather(ofBatch, batch);
        }
    }

    @Override
    public long checksum(Draw draw) throws IOException {
        prepare(draw);
        CRC32 crc = new CRC32();
        for (int i = 0; i < draw.batchCount(); i++) {
            gather(draw, i);
            if (batch == null) {
                crc.update(rows.asByteBuffer());
            } else {
                for (Column column : batch.columns()) {
                    crc.update(column.values().asByteBuffer());
                }
            }
        }
        return crc.getValue();
    }

    @Override
    public void close() {
        indexBuffer.close();
        rowBuffer.close();
        if (batch != null) {
            batch.close();
        }
    }
}
