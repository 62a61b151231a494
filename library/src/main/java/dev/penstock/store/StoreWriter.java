// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.Field;
import dev.penstock.memory.Disk;
import dev.penstock.memory.WriterLock;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/// Writes a store: appends, updates and deletes records, and commits them together.
///
/// Changes since the last [#commit] are a batch: after a crash all of it is there or nothing of it. [#rollback]
/// gives it up. Readers, and [#snapshot], see committed records only.
///
/// **Lifecycle.** `close` commits, and publishes the state for programs that know the published layout alone
/// unless that would write more than [#PUBLISH_BYTES_MAX]. A write to a full disk fails and leaves the store
/// usable; after a failed force nothing more is acknowledged, and only opening the store again helps.
///
/// **Threads.** Any number, one after the other. One writer for a store at a time, among all processes.
public final class StoreWriter implements AutoCloseable {
    /// What `close` writes at most to publish changed tables: about a second's worth. [#checkpoint] writes any
    /// amount.
    public static final long PUBLISH_BYTES_MAX = 256L << 20;

    private final Path path;
    private final StoreOptions options;
    private final WriterLock lock;
    private final StoreFiles files;
    private final StoreState state;
    private StoreBatch batch;
    private boolean isClosed;

    private StoreWriter(Path path, StoreOptions options, WriterLock lock, StoreState state) {
        this.path = path;
        this.options = options;
        this.lock = lock;
        this.state = state;
        this.files = new StoreFiles(path, options, state);
        this.batch = new StoreBatch(state.cells());
    }

    /// Makes a store without records.
    ///
    /// @throws FileAlreadyExistsException when something is there that is no unfinished store
    public static StoreWriter create(Path path, List<StoreField> fields, StoreOptions options) throws IOException {
        StoreMeta.requireFields(fields);
        Disk disk = options.disk();
        if (disk.isDirectory(path)) {
            requireEmpty(disk, path);
        }
        disk.createDirectory(path);
        WriterLock lock = WriterLock.take(disk, path.resolve(StoreFormat.LOCK), path);
        try {
            requireEmpty(disk, path);
            StoreFiles.create(path, fields, options, UUID.randomUUID());
            return new StoreWriter(path, options, lock, StoreState.load(disk, path, Long.MAX_VALUE));
        } catch (Throwable e) {
            Closing.after(e, lock::close);
            throw e;
        }
    }

    /// What a creation left that did not finish has no `meta.json` and may be written over.
    private static void requireEmpty(Disk disk, Path path) throws IOException {
        if (StoreMeta.find(disk, path) != null) {
            throw new FileAlreadyExistsException(path.toString(), null, "there is a store already: open it");
        }
        List<Path> others = disk.list(path).stream()
                .filter(file -> !StoreFiles.isOfUnfinishedStore(file))
                .toList();
        if (!others.isEmpty()) {
            throw new FileAlreadyExistsException(
                    path.toString(),
                    null,
                    "the folder is not empty, it has " + others.getFirst().getFileName());
        }
    }

    /// Opens a store to change it. What the last writer left unfinished is recovered.
    ///
    /// @throws java.nio.file.NoSuchFileException   when there is no store
    /// @throws java.nio.file.FileSystemException   when another writer has it open; the message says which
    /// @throws dev.penstock.DatasetException when its files are damaged
    public static StoreWriter open(Path path, StoreOptions options) throws IOException {
        Disk disk = options.disk();
        if (StoreMeta.find(disk, path) == null) {
            StoreState.load(disk, path, Long.MAX_VALUE).close();
        }
        WriterLock lock = WriterLock.take(disk, path.resolve(StoreFormat.LOCK), path);
        try {
            return new StoreWriter(path, options, lock, StoreState.load(disk, path, Long.MAX_VALUE));
        } catch (Throwable e) {
            Closing.after(e, lock::close);
            throw e;
        }
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
        for (int field = 0; field < values.size(); field++) {
            requireFitting(fields().get(field), values.get(field));
        }
        files.begin();
        long slot = batch.length();
        place(() -> {
            files.chunks().beginRow();
            for (int field = 0; field < values.size(); field++) {
                put(field, slot, values.get(field));
            }
            batch.setLength(slot + 1);
        });
        return slot;
    }

    /// Changes the value of one field of a record.
    ///
    /// @param value null to leave the record without a value
    /// @throws IndexOutOfBoundsException when there is no such record
    /// @throws IllegalArgumentException when the record was deleted, there is no such field, or the value does
    /// not fit
    public synchronized void update(long index, String field, byte[] value) throws IOException {
        requireOpen();
        Objects.checkIndex(index, batch.length());
        int position = position(field);
        requireFitting(fields().get(position), value);
        requireThere(index);
        files.begin();
        place(() -> {
            files.chunks().beginRow();
            put(position, index, value);
        });
    }

