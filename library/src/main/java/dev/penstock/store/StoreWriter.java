// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.Batch;
import dev.penstock.Progress;
import dev.penstock.file.Disk;
import dev.penstock.file.WriterLock;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Writes a store: appends, updates and deletes records, and commits them together.
///
/// The changes since the last [#commit], by all threads, form a batch: after a crash either all of it or nothing
/// is there. [#rollback] discards it. Readers and [#snapshot] see committed records only.
///
/// **Lifecycle.** `close` commits, and publishes the state for programs that know only the published layout,
/// unless that would write more than [#PUBLISH_BYTES_MAX]. A write to a full disk fails and leaves the store
/// usable. After a failed force nothing more is acknowledged, and the store has to be opened again.
///
/// **Threads.** Safe for any number of threads. Up to [StoreOptions#writers] threads compress and write values at
/// the same time, each to its own chunk; the others wait. Records get their indices when their values are placed.
/// While a commit waits for the disk other threads can append, and their commits are made durable together by one
/// force (group commit). `close` lets running calls finish and rejects new ones; it returns after
/// [StoreOptions#closeMillis] at the latest. One process at a time can write a store.
public final class StoreWriter implements AutoCloseable {
    /// The largest number of bytes that `close` writes to publish changed tables: about a second of writing.
    /// [#checkpoint] writes any amount.
    public static final long PUBLISH_BYTES_MAX = 256L << 20;

    private final StoreCore core;
    private final List<StoreField> fields;
    private final RowValues rowValues;
    private final RowPlacer placer;

    private StoreWriter(StoreCore core) {
        this.core = core;
        this.fields = core.fields();
        this.rowValues = new RowValues(fields);
        this.placer = new RowPlacer(fields, core.chunks());
    }

    /// Creates an empty store.
    ///
    /// @throws java.nio.file.FileAlreadyExistsException when something exists that is not an unfinished store
    public static StoreWriter create(Path path, List<StoreField> fields, StoreOptions options) throws IOException {
        StoreField.requireValid(fields);
        Disk disk = options.disk();
        if (disk.isDirectory(path)) {
            StoreCreation.requireFree(disk, path);
        } else {
            disk.createDirectory(path);
        }
        WriterLock lock = WriterLock.take(disk, path.resolve(StoreFormat.LOCK), path);
        try {
            StoreCreation.requireFree(disk, path);
            StoreCreation.create(path, fields, options);
            return new StoreWriter(new StoreCore(path, options, lock, StoreState.loadForWriting(path, disk)));
        } catch (Throwable e) {
            Closing.after(e, lock::close);
            throw e;
        }
    }

    /// Opens a store for writing. Unfinished work of the last writer is recovered.
    ///
    /// @throws java.nio.file.NoSuchFileException   when the store does not exist
    /// @throws java.nio.file.FileSystemException   when another writer has it open; the message says which
    /// @throws dev.penstock.DatasetException when its files are damaged
    /// @throws IllegalArgumentException      when another program wrote it
    public static StoreWriter open(Path path, StoreOptions options) throws IOException {
        Disk disk = options.disk();
        StoreMetaFile found = StoreMetaFile.find(disk, path);
        if (found == null) {
            // Says what is wrong.
            StoreState.loadForWriting(path, disk).close();
        } else {
            found.meta().requireWritable(path);
        }
        WriterLock lock = WriterLock.take(disk, path.resolve(StoreFormat.LOCK), path);
        try {
            disk.requireOwn(path.resolve(StoreFormat.CHUNK_FOLDER));
            disk.requireOwn(path.resolve(StoreFormat.JOURNAL_FOLDER));
            return new StoreWriter(new StoreCore(path, options, lock, StoreState.loadForWriting(path, disk)));
        } catch (Throwable e) {
            Closing.after(e, lock::close);
            throw e;
        }
    }

    /// The path of the store.
    public Path path() {
        return core.path();
    }

    /// The fields, in their order.
    public List<StoreField> fields() {
        return fields;
    }

    /// The number of records, including uncommitted ones and tombstones of deleted records.
    public long count() {
        return core.count();
    }

