// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.Batch;
import dev.penstock.Progress;
import dev.penstock.file.Disk;
import dev.penstock.file.WriterLock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

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

    private final Path path;
    private final StoreOptions options;
    private final WriterLock writerLock;
    /// Guards everything that the threads of this writer share.
    private final StoreLock lock = new StoreLock();
    private final StoreFiles files;
    private final StoreState state;
    private final RecordChanges changes;
    private final GroupCommit commits;
    private final CommitCalls commitCalls;
    private final AtomicBoolean isClosing = new AtomicBoolean();
    /// The thread that rebalances the store, or null.
    private Thread rebalancing;
    /// The thread that closes the store, or null.
    private volatile Thread closing;

    private boolean isClosed;

    private StoreWriter(Path path, StoreOptions options, WriterLock writerLock, StoreState state) {
        this.path = path;
        this.options = options;
        this.writerLock = writerLock;
        this.state = state;
        this.files = new StoreFiles(path, options, state);
        this.changes = new RecordChanges(this, path, files, state);
        this.commits = changes.commits();
        this.commitCalls = new CommitCalls(this, options, files, commits);
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
            return new StoreWriter(path, options, lock, StoreState.loadForWriting(path, disk));
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
            return new StoreWriter(path, options, lock, StoreState.loadForWriting(path, disk));
        } catch (Throwable e) {
            Closing.after(e, lock::close);
            throw e;
        }
    }

    /// The path of the store.
    public Path path() {
        return path;
    }

    /// The fields, in their order.
    public List<StoreField> fields() {
        return state.meta().fields();
    }

    /// The number of records, including uncommitted ones and tombstones of deleted records.
    public long count() {
        try (StoreLock.Held _ = lock.hold()) {
            return changes.batch().length();
        }
    }

    /// Whether a commit waits until it is durable.
    public boolean isDurable() {
        return options.durability() == StoreOptions.Durability.COMMIT;
    }

    /// Whether a delete moves the last record into the gap.
    public boolean isSwapping() {
        return state.meta().isSwapping();
    }

    /// The sequence of the last commit, which grows with every commit.
    public long sequence() {
        try (StoreLock.Held _ = lock.hold()) {
            return files.sequence();
        }
    }

    /// Appends a record.
    ///
    /// @param values the values in the order of the fields; null if a value is missing
    /// @return the index of the record
    /// @throws IllegalArgumentException when a value does not match the declaration of its field
    public long append(List<byte[]> values) throws IOException {
        return changes.append(values);
    }

    /// Appends a record that may lack fields.
    ///
    /// @param values the values by field name
    /// @return the index of the record
    /// @throws IllegalArgumentException when a field does not exist, or a value does not match its field
    public long append(Map<String, byte[]> values) throws IOException {
        return changes.append(values);
    }

    /// Appends records. Many of them are compressed by as many threads as the store has writers.
    ///
    /// @return the index of the first of these records; the others follow it
    /// @throws IllegalArgumentException when a value does not match its field; then nothing is appended
    public long appendAll(List<List<byte[]>> records) throws IOException {
        return changes.appendAll(records);
    }

    /// @param values the values of a record, in the order of the fields
    /// @throws IllegalArgumentException when they could not be appended
    public void requireFitting(List<byte[]> values) {
        changes.requireFitting(values);
    }

    /// Appends all rows of a batch, whose columns have names of fields. Fields that the batch lacks are missing. A
    /// large batch is compressed by as many threads as the store has writers.
    ///
    /// @return the index of the first of these records; the others follow it
    /// @throws IllegalArgumentException when a column has no field, or a value does not fit; nothing is appended
    ///                                  then
    public long appendAll(Batch rows) throws IOException {
        return changes.appendAll(rows);
    }

    /// Changes the value of one field of a record.
    ///
    /// @param value the new value, or null to remove the value
    /// @throws IndexOutOfBoundsException when the index is out of range
    /// @throws IllegalArgumentException when the record was deleted, there is no such field, or the value does not
    ///                                  fit
    public void update(long index, String field, byte[] value) throws IOException {
        changes.update(index, field, value);
    }

    /// Changes the values of some fields of a record. The other fields are not changed.
    ///
    /// @param values the values by field name; null to remove a value
    /// @throws IndexOutOfBoundsException when the index is out of range
    /// @throws IllegalArgumentException when the record was deleted, there is no such field, or a value does
    ///                                  not fit
    public void update(long index, Map<String, byte[]> values) throws IOException {
        changes.update(index, values);
    }

    /// Deletes a record. All indices stay the same and the record becomes a tombstone, unless the store was
    /// created to move its last record into the gap.
    ///
    /// @return the former index of the record that is now at this index, or -1 when none has moved
    /// @throws IndexOutOfBoundsException when the index is out of range
    /// @throws IllegalArgumentException when the record was already deleted
    public long delete(long index) throws IOException {
        return changes.delete(index);
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
        requireOpen();
        return commitCalls.commit(Thread.currentThread());
    }

    /// Discards the changes of all threads since the last commit. Other threads whose changes these were get a
    /// [StoreLostException] from their next call.
    public void rollback() {
        changes.rollback();
    }

    /// Makes all commits so far durable, for stores whose commits do not wait for that.
    public void sync() throws IOException {
        requireOpen();
        commitCalls.sync();
    }

    /// Trouble after calls that have succeeded, for example that the disk is too full for a new journal. It is
    /// tried again later by itself; a full disk needs space. Each is returned once.
    public Optional<String> takeWarning() {
        try (StoreLock.Held _ = lock.hold()) {
            return files.warnings().take();
        }
    }

    /// Commits, and publishes the state for programs that know only the published layout.
    ///
    /// @throws StorePublishException when the changes are committed, but could not be published
    public void checkpoint() throws IOException {
        commit();
        commitCalls.publish();
    }

    /// Whether programs that know only the published layout see the last commit.
    public boolean isPublished() {
        try (StoreLock.Held _ = lock.hold()) {
            return files.isPublished();
        }
    }

    /// The state after the last commit as a dataset. It stays the same, whatever is written later, until
    /// [StoreReader#refresh] moves it on. It outlives this writer.
    public StoreReader snapshot() throws IOException {
        return snapshot(StoreReader.Options.DEFAULT.withDisk(options.disk()));
    }

    /// The state after the last commit as a dataset with options.
    public StoreReader snapshot(StoreReader.Options reading) throws IOException {
        try (StoreLock.Held _ = lock.hold()) {
            requireOpen();
            commits.awaitIdle();
            return StoreReader.open(path, reading, files.sequence());
        }
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
        return rebalance(options, progress, moves());
    }

    RebalanceReport rebalance(RebalanceOptions rebalance, Progress progress, StoreMoves moves) throws IOException {
        try (StoreLock.Held _ = lock.hold()) {
            if (rebalancing == Thread.currentThread()) {
                throw new IllegalStateException("this thread already rebalances the store " + path);
            }
            lock.until(() -> rebalancing == null || !isOpen());
            requireOpen();
            rebalancing = Thread.currentThread();
        }
        try {
            return new StoreRebalance(this, options, moves, rebalance).run(progress);
        } finally {
            try (StoreLock.Held _ = lock.hold()) {
                rebalancing = null;
                lock.signalAll();
            }
        }
    }

    /// A change of the fields of a store.
    @FunctionalInterface
    interface Alteration {
        void make(StoreFiles files, StoreState state) throws IOException;
    }

    /// Publishes the last commit, changes the fields and closes, because this writer knows only the old fields.
    void alterAndClose(Alteration alteration) throws IOException {
        try {
            checkpoint();
            try (StoreLock.Held _ = lock.hold()) {
                requireOpen();
                commits.awaitIdle();
                alteration.make(files, state);
            }
        } finally {
            abort();
        }
    }

    /// The lock that guards everything that the threads of this writer share.
    StoreLock lock() {
        return lock;
    }

    RecordChanges changes() {
        return changes;
    }

    StoreMoves moves() {
        return new StoreMoves(this, files, state, changes.batch(), commits, changes.calls());
    }

    /// @throws IllegalStateException when the store is closed or being closed
    void requireOpen() {
        if (isClosing.get()) {
            throw new IllegalStateException("the store " + path + " is closed");
        }
    }

    boolean isOpen() {
        return !isClosing.get();
    }

    /// Whether all resources are released. Needs the lock of the writer.
    boolean isClosed() {
        return isClosed;
    }

    /// Lets running calls continue while the store is being closed.
    void requireNotClosed() {
        if (isClosed) {
            throw new IllegalStateException("the store " + path + " is closed");
        }
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
        Thread author = Thread.currentThread();
        if (isClosing.compareAndSet(false, true)) {
            closing = author;
            Closing.within(options.closeMillis(), path, () -> drain(author, publishBytesMax));
        }
    }

    private void drain(Thread author, long publishBytesMax) throws IOException {
        try {
            try (StoreLock.Held _ = lock.hold()) {
                changes.calls().awaitNone();
            }
            files.requireSound();
            commitCalls.commit(author);
            commitCalls.publishIfCheap(publishBytesMax);
        } finally {
            release();
        }
    }

    /// Closes without committing: uncommitted changes are lost.
    ///
    /// @throws IOException when closing takes longer than [StoreOptions#closeMillis]; it goes on in the background
    ///                     then
    public void abort() throws IOException {
        if (isClosing.compareAndSet(false, true)) {
            closing = Thread.currentThread();
            Closing.within(options.closeMillis(), path, this::release);
        }
    }

    /// Releases everything that the store holds, and waits as long as that takes.
    void release() throws IOException {
        try (StoreLock.Held _ = lock.hold()) {
            commits.awaitIdle();
            // A rebalance stops at its next step. Until then it may create chunks, so the lock must be held.
            lock.signalAll();
            lock.until(() -> rebalancing == null || rebalancing == closing);
            isClosed = true;
            lock.signalAll();
            Closing.all(List.of(files::close, state::close, writerLock::close));
        }
    }

    /// The bytes of a value of a record, committed or not; null when it is missing.
    ///
    /// @throws IndexOutOfBoundsException when the index is out of range
    public byte[] get(long index, String field) throws IOException {
        return changes.value(index, field);
    }

    /// Whether a record, committed or not, was deleted and left a tombstone.
    ///
    /// @throws IndexOutOfBoundsException when the index is out of range
    public boolean isDeleted(long index) throws IOException {
        return changes.isDeleted(index);
    }
}
