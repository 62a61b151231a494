// SPDX-License-Identifier: Apache-2.0
package dev.penstock.view;

import dev.penstock.Batch;
import dev.penstock.Buffer;
import dev.penstock.ClosedException;
import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.Fingerprint;
import dev.penstock.Indices;
import dev.penstock.Io;
import dev.penstock.Origin;
import dev.penstock.Pool;
import dev.penstock.Progress;
import dev.penstock.Row;
import dev.penstock.StoredRows;
import dev.penstock.Verification;
import dev.penstock.file.Location;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// A dataset of windows: record `i` is a range of consecutive rows of another dataset. Windows may overlap.
///
/// The length of a window becomes the first dimension of each field: windows of 1,025 rows of a table of tokens
/// are arrays of 1,025 tokens. If the rows come in groups, no window crosses the end of a group.
///
/// Windows of rows ask their dataset for ranges of consecutive rows (`StoredRows.gatherRanges`,
/// `RangeGather`). A range is one copy instead of one copy for each row.
///
/// **Ownership.** The dataset belongs to the caller. Closing the view leaves it open.
///
/// **Threads.** Safe for any number of threads, as for every [Dataset].
public sealed class Windows implements Dataset permits StoredWindows {
    /// Ranges of consecutive rows that windows are taken from: the first row and the number of rows of each.
    private record Ranges(long[] starts, long[] counts) {}

    private final Dataset dataset;
    private final long length;
    private final long stride;
    private final long[] rangeStarts;
    /// The number of windows before each range, followed by the number of all windows.
    private final long[] firsts;

    private final List<Field> fields;
    private final List<Field> conditionFields;
    private final Pool<Buffer> scratch = new Pool<>(Buffer::new, Buffer::close);
    private volatile boolean isClosed;

    Windows(Dataset dataset, long length, long stride, long[] rangeStarts, long[] firsts) {
        this.dataset = dataset;
        this.length = length;
        this.stride = stride;
        this.rangeStarts = rangeStarts;
        this.firsts = firsts;
        this.fields =
                dataset.fields().stream().map(field -> field.inRanges(length)).toList();
        this.conditionFields = dataset.conditionFields().stream()
                .filter(field -> !field.isVariable())
                .map(field -> field.inRanges(length))
                .toList();
    }

    /// Creates all windows of a dataset.
    ///
    /// @param length the number of rows of a window, at least 1
    /// @param stride the number of rows from the start of a window to the start of the next, at least 1
    /// @throws IllegalArgumentException when a field of the dataset is variable
    public static Windows of(Dataset dataset, long length, long stride) {
        return of(dataset, length, stride, new Ranges(new long[] {0}, new long[] {dataset.count()}));
    }

    /// Creates the windows that lie inside the given ranges of rows.
    ///
    /// @param rangeStarts the first row of each range, in ascending order
    /// @param rangeCounts the number of rows of each range
    public static Windows of(Dataset dataset, long length, long stride, long[] rangeStarts, long[] rangeCounts) {
        return of(dataset, length, stride, new Ranges(rangeStarts, rangeCounts));
    }

    private static Windows of(Dataset dataset, long length, long stride, Ranges ranges) {
        if (length < 1 || stride < 1) {
            throw new IllegalArgumentException(
                    "the length and the stride of windows must be at least 1, got " + length + " and " + stride);
        }
        for (Field field : dataset.fields()) {
            if (field.isVariable()) {
                throw new IllegalArgumentException("windows need fields of a fixed size, but field " + field.name()
                        + " of " + dataset.location() + " is variable");
            }
            // Throws when the size of a window does not fit in 63 bits.
            field.inRanges(length);
        }
        long[] firsts = new long[ranges.starts.length + 1];
        for (int i = 0; i < ranges.starts.length; i++) {
            long rowCount = ranges.counts[i];
            firsts[i + 1] = firsts[i] + (rowCount < length ? 0 : (rowCount - length) / stride + 1);
        }
        return dataset instanceof StoredRows rows
                ? new StoredWindows(rows, length, stride, ranges.starts, firsts)
                : new Windows(dataset, length, stride, ranges.starts, firsts);
    }

    private Field rowField(Field field) {
        for (Field one : dataset.conditionFields()) {
            if (!one.isVariable() && one.inRanges(length).equals(field)) {
                return one;
            }
        }
        throw new IllegalArgumentException(
                "the batch was created with field " + field + ", but the windows of " + location() + " have " + fields);
    }

    /// The number of rows of a window.
    public long length() {
        return length;
    }

    /// The first row of a window.
    ///
    /// @throws IndexOutOfBoundsException when the window is out of range
    public long firstRow(long window) {
        Objects.checkIndex(window, count());
        if (rangeStarts.length == 1) {
            return rangeStarts[0] + window * stride;
        }
        int found = Arrays.binarySearch(firsts, window);
        int range = found >= 0 ? found : -found - 2;
        while (firsts[range + 1] == window) {
            // A range without windows has the same first window as the next range.
            range++;
        }
        return rangeStarts[range] + (window - firsts[range]) * stride;
    }