    /// Whether a commit waits until it is durable.
    public boolean isDurable() {
        return core.isDurable();
    }

    /// Whether a delete moves the last record into the gap.
    public boolean isSwapping() {
        return core.isSwapping();
    }

    /// The sequence of the last commit, which grows with every commit.
    public long sequence() {
        return core.sequence();
    }

    /// Appends a record.
    ///
    /// @param values the values in the order of the fields; null if a value is missing
    /// @return the index of the record
    /// @throws IllegalArgumentException when a value does not match the declaration of its field
    public long append(List<byte[]> values) throws IOException {
        return append(rowValues.of(values));
    }

    /// Appends a record that may lack fields.
    ///
    /// @param values the values by field name
    /// @return the index of the record
    /// @throws IllegalArgumentException when a field does not exist, or a value does not match its field
    public long append(Map<String, byte[]> values) throws IOException {
        return append(rowValues.of(values));
    }

    /// Appends records. Many of them are compressed by as many threads as the store has writers.
    ///
    /// @return the index of the first of these records; the others follow it
    /// @throws IllegalArgumentException when a value does not match its field; then nothing is appended
    public long appendAll(List<List<byte[]>> records) throws IOException {
        List<MemorySegment[]> rows = new ArrayList<>(records.size());
        for (List<byte[]> record : records) {
            rows.add(rowValues.of(record));
        }
        return append(RowSource.of(rows));
    }

    /// @param values the values of a record, in the order of the fields
    /// @throws IllegalArgumentException when they could not be appended
    public void requireFitting(List<byte[]> values) {
        rowValues.of(values);
    }

    /// Appends all rows of a batch, whose columns have names of fields. Fields that the batch lacks are missing. A
    /// large batch is compressed by as many threads as the store has writers.
    ///
    /// @return the index of the first of these records; the others follow it
    /// @throws IllegalArgumentException when a column has no field, or a value does not fit; nothing is appended
    ///                                  then
    public long appendAll(Batch rows) throws IOException {
        return append(RowSource.of(rowValues.of(rows), rows.rowCount()));
    }

    private long append(MemorySegment[] cells) throws IOException {
        return core.append(() -> placer.place(cells));
    }

    private long append(RowSource source) throws IOException {
        return core.append(() -> placer.place(source));
    }

    /// Changes the value of one field of a record.
    ///
    /// @param value the new value, or null to remove the value
    /// @throws IndexOutOfBoundsException when the index is out of range
    /// @throws IllegalArgumentException when the record was deleted, there is no such field, or the value does not
    ///                                  fit
    public void update(long index, String field, byte[] value) throws IOException {
        byte[][] one = {value};
        update(index, new int[] {StoreField.position(fields, field)}, one);
    }

    /// Changes the values of some fields of a record. The other fields are not changed.
    ///
    /// @param values the values by field name; null to remove a value
    /// @throws IndexOutOfBoundsException when the index is out of range
    /// @throws IllegalArgumentException when the record was deleted, there is no such field, or a value does
    ///                                  not fit
    public void update(long index, Map<String, byte[]> values) throws IOException {
        int[] positions = values.keySet().stream()
                .mapToInt(name -> StoreField.position(fields, name))
                .toArray();
        update(index, positions, values.values().toArray(byte[][]::new));
    }

    private void update(long index, int[] positions, byte[][] values) throws IOException {
        MemorySegment[] cells = rowValues.of(positions, values);
        core.update(index, positions, () -> placer.place(positions, cells));
    }

    /// Deletes a record. All indices stay the same and the record becomes a tombstone, unless the store was
    /// created to move its last record into the gap.
    ///
    /// @return the former index of the record that is now at this index, or -1 when none has moved
    /// @throws IndexOutOfBoundsException when the index is out of range
    /// @throws IllegalArgumentException when the record was already deleted
    public long delete(long index) throws IOException {
        return core.delete(index);
    }