    private int position(String name) {
        for (int i = 0; i < fields().size(); i++) {
            if (fields().get(i).name().equals(name)) {
                return i;
            }
        }
        throw new IllegalArgumentException("no field " + name + "; there are: "
                + String.join(", ", fields().stream().map(StoreField::name).toList()));
    }

    private void requireThere(long index) throws IOException {
        if (batch.get(0, index).isDeleted()) {
            throw new IllegalArgumentException("record " + index + " was deleted");
        }
    }

    private static void requireFitting(StoreField field, byte[] value) {
        if (value == null) {
            return;
        }
        Field column = field.column();
        boolean fits = column.isVariable() ? value.length % column.itemSize() == 0 : value.length == column.itemSize();
        if (!fits || value.length > StoreFormat.VALUE_SIZE_MAX) {
            throw new IllegalArgumentException("field " + field.name() + " holds " + column.type()
                    + (column.isVariable() ? ", any number of them" : " of shape " + column.shape()) + "; "
                    + value.length + " bytes do not fit");
        }
    }

    /// Deletes a record. All indices stay and the record becomes a tombstone, unless the store was created to
    /// move its last record into the gap.
    ///
    /// @return the former index of the record that is now at this index, or -1 when none has moved
    public synchronized long delete(long index) throws IOException {
        requireOpen();
        Objects.checkIndex(index, batch.length());
        requireThere(index);
        files.begin();
        if (!state.meta().isSwapping()) {
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
        files.chunks().flush();
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

    private void put(int field, long slot, byte[] value) throws IOException {
        boolean hasBytes = value != null && value.length > 0;
        if (!hasBytes) {
            batch.put(field, slot, value == null ? StoreEntry.MISSING : StoreEntry.EMPTY, 0);
            return;
        }
        byte[] stored = fields().get(field).compression().pack(value);
        ChunkWriter.Placed placed = files.chunks().place(stored, value.length);
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
        try {
            placing.run();
        } catch (IOException e) {
            files.chunks().discard();
            batch = new StoreBatch(state.cells());
            throw new IOException(
                    path + ": a value could not be written, and the changes since the last commit are" + " given up: "
                            + e.getMessage(),
                    e);
        }
    }

    /// Makes the changes since the last commit durable, together.
    ///
    /// @return the sequence of the commit
    public synchronized long commit() throws IOException {
        requireOpen();
        if (batch.isChanged()) {
            place(() -> files.chunks().flush());
            files.commit(batch, isDurable());
            batch.apply();
            batch = new StoreBatch(state.cells());
            files.rotateIfLarge();
        }
        return files.sequence();
    }

    /// Gives up the changes since the last commit.
    public synchronized void rollback() {
        requireOpen();
        batch = new StoreBatch(state.cells());
    }

    /// Makes all commits so far durable, for stores whose commits do not wait for that.
    public synchronized void sync() throws IOException {
        requireOpen();
        files.sync();
    }

    /// Commits, and publishes the state for programs that know the published layout alone.
    public synchronized void checkpoint() throws IOException {
        commit();
        files.checkpoint();
    }

    /// The state after the last commit, as a dataset. It stays as it is, whatever is written later.
    public synchronized StoreReader snapshot() throws IOException {
        requireOpen();
        return StoreReader.open(path, options.disk(), files.sequence());
    }

    private void requireOpen() {
        if (isClosed) {
            throw new IllegalStateException("the store " + path + " is closed");
        }
    }

    /// Commits and closes.
    @Override
    public synchronized void close() throws IOException {
        if (isClosed) {
            return;
        }
        try {
            if (!files.isStopped()) {
                commit();
                if (!files.isPublished() && files.publishBytes() <= PUBLISH_BYTES_MAX) {
                    files.checkpoint();
                }
            }
        } finally {
            isClosed = true;
            release();
        }
    }

    /// Closes without committing: what is not committed is gone.
    public synchronized void abort() throws IOException {
        if (!isClosed) {
            isClosed = true;
            release();
        }
    }

    private void release() throws IOException {
        Closing.all(List.of(files::close, state::close, lock::close));
    }

    /// The bytes of a value of a record that is not committed yet, or is; null when it is missing.
    ///
    /// @throws IndexOutOfBoundsException when there is no such record
    public synchronized byte[] get(long index, String field) throws IOException {
        requireOpen();
        Objects.checkIndex(index, batch.length());
        int position = position(field);
        files.chunks().flush();
        return state.values().value(fields().get(position), batch.get(position, index));
    }
}
