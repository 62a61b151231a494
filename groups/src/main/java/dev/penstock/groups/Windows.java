// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups;

import dev.penstock.Batch;
import dev.penstock.Buffer;
import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.Fingerprint;
import dev.penstock.Indices;
import dev.penstock.Location;
import dev.penstock.Pool;
import dev.penstock.Progress;
import dev.penstock.Row;
import dev.penstock.Verification;
import dev.penstock.memory.Layouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// Runs of consecutive rows that stay inside a group, as a dataset: record `i` is a window of rows.
///
/// A field of the rows has the length of a window as its first dimension here. An attribute of the group has one
/// value for each row of the window, too.
///
/// **Ownership.** The table belongs to the caller; closing the view leaves it open.
///
/// **Threads.** Any number, as [Dataset] says.
public final class Windows implements Dataset {
    private final GroupedTable table;
    private final long length;
    private final long stride;
    /// The number of windows before each group, and behind the last group the number of all windows.
    private final long[] firsts;

    private final List<Field> fields;
    private final List<Field> conditionFields;
    private final Pool<Buffer> scratch = new Pool<>(Buffer::new, Buffer::close);
    private volatile boolean isClosed;

    private Windows(GroupedTable table, long length, long stride, long[] firsts) {
        this.table = table;
        this.length = length;
        this.stride = stride;
        this.firsts = firsts;
        this.fields = table.fields().stream().map(this::windowed).toList();
        this.conditionFields = table.conditionFields().stream()
                .filter(field -> !field.isVariable())
                .map(this::windowed)
                .toList();
    }

    static Windows of(GroupedTable table, long length, long stride) {
        if (length < 1 || stride < 1) {
            throw new IllegalArgumentException(
                    "the length and the stride of windows must be at least 1, got " + length + " and " + stride);
        }
        Groups groups = table.groups();
        long[] firsts = new long[(int) groups.count() + 1];
        for (int i = 0; i < groups.count(); i++) {
            long rowCount = groups.rowCount(i);
            firsts[i + 1] = firsts[i] + (rowCount < length ? 0 : (rowCount - length) / stride + 1);
        }
        return new Windows(table, length, stride, firsts);
    }

    private Field windowed(Field field) {
        List<Long> shape = new ArrayList<>(List.of(length));
        shape.addAll(field.shape());
        return new Field(field.name(), field.type(), field.elementSize(), shape, false);
    }

    private Field rowField(Field field) {
        List<Field> own = table.conditionFields();
        for (Field one : own) {
            if (!one.isVariable() && windowed(one).equals(field)) {
                return one;
            }
        }
        throw new IllegalArgumentException(
                "the batch wants " + field + "; the windows of " + location() + " have " + fields);
    }

    /// The first row of a window.
    ///
    /// @throws IndexOutOfBoundsException when there is no such window
    public long firstRow(long window) {
        Objects.checkIndex(window, count());
        int found = Arrays.binarySearch(firsts, window);
        int group = found >= 0 ? found : -found - 2;
        while (firsts[group + 1] == window) {
            // A group without windows begins where the next one does.
            group++;
        }
        return table.groups().start(group) + (window - firsts[group]) * stride;
    }

    @Override
    public void gather(MemorySegment indices, Batch batch) throws IOException {
        batch.clear();
        requireOpen();
        long windowCount = Indices.count(indices);
        List<Field> rowFields = batch.fields().stream().map(this::rowField).toList();
        long rowBytes = Math.multiplyExact(Math.multiplyExact(windowCount, length), Long.BYTES);
        Buffer buffer = scratch.borrow();
        try (Batch rows = Batch.create(rowFields)) {
            MemorySegment wanted = buffer.reserve(rowBytes).asSlice(0, rowBytes);
            for (long i = 0; i < windowCount; i++) {
                long first = firstRow(Indices.at(indices, i));
                for (long j = 0; j < length; j++) {
                    wanted.set(Layouts.U64, (i * length + j) * Long.BYTES, first + j);
                }
            }
            table.gather(wanted, rows);
            for (int i = 0; i < rowFields.size(); i++) {
                Column from = rows.column(i);
                MemorySegment.copy(
                        from.values(), 0, batch.column(i).reserveValues(from.valueBytes()), 0, from.valueBytes());
            }
            batch.complete(windowCount);
        } catch (Throwable e) {
            batch.clear();
            throw e;
        } finally {
            scratch.giveBack(buffer);
        }
    }

    /// One window, copied.
    @Override
    public Row get(long window) throws IOException {
        try (Batch batch = Batch.create(fields)) {
            gather(new long[] {window}, batch);
            List<MemorySegment> values = new ArrayList<>();
            for (Column column : batch.columns()) {
                values.add(MemorySegment.ofArray(column.value(0).toArray(Layouts.U8))
                        .asReadOnly());
            }
            return new Row(window, values);
        }
    }

    private void requireOpen() {
        if (isClosed) {
            throw new IllegalStateException("the windows of " + location() + " are closed");
        }
    }

    @Override
    public String format() {
        return table.format();
    }

    @Override
    public int version() {
        return table.version();
    }

    @Override
    public Location location() {
        return table.location();
    }

    @Override
    public long count() {
        return firsts[firsts.length - 1];
    }

    @Override
    public long bytes() {
        return table.bytes();
    }

    @Override
    public List<Field> fields() {
        return fields;
    }

    @Override
    public List<Field> conditionFields() {
        return conditionFields;
    }

    @Override
    public void prepare() {
        table.prepare();
    }

    /// Checks all of the table.
    @Override
    public Verification verify(Progress progress) throws IOException {
        return table.verify(progress);
    }

    @Override
    public String fingerprint() throws IOException {
        return new Fingerprint("windows 1 of " + table.fingerprint())
                .add(length, stride)
                .text();
    }

    @Override
    public boolean isFingerprintExact() {
        return table.isFingerprintExact();
    }

    @Override
    public Map<String, String> metadata() {
        return table.metadata();
    }

    @Override
    public Map<String, Object> facts() {
        Map<String, Object> facts = new LinkedHashMap<>(table.facts());
        facts.put("windowRows", length);
        facts.put("windowStride", stride);
        return facts;
    }

    @Override
    public List<String> remarks() {
        return table.remarks();
    }

    @Override
    public void close() {
        isClosed = true;
        scratch.close();
    }
}
