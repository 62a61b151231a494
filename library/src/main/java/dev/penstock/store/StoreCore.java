// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.ClosedException;
import dev.penstock.Io;
import dev.penstock.file.WriterLock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/// The part of a [StoreWriter] that its threads share. It owns the lock, the commit, and the open batch, which has
/// the changes that are not committed.
///
/// **Changes.** Threads place values in chunks without the lock, so that several of them compress and write at the
/// same time. With the lock they record the placed values in the open batch; only then does a new record have an
/// index.
///
/// **Commit.** With the lock one thread takes the open batch. Without the lock it writes the batch and waits for
/// the disk, while others collect the next batch. A thread that waited for it may find its own changes committed
/// (group commit). The store is idle while no thread writes a batch. Everything that replaces files or reads
/// changes needs an idle store ([#whenIdle]).
///
/// The lock of a store, its open batch and its commit are in one class. Values are compressed and
/// placed without the lock, by one thread for each writer, each in its own chunk ([ChunkWriters]). A row gets
/// its index afterwards, with the lock. Several cores compress, a row that fails leaves no hole, and no queue
/// can grow, because the calling thread itself writes.
///
/// **Ownership.** Owns the files, the loaded state and the lock file of the store.
///
/// **Lifecycle.** While the store is being closed, new calls are rejected and running ones continue. When it is
/// closed, everything is released.
///
/// **Threads.** Safe for any number of threads. No other class takes the lock. A thread that has one of the
/// [ChunkWriters] must not call this class, because a thread with the lock may wait for a chunk writer.
final class StoreCore {
    private final Path path;
    private final StoreOptions options;
    private final WriterLock writerLock;
    private final StoreState state;
    private final StoreFiles files;
    private final OpenBatch batch;
    private final DelayedSync delayedSync;

    /// Guards everything below, the open batch and the files.
    private final StoreLock lock = new StoreLock();
    /// The running calls that place values.
    private final Set<PlacingCall> placing = Collections.newSetFromMap(new IdentityHashMap<>());
    /// The number of the open batch, by which a thread knows whether another thread has committed its changes.
    private long batchNumber = 1;

    private long committedNumber;
    /// Whether a thread writes a batch and waits for the disk.
    private boolean isWritingBatch;
    /// The thread that rebalances the store, or null.
    private Thread rebalancing;

    private boolean isClosed;

    private final AtomicBoolean isClosing = new AtomicBoolean();
    /// The thread that closes the store, or null.
    private volatile Thread closing;

    /// @param writerLock the lock that keeps out other processes
    StoreCore(Path path, StoreOptions options, WriterLock writerLock, StoreState state) {
        this.path = path;
        this.options = options;
        this.writerLock = writerLock;
        this.state = state;
        this.files = new StoreFiles(path, options, state);
        this.batch = new OpenBatch(path, files);
        this.delayedSync = new DelayedSync(this, options);
    }

    Path path() {
        return path;
    }

    StoreOptions options() {
        return options;
    }

    List<StoreField> fields() {
        return state.meta().fields();
    }

    /// Whether a delete moves the last record into the gap.
    boolean isSwapping() {
        return state.meta().isSwapping();
    }

    /// Whether a commit waits until it is durable.
    boolean isDurable() {
        return options.durability() == StoreOptions.Durability.COMMIT;
    }

    /// The writers of chunks, which have a lock of their own.
    ChunkWriters chunks() {
        return files.chunks();
    }

    /// Stops all writing when a force fails.
    FailStop failStop() {
        return files.failStop();
    }

    /// The number of records, including uncommitted ones and tombstones of deleted records.
    long count() {
        try (StoreLock.Held _ = lock.hold()) {
            return batch.length();
        }
    }

    /// The sequence of the last commit.
    long sequence() {
        try (StoreLock.Held _ = lock.hold()) {
            return files.sequence();
        }
    }

    /// Whether a plain reader sees the last commit.
    boolean isPublished() {
        try (StoreLock.Held _ = lock.hold()) {
            return files.isPublished();
        }
    }

    /// Returns the last warning once.
    Optional<String> takeWarning() {
        try (StoreLock.Held _ = lock.hold()) {
            return files.takeWarning();
        }
    }

    /// Work with the files and the open batch.
    @FunctionalInterface
    interface BatchWork<T> {
        T run(StoreFiles files, OpenBatch batch) throws IOException;
    }