    /// Calls `work` with the first row of each window. The memory is valid during the call only.
    ///
    /// @throws IndexOutOfBoundsException when a window is out of range; then `work` is not called
    void withFirstRows(MemorySegment indices, Io.Consumer<MemorySegment> work) throws IOException {
        requireOpen();
        long windowCount = Indices.count(indices);
        Buffer buffer = scratch.borrow();
        try {
            MemorySegment firstRows = buffer.reserve(indices.byteSize()).asSlice(0, indices.byteSize());
            for (long i = 0; i < windowCount; i++) {
                firstRows.setAtIndex(Indices.LAYOUT, i, firstRow(Indices.at(indices, i)));
            }
            work.accept(firstRows);
        } finally {
            scratch.giveBack(buffer);
        }
    }

    @Override
    public void gather(MemorySegment indices, Batch batch) throws IOException {
        batch.clear();
        withFirstRows(indices, firstRows -> {
            try {
                gatherWindows(firstRows, batch);
            } catch (Throwable e) {
                batch.clear();
                throw e;
            }
        });
    }

    /// Gathers row by row. [StoredWindows] overrides this with a faster way.
    void gatherWindows(MemorySegment firstRows, Batch batch) throws IOException {
        List<Field> rowFields = batch.fields().stream().map(this::rowField).toList();
        long windowCount = Indices.count(firstRows);
        try (Batch rows = Batch.create(rowFields);
                Buffer buffer = new Buffer()) {
            dataset.gather(Indices.ofRanges(firstRows, length, buffer), rows);
            for (int i = 0; i < rowFields.size(); i++) {
                Column from = rows.column(i);
                if (from.hasMissing()) {
                    throw new IllegalArgumentException("windows do not support missing values, but records of "
                            + location() + " lack field " + from.field().name());
                }
                MemorySegment target = batch.column(i).reserveValues(from.valueBytes());
                MemorySegment.copy(from.values(), 0, target, 0, from.valueBytes());
            }
            batch.complete(windowCount);
        }
    }

    /// Returns a copy of one window.
    @Override
    public Row get(long window) throws IOException {
        try (Batch batch = Batch.create(fields)) {
            gather(new long[] {window}, batch);
            List<MemorySegment> values = new ArrayList<>();
            for (Column column : batch.columns()) {
                values.add(MemorySegment.ofArray(column.value(0).toArray(ValueLayout.JAVA_BYTE))
                        .asReadOnly());
            }
            return new Row(window, values);
        }
    }

    private void requireOpen() {
        if (isClosed) {
            throw new ClosedException("the windows of " + location() + " are closed");
        }
    }

    @Override
    public String format() {
        return dataset.format();
    }

    @Override
    public int version() {
        return dataset.version();
    }

    @Override
    public Location location() {
        return dataset.location();
    }

    @Override
    public long count() {
        return firsts[firsts.length - 1];
    }

    @Override
    public long bytes() {
        return dataset.bytes();
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
        dataset.prepare();
    }

    @Override
    public void prefetch(long firstIndex, long recordCount) {
        Objects.checkFromIndexSize(firstIndex, recordCount, count());
        if (recordCount > 0) {
            long firstRow = firstRow(firstIndex);
            dataset.prefetch(firstRow, firstRow(firstIndex + recordCount - 1) + length - firstRow);
        }
    }

    /// Verifies the whole dataset.
    @Override
    public Verification verify(Progress progress) throws IOException {
        return dataset.verify(progress);
    }

    @Override
    public String fingerprint() throws IOException {
        return new Fingerprint("windows 1 of " + dataset.fingerprint())
                .add(length, stride)
                .text();
    }

    @Override
    public boolean isFingerprintExact() {
        return dataset.isFingerprintExact();
    }

    @Override
    public Map<String, String> metadata() {
        return dataset.metadata();
    }

    @Override
    public Map<String, Object> facts() {
        Map<String, Object> facts = new LinkedHashMap<>(dataset.facts());
        facts.put("windowRows", length);
        facts.put("windowStride", stride);
        return facts;
    }

    @Override
    public List<String> remarks() {
        return dataset.remarks();
    }

    /// The rows of the window, which begin in one file and may end in another.
    @Override
    public List<Origin> origins(long index) {
        requireOpen();
        Origin first = dataset.origins(firstRow(index)).getFirst();
        return List.of(first.withCount(length));
    }

    @Override
    public Map<String, Object> recipe() throws IOException {
        Map<String, Object> recipe = ViewRecipe.of("windows", List.of(dataset));
        recipe.put("length", length);
        recipe.put("stride", stride);
        return recipe;
    }

    @Override
    public void close() {
        isClosed = true;
        scratch.close();
    }
}
