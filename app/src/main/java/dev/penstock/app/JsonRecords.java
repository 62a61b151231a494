// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.file.Layouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The objects of JSON Lines as a source of a conversion. The types of the fields are guessed ([JsonTypes]).
record JsonRecords(Path path, List<Field> fields) implements TextRecords {
    private static final int ROWS_PER_BATCH = 4096;
    private static final long BYTES_PER_BATCH = 4L << 20;

    /// @param isTextFixed whether text becomes a field of fixed size, as a table needs it
    static JsonRecords open(Path path, boolean isTextFixed) throws IOException {
        TextRecords.requireFile(path);
        return new JsonRecords(path, JsonTypes.guess(path, isTextFixed));
    }

    @Override
    public String kind() {
        return "jsonl 1";
    }

    @Override
    public void forEach(Sink sink, Progress progress) throws IOException {
        List<Field> parsed = fields.stream().map(JsonRecords::parsed).toList();
        try (StoreJsonInput input = new StoreJsonInput(path, -1, parsed, StoreValueText.Bytes.UTF8);
                Batch batch = Batch.create(fields)) {
            List<byte[][]> rows = new ArrayList<>();
            long bytes = 0;
            byte[][] values = new byte[fields.size()][];
            while (input.next(values)) {
                rows.add(values.clone());
                for (byte[] value : values) {
                    bytes += value == null ? 0 : value.length;
                }
                if (rows.size() == ROWS_PER_BATCH || bytes >= BYTES_PER_BATCH) {
                    pass(rows, batch, sink);
                    progress.at(input.stream().readBytes(), input.stream().totalBytes());
                    bytes = 0;
                }
            }
            if (!rows.isEmpty()) {
                pass(rows, batch, sink);
            }
        }
    }

    /// Text of fixed size is read as text of any size first.
    private static Field parsed(Field field) {
        return field.type() == ElementType.UTF32 ? Field.variable(field.name(), ElementType.UTF8) : field;
    }

    private static void pass(List<byte[][]> rows, Batch batch, Sink sink) throws IOException {
        batch.clear();
        for (int i = 0; i < batch.columns().size(); i++) {
            fill(batch.column(i), i, rows);
        }
        batch.complete(rows.size());
        rows.clear();
        sink.accept(null, batch);
    }

    private static void fill(Column column, int position, List<byte[][]> rows) {
        Field field = column.field();
        long offset = 0;
        MemorySegment missing = null;
        MemorySegment offsets = field.isVariable() ? column.reserveOffsets(rows.size()) : null;
        MemorySegment target = column.reserveValues(valueBytes(field, position, rows));
        for (int row = 0; row < rows.size(); row++) {
            byte[] value = rows.get(row)[position];
            if (field.isVariable()) {
                offsets.setAtIndex(Layouts.U64, row, offset);
            } else {
                offset = row * field.itemSize();
                target.asSlice(offset, field.itemSize()).fill((byte) 0);
            }
            if (value == null) {
                missing = missing == null ? column.reserveMissing(rows.size()) : missing;
                missing.set(ValueLayout.JAVA_BYTE, row, (byte) 1);
            } else if (field.type() == ElementType.UTF32) {
                ElementParser.parse(field, new String(value, StandardCharsets.UTF_8), target, offset);
            } else {
                MemorySegment.copy(value, 0, target, ValueLayout.JAVA_BYTE, offset, value.length);
                offset += value.length;
            }
        }
        if (field.isVariable()) {
            offsets.setAtIndex(Layouts.U64, rows.size(), offset);
        }
    }

    private static long valueBytes(Field field, int position, List<byte[][]> rows) {
        if (!field.isVariable()) {
            return rows.size() * field.itemSize();
        }
        long bytes = 0;
        for (byte[][] row : rows) {
            bytes += row[position] == null ? 0 : row[position].length;
        }
        return bytes;
    }

    @Override
    public void close() {
        // Each pass opens the file itself.
    }
}