    /// Runs some work with the lock while no thread writes a batch.
    ///
    /// @throws IllegalStateException when the store is closed or being closed
    <T> T whenIdle(BatchWork<T> work) throws IOException {
        try (StoreLock.Held _ = lock.hold()) {
            requireOpen();
            awaitIdle();
            return work.run(files, batch);
        }
    }

    /// Runs some work with the lock that may be done while a thread writes a batch or the store is being closed.
    <T> T locked(BatchWork<T> work) throws IOException {
        try (StoreLock.Held _ = lock.hold()) {
            return work.run(files, batch);
        }
    }

    /// Waits until no thread writes a batch. The calling thread holds the lock, which is released meanwhile.
    private void awaitIdle() {
        lock.until(() -> !isWritingBatch);
    }

    /// Whether the store is neither closed nor being closed.
    boolean isOpen() {
        return !isClosing.get();
    }

    /// @throws IllegalStateException when the store is closed or being closed
    void requireOpen() {
        if (!isOpen()) {
            throw new ClosedException("the store " + path + " is closed");
        }
    }

    /// Lets running calls continue while the store is being closed.
    private void requireNotClosed() {
        if (isClosed) {
            throw new ClosedException("the store " + path + " is closed");
        }
    }

    // Changes.

    /// A running call that has placed values or is about to.
    ///
    /// @param lowestChunk the lowest chunk that its values can be in
    /// @param losses      the number of failed writes before it began
    private record PlacingCall(long lowestChunk, long losses) {}

    /// Records placed values in the open batch, and returns the index of the first record.
    @FunctionalInterface
    private interface Recording {
        long run(PlacedRows placed) throws IOException;
    }

    /// Appends rows. The calling thread must not hold the lock.
    ///
    /// @return the index of the first row
    long append(Io.Supplier<PlacedRows> rows) throws IOException {
        return change(false, 0, rows, batch::append);
    }

    /// Changes some fields of a record. The calling thread must not hold the lock.
    ///
    /// @param positions the positions of the fields
    /// @param values    places the values as one row
    void update(long index, int[] positions, Io.Supplier<PlacedRows> values) throws IOException {
        change(true, index, values, placed -> {
            batch.update(index, positions, placed);
            return index;
        });
    }

    /// @param index the record that an update changes
    private long change(boolean isUpdate, long index, Io.Supplier<PlacedRows> values, Recording recording)
            throws IOException {
        PlacingCall call = beginPlacing(isUpdate, index);
        try {
            PlacedRows placed = place(values);
            try (StoreLock.Held _ = lock.hold()) {
                requireNotClosed();
                requireReady(isUpdate);
                batch.requireNoLossSince(call.losses);
                return recording.run(placed);
            }
        } finally {
            try (StoreLock.Held _ = lock.hold()) {
                placing.remove(call);
                lock.signalAll();
            }
        }
    }

    private PlacingCall beginPlacing(boolean isUpdate, long index) throws IOException {
        try (StoreLock.Held _ = lock.hold()) {
            requireOpen();
            requireReady(isUpdate);
            batch.requireNotLost(Thread.currentThread());
            if (isUpdate) {
                batch.requireThere(index);
            }
            files.begin();
            PlacingCall call =
                    new PlacingCall(files.chunks().lowestId(), files.chunks().lossCount());
            placing.add(call);
            return call;
        }
    }

    /// An existing record may be part of a batch that is being written, so that batch is waited for.
    private void requireReady(boolean isUpdate) throws IOException {
        if (isUpdate) {
            awaitIdle();
        }
        files.requireSound();
    }

    private PlacedRows place(Io.Supplier<PlacedRows> values) throws IOException {
        try {
            return values.get();
        } catch (IOException e) {
            try (StoreLock.Held _ = lock.hold()) {
                throw batch.failed(e);
            }
        }
    }

    /// Runs some work that needs the open batch, and requires that the calling thread has lost no changes.
    private <T> T withBatch(Io.Supplier<T> work) throws IOException {
        return whenIdle((_, _) -> {
            files.requireSound();
            batch.requireNotLost(Thread.currentThread());
            return work.get();
        });
    }

    /// Deletes a record.
    ///
    /// @return the former index of the record that is now at this index, or -1 when none has moved
    long delete(long index) throws IOException {
        return withBatch(() -> {
            if (isSwapping()) {
                return batch.deleteBySwap(index);
            }
            batch.delete(index);
            return -1L;
        });
    }

