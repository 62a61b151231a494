// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Field;
import dev.penstock.memory.Disk;
import dev.penstock.memory.WriterLock;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/// Writes a store: appends, updates and deletes records, and commits them together.
///
/// Changes since the last [#commit], by all threads, are a batch: after a crash all of it is there or nothing of
/// it. [#rollback] gives it up. Readers, and [#snapshot], see committed records only.
///
/// **Lifecycle.** `close` commits, and publishes the state for programs that know the published layout alone
/// unless that would write more than [#PUBLISH_BYTES_MAX]. A write to a full disk fails and leaves the store
/// usable; after a failed force nothing more is acknowledged, and only opening the store again helps.
///
/// **Threads.** Any number. A commit that waits for the disk lets other threads append meanwhile, and their
/// commits are made durable together by one force: group commit. One writer for a store at a time, among all
/// processes.
public final class StoreWriter implements AutoCloseable {
    /// What `close` writes at most to publish changed tables: about a second's worth. [#checkpoint] writes any
    /// amount.
    public static final long PUBLISH_BYTES_MAX = 256L << 20;

    private final Path path;
    private final StoreOptions options;
    private final WriterLock lock;
    private final StoreFiles files;
    private final StoreState state;
    /// What the values of each field are.
    private final List<Field> columns;

    private final ValuePacker packer = new ValuePacker();
    private final DelayedSync delayedSync;
    private StoreBatch batch;
    /// Counts batches, so that a thread knows whether its changes were committed by another.
    private long batchNumber = 1;

    private long committedNumber;
    /// Whether a thread waits for the disk with a batch that is written.
    private boolean isForcing;

    /// The threads that changed the batch.
    private final Set<Thread> authors = new HashSet<>();
    /// Threads whose changes were given up because a write of another thread failed.
    private final Set<Thread> bereft = new HashSet<>();

    private boolean isClosed;

    private StoreWriter(Path path, StoreOptions options, WriterLock lock, StoreState state) {
        this.path = path;
        this.options = options;
        this.lock = lock;
        this.state = state;
        this.columns = fields().stream().map(StoreField::column).toList();
        this.files = new StoreFiles(path, options, state);
        this.batch = newBatch();
        this.delayedSync = new DelayedSync(this, options);
    }

    private StoreBatch newBatch() {
        return new StoreBatch(state.cells(), state.cells().length());
    }

