// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.Batch;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// The changes of records that [StoreWriter] offers, and reads of changes that are not committed. Values are
/// placed in chunks first, without the lock of the writer ([PlacingCalls]), and then noted in the open batch.
///
/// **Threads.** Safe for any number of threads.
final class RecordChanges {
    private final StoreWriter writer;
    private final StoreFiles files;
    private final List<StoreField> fields;
    private final RowValues rowValues;
    private final OpenBatch batch;
    private final GroupCommit commits;
    private final RowPlacer placer;
    private final PlacingCalls calls;

    RecordChanges(StoreWriter writer, Path path, StoreFiles files, StoreState state) {
        this.writer = writer;
        this.files = files;
        this.fields = state.meta().fields();
        this.rowValues = new RowValues(fields);
        this.batch = new OpenBatch(path, files, state);
        this.commits = new GroupCommit(writer.lock(), files, batch, writer.isDurable());
        this.placer = new RowPlacer(fields, files.chunks());
        this.calls = new PlacingCalls(writer, files, batch);
    }

    OpenBatch batch() {
        return batch;
    }

    GroupCommit commits() {
        return commits;
    }

    RowPlacer placer() {
        return placer;
    }

    PlacingCalls calls() {
        return calls;
    }

    long append(List<byte[]> values) throws IOException {
        return append(rowValues.of(values));
    }

    long append(Map<String, byte[]> values) throws IOException {
        return append(rowValues.of(values));
    }

    private long append(MemorySegment[] cells) throws IOException {
        return calls.run(() -> placer.place(cells), batch::append);
    }

    long appendAll(List<List<byte[]>> records) throws IOException {
        List<MemorySegment[]> rows = new ArrayList<>(records.size());
        for (List<byte[]> record : records) {
            rows.add(rowValues.of(record));
        }
        return append(RowSource.of(rows));
    }

    long appendAll(Batch rows) throws IOException {
        return append(RowSource.of(rowValues.of(rows), rows.rowCount()));
    }

    private long append(RowSource source) throws IOException {
        return calls.run(() -> placer.place(source), batch::append);
    }

    void requireFitting(List<byte[]> values) {
        rowValues.of(values);
    }

    void update(long index, String field, byte[] value) throws IOException {
        byte[][] one = {value};
        update(index, new int[] {StoreField.position(fields, field)}, one);
    }

    void update(long index, Map<String, byte[]> values) throws IOException {
        int[] positions = values.keySet().stream()
                .mapToInt(name -> StoreField.position(fields, name))
                .toArray();
        update(index, positions, values.values().toArray(byte[][]::new));
    }

    private void update(long index, int[] positions, byte[][] values) throws IOException {
        MemorySegment[] cells = rowValues.of(positions, values);
        FailStop.Step check = () -> batch.requireThere(index);
        calls.run(commits::awaitIdle, check, () -> placer.place(positions, cells), placed -> {
            batch.update(index, positions, placed);
            return index;
        });
    }

    /// @return the former index of the record that is now at this index, or -1 when none has moved
    long delete(long index) throws IOException {
        try (StoreLock.Held _ = writer.lock().hold()) {
            writer.requireOpen();
            requireUsable();
            if (writer.isSwapping()) {
                return batch.deleteBySwap(index);
            }
            batch.delete(index);
            return -1;
        }
    }

    /// Waits until the changes of a running commit are part of the state, and requires that nothing was lost.
    private void requireUsable() throws IOException {
        commits.awaitIdle();
        files.requireSound();
        batch.requireNotBereft(Thread.currentThread());
    }

    /// Discards the changes of all threads since the last commit.
    void rollback() {
        try (StoreLock.Held _ = writer.lock().hold()) {
            writer.requireOpen();
            commits.awaitIdle();
            batch.rollback(Thread.currentThread());
        }
    }

    /// The bytes of a value of a record, or null when it is missing.
    byte[] value(long index, String field) throws IOException {
        try (StoreLock.Held _ = writer.lock().hold()) {
            writer.requireOpen();
            requireUsable();
            return batch.value(StoreField.position(fields, field), index);
        }
    }

    boolean isDeleted(long index) throws IOException {
        try (StoreLock.Held _ = writer.lock().hold()) {
            writer.requireOpen();
            requireUsable();
            Objects.checkIndex(index, batch.length());
            return batch.entry(0, index).isDeleted();
        }
    }
}