    /// The bytes of a value of a record, committed or not; null when it is missing.
    byte[] value(long index, String field) throws IOException {
        return withBatch(() -> batch.value(StoreField.position(fields(), field), index));
    }

    /// Whether a record, committed or not, was deleted and left a tombstone.
    boolean isDeleted(long index) throws IOException {
        return withBatch(() -> batch.isDeleted(index));
    }

    /// Discards the changes of all threads since the last commit.
    void rollback() {
        try (StoreLock.Held _ = lock.hold()) {
            requireOpen();
            awaitIdle();
            batch.rollback(Thread.currentThread());
        }
    }

    // Commits.

    /// A batch that one thread commits.
    ///
    /// @param changes the changes of the batch, for which the journal has space
    private record Commit(BatchCells cells, List<StoreChange> changes) {}

    /// Commits the changes of all threads.
    ///
    /// @return the sequence of the commit
    long commit() throws IOException {
        requireOpen();
        return commit(Thread.currentThread());
    }

    /// Commits, also while the store is being closed.
    ///
    /// @param author the thread that is informed if its changes were discarded
    private long commit(Thread author) throws IOException {
        Commit commit;
        try (StoreLock.Held _ = lock.hold()) {
            requireNotClosed();
            commit = takeBatch(author);
            if (commit == null) {
                return files.sequence();
            }
        }
        write(commit);
        return afterCommit(commit.changes.size());
    }

    /// Takes the open batch. [#write] must follow.
    ///
    /// @return null when another thread has committed the changes of this one, or there are none
    private Commit takeBatch(Thread author) throws IOException {
        batch.requireCommittable(author);
        long number = batchNumber;
        awaitIdle();
        batch.requireCommittable(author);
        if (committedNumber >= number || !batch.isChanged()) {
            files.requireSound();
            return null;
        }
        batch.flush();
        batch.requireCommittable(author);
        List<StoreChange> changes = batch.changes();
        files.reserve(changes);
        Commit commit = new Commit(batch.cells(), changes);
        batch.startNext(author);
        // Set when nothing can fail any more, because only [#endWriting] clears it.
        isWritingBatch = true;
        batchNumber++;
        return commit;
    }

    /// Writes a batch and returns when it is committed. The calling thread does not hold the lock, so that others
    /// can continue.
    private void write(Commit commit) throws IOException {
        boolean isWritten = false;
        try {
            files.write(commit.changes, commit.cells.length(), isDurable());
            isWritten = true;
        } finally {
            endWriting(commit, isWritten);
        }
    }

    private void endWriting(Commit commit, boolean isWritten) throws IOException {
        try (StoreLock.Held _ = lock.hold()) {
            try {
                if (isWritten) {
                    files.committed(() -> commit.cells.apply(commit.changes));
                    committedNumber = batchNumber - 1;
                }
            } finally {
                isWritingBatch = false;
                lock.signalAll();
            }
        }
    }

    /// Work that follows a commit cannot undo it, so its failure is a warning, and it is tried again later.
    private long afterCommit(int changeCount) {
        try (StoreLock.Held _ = lock.hold()) {
            long sequence = files.sequence();
            awaitIdle();
            if (!isClosed && !files.isStopped()) {
                files.orWarn(() -> {
                    files.rotateIfLarge();
                    delayedSync.committed(changeCount / fields().size());
                });
            }
            return sequence;
        }
    }

    /// Makes all commits so far durable, also while the store is being closed.
    void sync() throws IOException {
        try (StoreLock.Held _ = lock.hold()) {
            requireNotClosed();
            awaitIdle();
            files.sync();
            delayedSync.synced();
        }
    }

    /// Makes all commits so far durable, because the time of [StoreOptions#batchMillis] is over.
    void syncInTime() throws IOException {
        try (StoreLock.Held _ = lock.hold()) {
            delayedSync.timerEnded();
            sync();
        }
    }

    /// Publishes the last commit for programs that know only the published layout.
    void publish() throws IOException {
        whenIdle((_, _) -> {
            publishCommitted();
            delayedSync.synced();
            return null;
        });
    }

    /// Publishes, and says in an error that nothing committed is lost.
    private void publishCommitted() throws IOException {
        try {
            files.publish();
        } catch (IOException e) {
            boolean isUnclear = files.isStopped() && !isDurable();
            throw isUnclear ? e : new StorePublishException(path, e);
        }
    }