    /// Makes a store without records.
    ///
    /// @throws FileAlreadyExistsException when something is there that is no unfinished store
    public static StoreWriter create(Path path, List<StoreField> fields, StoreOptions options) throws IOException {
        StoreMeta.requireFields(fields);
        Disk disk = options.disk();
        if (disk.isDirectory(path)) {
            StoreCreation.requireFree(disk, path);
        }
        disk.createDirectory(path);
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

    /// Opens a store to change it. What the last writer left unfinished is recovered.
    ///
    /// @throws java.nio.file.NoSuchFileException   when there is no store
    /// @throws java.nio.file.FileSystemException   when another writer has it open; the message says which
    /// @throws dev.penstock.DatasetException when its files are damaged
    /// @throws IllegalArgumentException      when another program wrote it
    public static StoreWriter open(Path path, StoreOptions options) throws IOException {
        Disk disk = options.disk();
        StoreMeta.Found found = StoreMeta.find(disk, path);
        if (found == null) {
            // Says what is wrong.
            StoreState.loadForWriting(path, disk).close();
        } else if (found.meta().isPlain()) {
            throw new IllegalArgumentException(
                    path + " was written by another program and can only be read; copy its records to a new store");
        }
        WriterLock lock = WriterLock.take(disk, path.resolve(StoreFormat.LOCK), path);
        try {
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

    /// Records, with those that are not committed yet. Deleted records that left a tombstone count.
    public synchronized long count() {
        return batch.length();
    }

    /// Whether a commit waits until it is durable.
    public boolean isDurable() {
        return options.durability() == StoreOptions.Durability.COMMIT;
    }

    /// Whether deleting moves the last record into the gap.
    public boolean isSwapping() {
        return state.meta().isSwapping();
    }

    /// The sequence of the last commit: it grows with every one.
    public synchronized long sequence() {
        return files.sequence();
    }

    /// Appends a record.
    ///
    /// @param values in the order of the fields; null where the record has no value
    /// @return the index of the record
    /// @throws IllegalArgumentException when a value does not fit what its field declares
    public synchronized long append(List<byte[]> values) throws IOException {
        requireOpen();
        if (values.size() != fields().size()) {
            throw new IllegalArgumentException("the store has " + fields().size() + " fields, not " + values.size());
        }
        MemorySegment[] cells = new MemorySegment[values.size()];
        for (int field = 0; field < cells.length; field++) {
            byte[] value = values.get(field);
            cells[field] = value == null ? null : MemorySegment.ofArray(value);
            requireFitting(field, cells[field]);
        }
        return appendChecked(cells);
    }

    /// Appends a record that may lack fields.
    ///
    /// @param values by the names of their fields
    /// @return the index of the record
    /// @throws IllegalArgumentException when there is no such field, or a value does not fit
    public synchronized long append(Map<String, byte[]> values) throws IOException {
        byte[][] cells = new byte[fields().size()][];
        values.forEach((field, value) -> cells[StoreField.position(fields(), field)] = value);
        return append(Arrays.asList(cells));
    }

    /// Appends all rows of a batch, whose columns have names of fields. Fields that the batch lacks are missing.
    ///
    /// @return the index of the first of these records; the others follow it
    /// @throws IllegalArgumentException when a column has no field, or a value does not fit; nothing is appended
    ///                                  then
    public synchronized long appendAll(Batch rows) throws IOException {
        requireOpen();
        Column[] sources = new Column[fields().size()];
        for (Column column : rows.columns()) {
            sources[StoreField.position(fields(), column.field().name())] = column;
        }
        for (int field = 0; field < sources.length; field++) {
            for (long row = 0; sources[field] != null && row < rows.rowCount(); row++) {
                requireFitting(field, value(sources[field], row));
            }
        }
        // Waiting between two rows would let other threads in, and the records would not be neighbours.
        awaitIdle();
        long first = batch.length();
        MemorySegment[] cells = new MemorySegment[sources.length];
        for (long row = 0; row < rows.rowCount(); row++) {
            for (int field = 0; field < sources.length; field++) {
                cells[field] = sources[field] == null ? null : value(sources[field], row);
            }
            appendChecked(cells);
        }
        return first;
    }

    private static MemorySegment value(Column column, long row) {
        return column.isMissing(row) ? null : column.value(row);
    }

    private long appendChecked(MemorySegment[] cells) throws IOException {
        long byteCount = 0;
        for (MemorySegment value : cells) {
            byteCount += value == null ? 0 : value.byteSize();
        }
        if (!files.chunks().canStage(byteCount, cells.length)) {
            awaitIdle();
        }
        files.begin();
        long slot = batch.length();
        place(() -> {
            files.chunks().beginRow();
            for (int field = 0; field < cells.length; field++) {
                put(field, slot, cells[field]);
            }
            batch.setLength(slot + 1);
        });
        return slot;
    }

    /// Waits until no thread waits for the disk with a batch.
    private void awaitIdle() {
        boolean wasInterrupted = false;
        while (isForcing) {
            try {
                wait();
            } catch (InterruptedException e) {
                wasInterrupted = true;
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /// Changes the value of one field of a record.
    ///
    /// @param value null to leave the record without a value
    /// @throws IndexOutOfBoundsException when there is no such record
    /// @throws IllegalArgumentException when the record was deleted, there is no such field, or the value does
    /// not fit
    public synchronized void update(long index, String field, byte[] value) throws IOException {
        byte[][] one = {value};
        update(index, new int[] {StoreField.position(fields(), field)}, one);
    }

    /// Changes the values of some fields of a record; its other fields stay as they are.
    ///
    /// @param values by the names of their fields; null to leave the record without a value
    /// @throws IndexOutOfBoundsException when there is no such record
    /// @throws IllegalArgumentException when the record was deleted, there is no such field, or a value does
    ///                                  not fit
    public synchronized void update(long index, Map<String, byte[]> values) throws IOException {
        int[] positions = values.keySet().stream()
                .mapToInt(name -> StoreField.position(fields(), name))
                .toArray();
        update(index, positions, values.values().toArray(byte[][]::new));
    }

    private void update(long index, int[] positions, byte[][] values) throws IOException {
        requireOpen();
        awaitIdle();
        Objects.checkIndex(index, batch.length());
        MemorySegment[] cells = new MemorySegment[values.length];
        for (int i = 0; i < cells.length; i++) {
            cells[i] = values[i] == null ? null : MemorySegment.ofArray(values[i]);
            requireFitting(positions[i], cells[i]);
        }
        requireThere(index);
        files.begin();
        place(() -> {
            files.chunks().beginRow();
            for (int i = 0; i < cells.length; i++) {
                put(positions[i], index, cells[i]);
            }
        });
    }

    private void requireThere(long index) throws IOException {
        if (batch.get(0, index).isDeleted()) {
            throw new IllegalArgumentException("record " + index + " was deleted");
        }
    }

    private void requireFitting(int position, MemorySegment value) {
        if (value == null) {
            return;
        }
        Field column = columns.get(position);
        long size = value.byteSize();
        boolean fits = column.isVariable() ? size % column.itemSize() == 0 : size == column.itemSize();
        if (!fits || size > StoreFormat.VALUE_SIZE_MAX) {
            throw new IllegalArgumentException("field " + column.name() + " holds " + column.type()
                    + (column.isVariable() ? ", any number of them" : " of shape " + column.shape()) + "; "
                    + size + " bytes do not fit");
        }
    }

    /// Deletes a record. All indices stay and the record becomes a tombstone, unless the store was created to
    /// move its last record into the gap.
    ///
    /// @return the former index of the record that is now at this index, or -1 when none has moved
    /// @throws IndexOutOfBoundsException when there is no such record
    /// @throws IllegalArgumentException when it was deleted before
    public synchronized long delete(long index) throws IOException {
        requireOpen();
        awaitIdle();
        Objects.checkIndex(index, batch.length());
        requireThere(index);
        files.begin();
        authors.add(Thread.currentThread());
        if (!isSwapping()) {
            for (int field = 0; field < fields().size(); field++) {
                batch.put(field, index, StoreEntry.DELETED, 0);
            }
            return -1;
        }
        long last = batch.length() - 1;
        if (index < last) {
            moveLast(last, index);
        }
        batch.setLength(last);
        return index < last ? last : -1;
    }

    private void moveLast(long last, long index) throws IOException {
        place(() -> files.chunks().flush());
        for (int field = 0; field < fields().size(); field++) {
            StoreEntry entry = batch.get(field, last);
            StoreChange change = batch.change(field, last);
            int crc = !entry.hasBytes()
                    ? 0
                    : change != null
                            ? change.crc()
                            : state.values().stored(entry).crc();
            batch.put(field, index, entry, crc);
        }
    }

    private void put(int field, long slot, MemorySegment value) throws IOException {
        boolean hasBytes = value != null && value.byteSize() > 0;
        if (!hasBytes) {
            batch.put(field, slot, value == null ? StoreEntry.MISSING : StoreEntry.EMPTY, 0);
            return;
        }
        MemorySegment stored = packer.pack(fields().get(field).compression(), value);
        ChunkWriter.Placed placed = files.chunks().place(stored, value.byteSize());
        batch.put(field, slot, placed.entry(), placed.crc());
    }

    /// Something that places values.
    @FunctionalInterface
    private interface Placing {
        void run() throws IOException;
    }

    /// When a value cannot be written, for example because the disk is full, the batch is given up: its values
    /// before this one may be lost.
    private void place(Placing placing) throws IOException {
        authors.add(Thread.currentThread());
        try {
            placing.run();
        } catch (IOException e) {
            files.chunks().discard();
            authors.remove(Thread.currentThread());
            bereft.addAll(authors);
            giveUp();
            throw new IOException(
                    path + ": a value could not be written, and the changes since the last commit are given up: "
                            + e.getMessage(),
                    e);
        }
    }

    private void giveUp() {
        authors.clear();
        batch = newBatch();
    }

    /// Makes the changes since the last commit durable, together with those of other threads.
    ///
    /// @return the sequence of the commit
    /// @throws IOException when it could not be written, or a failed write of another thread has taken changes of
    ///                     this thread with it
    public long commit() throws IOException {
        List<StoreChange> changes;
        StoreBatch mine;
        synchronized (this) {
            requireOpen();
            requireNotBereft();
            long number = batchNumber;
            awaitIdle();
            if (committedNumber >= number || !batch.isChanged()) {
                files.requireSound();
                return files.sequence();
            }
            place(() -> files.chunks().flush());
            mine = batch;
            changes = mine.changes();
            files.reserve(changes);
            isForcing = true;
            batch = new StoreBatch(state.cells(), mine.length());
            authors.clear();
            batchNumber++;
        }
        boolean isWritten = false;
        try {
            files.write(changes, mine.length(), isDurable());
            isWritten = true;
        } finally {
            endCommit(mine, changes, isWritten);
        }
        return afterCommit(changes.size());
    }

    /// Lets the other threads go on.
    private synchronized void endCommit(StoreBatch mine, List<StoreChange> changes, boolean isWritten)
            throws IOException {
        try {
            if (isWritten) {
                files.committed(() -> mine.apply(changes));
                committedNumber = batchNumber - 1;
            }
        } finally {
            isForcing = false;
            notifyAll();
        }
    }

    private synchronized long afterCommit(int changeCount) throws IOException {
        long sequence = files.sequence();
        awaitIdle();
        if (!isClosed && !files.isStopped()) {
            files.rotateIfLarge();
            delayedSync.committed(changeCount / fields().size());
        }
        return sequence;
    }

    private void requireNotBereft() throws IOException {
        if (bereft.remove(Thread.currentThread())) {
            throw new IOException(path + ": changes of this thread were given up because a write of another thread"
                    + " failed; make them again");
        }
    }

    /// Gives up the changes since the last commit, those of all threads.
    public synchronized void rollback() {
        requireOpen();
        awaitIdle();
        giveUp();
    }

    /// Makes all commits so far durable, for stores whose commits do not wait for that.
    public synchronized void sync() throws IOException {
        requireOpen();
        awaitIdle();
        files.sync();
        delayedSync.synced();
    }

    /// Makes all commits so far durable, because the time of [StoreOptions#batchMillis] is over.
    synchronized void syncInTime() throws IOException {
        delayedSync.timerEnded();
        sync();
    }

    /// Commits, and publishes the state for programs that know the published layout alone.
    public void checkpoint() throws IOException {
        commit();
        synchronized (this) {
            requireOpen();
            awaitIdle();
            files.publish();
            delayedSync.synced();
        }
    }

    /// Whether programs that know the published layout alone see the last commit.
    public synchronized boolean isPublished() {
        return files.isPublished();
    }

    /// The state after the last commit, as a dataset. It stays as it is, whatever is written later.
    public StoreReader snapshot() throws IOException {
        return snapshot(StoreReader.Options.DEFAULT.withDisk(options.disk()));
    }

    /// The state after the last commit, as a dataset that is read in a certain way.
    public synchronized StoreReader snapshot(StoreReader.Options reading) throws IOException {
        requireOpen();
        awaitIdle();
        return StoreReader.open(path, reading, files.sequence());
    }

    private void requireOpen() {
        if (isClosed) {
            throw new IllegalStateException("the store " + path + " is closed");
        }
    }

    /// Commits, publishes if that is quick, and closes.
    @Override
    public void close() throws IOException {
        close(PUBLISH_BYTES_MAX);
    }

    /// Commits, publishes if that writes no more than so many bytes for changed tables, and closes.
    ///
    /// @param publishBytesMax 0 to leave publishing to a later [#checkpoint]
    public void close(long publishBytesMax) throws IOException {
        synchronized (this) {
            if (isClosed) {
                return;
            }
        }
        try {
            if (!files.isStopped()) {
                commit();
                publishIfCheap(publishBytesMax);
            }
        } finally {
            abort();
        }
    }

    private synchronized void publishIfCheap(long publishBytesMax) throws IOException {
        awaitIdle();
        long bytes = files.publishBytes();
        if (!isClosed && !files.isPublished() && (bytes == 0 || bytes <= publishBytesMax)) {
            files.publish();
        } else if (!isClosed) {
            files.sync();
        }
    }

    /// Closes without committing: what is not committed is gone.
    public synchronized void abort() throws IOException {
        awaitIdle();
        if (!isClosed) {
            isClosed = true;
            notifyAll();
            packer.close();
            Closing.all(List.of(files::close, state::close, lock::close));
        }
    }

    /// The bytes of a value of a record that is not committed yet, or is; null when it is missing.
    ///
    /// @throws IndexOutOfBoundsException when there is no such record
    public synchronized byte[] get(long index, String field) throws IOException {
        requireOpen();
        awaitIdle();
        Objects.checkIndex(index, batch.length());
        int position = StoreField.position(fields(), field);
        place(() -> files.chunks().flush());
        return state.values().value(fields().get(position), batch.get(position, index));
    }

    /// Whether a record, committed or not, was deleted and left a tombstone.
    ///
    /// @throws IndexOutOfBoundsException when there is no such record
    public synchronized boolean isDeleted(long index) throws IOException {
        requireOpen();
        awaitIdle();
        Objects.checkIndex(index, batch.length());
        return batch.get(0, index).isDeleted();
    }
}
