// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.Row;
import dev.penstock.Verification;
import dev.penstock.file.Layouts;
import dev.penstock.file.Location;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// A dataset on the heap with any fields.
public final class MemoryDataset implements Dataset {
    private final List<Field> fields;
    private final byte[][][] records;
    private volatile boolean isClosed;

    /// @param records bytes by record and field; null if a value is missing
    public MemoryDataset(List<Field> fields, byte[][][] records) {
        this.fields = List.copyOf(fields);
        this.records = records;
    }

    /// The bytes of one field of one record.
    byte[] bytes(long index, Field field) {
        return records[(int) index][fields.indexOf(field)];
    }

    @Override
    public String format() {
        return "memory";
    }

    @Override
    public int version() {
        return 1;
    }

    @Override
    public Location location() {
        return Location.of(Path.of("memory"));
    }

    @Override
    public long count() {
        return records.length;
    }

    @Override
    public long bytes() {
        return Arrays.stream(records)
                .flatMap(Arrays::stream)
                .filter(Objects::nonNull)
                .mapToLong(value -> value.length)
                .sum();
    }

    @Override
    public List<Field> fields() {
        return fields;
    }

    @Override
    public Row get(long index) {
        requireOpen();
        Objects.checkIndex(index, count());
        return new Row(
                index,
                Arrays.stream(records[(int) index])
                        .map(value -> value == null
                                ? Row.MISSING
                                : MemorySegment.ofArray(value).asReadOnly())
                        .toList());
    }

    @Override
    public void gather(MemorySegment indices, Batch batch) {
        batch.clear();
        requireOpen();
        long[] wanted = indices.toArray(Layouts.U64);
        for (long index : wanted) {
            Objects.checkIndex(index, count());
        }
        for (Column column : batch.columns()) {
            gather(wanted, column);
        }
        batch.complete(wanted.length);
    }

    private void gather(long[] wanted, Column column) {
        Field field = column.field();
        if (!fields.contains(field)) {
            throw new IllegalArgumentException("no field " + field);
        }
        // A missing value is stored as zeros or no bytes.
        byte[] nothing = new byte[field.isVariable() ? 0 : (int) field.itemSize()];
        byte[][] found = new byte[wanted.length][];
        MemorySegment missing = null;
        for (int row = 0; row < wanted.length; row++) {
            found[row] = bytes(wanted[row], field);
            if (found[row] == null) {
                missing = missing == null ? column.reserveMissing(wanted.length) : missing;
                missing.set(Layouts.U8, row, (byte) 1);
                found[row] = nothing;
            }
        }
        long total = Arrays.stream(found).mapToLong(value -> value.length).sum();
        MemorySegment values = column.reserveValues(total);
        MemorySegment offsets = field.isVariable() ? column.reserveOffsets(wanted.length) : null;
        long end = 0;
        for (int row = 0; row < wanted.length; row++) {
            byte[] value = found[row];
            MemorySegment.copy(value, 0, values, Layouts.U8, end, value.length);
            end += value.length;
            if (offsets != null) {
                offsets.set(Layouts.U64, 0, 0);
                offsets.set(Layouts.U64, (row + 1) * 8L, end);
            }
        }
    }

    @Override
    public void prepare() {
        requireOpen();
    }

    @Override
    public Verification verify(Progress progress) {
        requireOpen();
        return new Verification(bytes(), List.of(), 0, 0);
    }

    @Override
    public String fingerprint() {
        requireOpen();
        return Integer.toHexString(Arrays.deepHashCode(records));
    }

    @Override
    public Map<String, String> metadata() {
        return Map.of("made", "here");
    }

    @Override
    public Map<String, Object> facts() {
        return Map.of("heap", true);
    }

    @Override
    public String name(long index) {
        Objects.checkIndex(index, count());
        return "record " + index;
    }

    @Override
    public void close() {
        isClosed = true;
    }

    private void requireOpen() {
        if (isClosed) {
            throw new IllegalStateException("the dataset is closed");
        }
    }
}