    /// Makes the changes since the last commit durable, together with those of other threads.
    ///
    /// | outcome | the changes | what to do |
    /// |---|---|---|
    /// | returns | are committed, whatever happens to journals and tables later ([#takeWarning]) | |
    /// | [StoreLostException] | are given up | make them again |
    /// | [StoreStoppedException] | may be committed or not | open the store again and look |
    /// | another [IOException] | are kept and not committed | commit again, or roll back |
    ///
    /// @return the sequence of the commit
    /// @throws IOException as the table says
    public long commit() throws IOException {
        return core.commit();
    }

    /// Discards the changes of all threads since the last commit. Other threads whose changes these were get a
    /// [StoreLostException] from their next call.
    public void rollback() {
        core.rollback();
    }

    /// Makes all commits so far durable, for stores whose commits do not wait for that.
    public void sync() throws IOException {
        core.requireOpen();
        core.sync();
    }

    /// Trouble after calls that have succeeded, for example that the disk is too full for a new journal. It is
    /// tried again later by itself; a full disk needs space. Each is returned once.
    public Optional<String> takeWarning() {
        return core.takeWarning();
    }

    /// Commits, and publishes the state for programs that know only the published layout.
    ///
    /// @throws StorePublishException when the changes are committed, but could not be published
    public void checkpoint() throws IOException {
        core.commit();
        core.publish();
    }

    /// Whether programs that know only the published layout see the last commit.
    public boolean isPublished() {
        return core.isPublished();
    }

    /// The state after the last commit as a dataset. It stays the same, whatever is written later, until
    /// [StoreReader#refresh] moves it on. It outlives this writer.
    public StoreReader snapshot() throws IOException {
        return snapshot(StoreReader.Options.DEFAULT.withDisk(core.options().disk()));
    }

    /// The state after the last commit as a dataset with options.
    public StoreReader snapshot(StoreReader.Options reading) throws IOException {
        return core.snapshot(reading);
    }

    /// Copies the values of chunks with much garbage to new chunks and deletes the old ones. Records keep their
    /// indices and values. Other threads may write at the same time; each waits at most as long as a commit takes.
    /// If another thread rebalances the store, this waits for it.
    ///
    /// If it fails or the process ends, the unfinished part is garbage, and the next rebalance continues. Chunks
    /// that open readers need, in this or another process, are deleted later: when the store is written to and the
    /// readers are closed.
    ///
    /// @param progress  receives the number of bytes
    /// @throws IllegalArgumentException  when a field does not exist, or the order has a record twice
    /// @throws IndexOutOfBoundsException when a record of the order is out of range
    public RebalanceReport rebalance(RebalanceOptions options, Progress progress) throws IOException {
        return core.rebalance(() -> new StoreRebalance(core, options).run(progress));
    }

    /// The part of this writer that its threads share.
    StoreCore core() {
        return core;
    }

    /// Commits, publishes if that is quick, and closes.
    @Override
    public void close() throws IOException {
        close(PUBLISH_BYTES_MAX);
    }

    /// Lets calls of other threads finish, commits, publishes if that writes at most `publishBytesMax` bytes for
    /// changed tables, and closes.
    ///
    /// @param publishBytesMax 0 to leave publishing to a later [#checkpoint]
    /// @throws StorePublishException when everything is committed, but could not be published
    /// @throws IOException           when something could not be written, the store has stopped before, or all of
    ///                               it takes longer than [StoreOptions#closeMillis]; then it goes on by itself
    public void close(long publishBytesMax) throws IOException {
        core.close(publishBytesMax);
    }

    /// Closes without committing: uncommitted changes are lost.
    ///
    /// @throws IOException when closing takes longer than [StoreOptions#closeMillis]; it goes on in the background
    ///                     then
    public void abort() throws IOException {
        core.abort();
    }

    /// The bytes of a value of a record, committed or not; null when it is missing.
    ///
    /// @throws IndexOutOfBoundsException when the index is out of range
    public byte[] get(long index, String field) throws IOException {
        return core.value(index, field);
    }

    /// Whether a record, committed or not, was deleted and left a tombstone.
    ///
    /// @throws IndexOutOfBoundsException when the index is out of range
    public boolean isDeleted(long index) throws IOException {
        return core.isDeleted(index);
    }
}