    /// The state after the last commit as a dataset.
    StoreReader snapshot(StoreReader.Options reading) throws IOException {
        return whenIdle((_, _) -> StoreReader.open(path, reading, files.sequence()));
    }

    // Rebalancing.

    /// Runs a rebalance, one at a time. The lock is not held meanwhile.
    <T> T rebalance(Io.Supplier<T> rebalance) throws IOException {
        try (StoreLock.Held _ = lock.hold()) {
            if (rebalancing == Thread.currentThread()) {
                throw new IllegalStateException("this thread already rebalances the store " + path);
            }
            lock.until(() -> rebalancing == null || !isOpen());
            requireOpen();
            rebalancing = Thread.currentThread();
        }
        try {
            return rebalance.get();
        } finally {
            try (StoreLock.Held _ = lock.hold()) {
                rebalancing = null;
                lock.signalAll();
            }
        }
    }

    /// Allocates the id of a new chunk.
    long newChunkId() throws IOException {
        try (StoreLock.Held _ = lock.hold()) {
            requireOpen();
            return files.chunks().takeId();
        }
    }

    /// Makes sure that nothing more is written to these chunks. If other threads have values in them that are not
    /// committed, it waits until they are, but not much longer than a limit. The lock is released meanwhile.
    ///
    /// @return the chunks that have only committed values
    Set<Long> seal(Collection<Long> chunks, long waitMillis) throws IOException {
        return whenIdle((_, _) -> {
            files.begin();
            files.chunks().seal(Set.copyOf(chunks));
            if (!batch.isAuthor(Thread.currentThread())) {
                lock.until(() -> !isOpen() || areCommitted(chunks), waitMillis);
                requireOpen();
                awaitIdle();
            }
            return committed(chunks);
        });
    }

    private boolean areCommitted(Collection<Long> chunks) {
        return !isWritingBatch && committed(chunks).size() == chunks.size();
    }

    private Set<Long> committed(Collection<Long> chunks) {
        Set<Long> committed = new HashSet<>(chunks);
        for (StoreChange change : batch.changes()) {
            committed.remove(change.entry().chunk());
        }
        committed.removeIf(this::hasPlacing);
        return committed;
    }

    /// Whether another thread may be placing values in a chunk, which have no index yet.
    private boolean hasPlacing(long chunk) {
        return placing.stream().anyMatch(call -> chunk >= call.lowestChunk);
    }

    // Closing.

    /// Lets calls of other threads finish, commits, publishes if that writes at most `publishBytesMax` bytes for
    /// changed tables, and closes. Waits at most [StoreOptions#closeMillis].
    void close(long publishBytesMax) throws IOException {
        Thread author = Thread.currentThread();
        if (isClosing.compareAndSet(false, true)) {
            closing = author;
            Closing.within(options.closeMillis(), path, () -> finish(author, publishBytesMax));
        }
    }

    private void finish(Thread author, long publishBytesMax) throws IOException {
        try {
            try (StoreLock.Held _ = lock.hold()) {
                lock.until(placing::isEmpty);
            }
            files.requireSound();
            commit(author);
            publishIfCheap(publishBytesMax);
        } finally {
            release();
        }
    }

    /// Publishes when that writes at most this number of bytes, and makes all commits durable otherwise.
    private void publishIfCheap(long publishBytesMax) throws IOException {
        try (StoreLock.Held _ = lock.hold()) {
            awaitIdle();
            long bytes = files.publishBytes();
            if (!isClosed && !files.isPublished() && (bytes == 0 || bytes <= publishBytesMax)) {
                publishCommitted();
            } else if (!isClosed) {
                files.sync();
            }
        }
    }

    /// Closes without committing. Waits at most [StoreOptions#closeMillis].
    void abort() throws IOException {
        if (isClosing.compareAndSet(false, true)) {
            closing = Thread.currentThread();
            Closing.within(options.closeMillis(), path, this::release);
        }
    }

    /// Releases everything that the store holds, and waits as long as that takes.
    private void release() throws IOException {
        try (StoreLock.Held _ = lock.hold()) {
            awaitIdle();
            // A rebalance stops at its next step. Until then it may create chunks, so the lock must be held.
            lock.signalAll();
            lock.until(() -> rebalancing == null || rebalancing == closing);
            isClosed = true;
            lock.signalAll();
            Closing.all(List.of(files::close, state::close, writerLock::close));
        }
    }
}
