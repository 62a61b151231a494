// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.ClosedException;
import dev.penstock.Io;
import dev.penstock.file.Disk;
import dev.penstock.file.Parallel;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// The writers of a store's chunks. Each has its own open chunk, and is used by one thread at a time.
///
/// If all writers are busy, a thread waits. So no queue can grow, and the memory is bounded by that of the
/// writers. While a thread has a writer it waits only for the disk and for a force of the same chunk. It must
/// never take the lock of [StoreCore], because threads that hold the lock may wait for a writer.
///
/// **Ownership.** Owns the writers and the open chunks. **Threads.** Safe for any number of threads.
final class ChunkWriters implements AutoCloseable {
    private final StoreLock lock = new StoreLock();
    private final Disk disk;
    private final Path store;
    private final FailStop failStop;
    private final ChunkWriter[] writers;
    private final boolean[] isBusy;
    /// The open chunks, and those that were abandoned and are not forced yet.
    private final List<ChunkFile> files = new ArrayList<>();
    /// The chunks that were abandoned.
    private final List<ChunkFile> givenUp = new ArrayList<>();

    private long nextId;
    private long lossCount;
    private boolean isFolderDirty;
    private boolean isClosed;

    ChunkWriters(Path store, StoreOptions options, StoreMeta meta, FailStop failStop) {
        this.disk = options.disk();
        this.store = store;
        this.failStop = failStop;
        this.nextId = meta.chunks().count();
        this.writers = new ChunkWriter[options.writers()];
        this.isBusy = new boolean[writers.length];
        for (int i = 0; i < writers.length; i++) {
            writers[i] = new ChunkWriter(this, meta.chunks().rowsMax(), options.chunkBytes());
        }
    }

    /// The number of writers.
    int count() {
        return writers.length;
    }

    /// Continues chunks that the previous writer closed properly. Surplus chunks are not used, and neither is a
    /// chunk with bytes behind its last known value: a snapshot may refer to them.
    void adopt(List<StoreMeta.OpenChunk> open) throws IOException {
        try (StoreLock.Held _ = lock.hold()) {
            int number = 0;
            for (int i = 0; i < open.size() && number < writers.length; i++) {
                if (adopt(open.get(i), writers[number])) {
                    number++;
                }
            }
        }
    }

    private boolean adopt(StoreMeta.OpenChunk open, ChunkWriter writer) throws IOException {
        Disk.Writable writing;
        try {
            writing = disk.openForWriting(StoreFormat.chunk(store, open.id()));
        } catch (NoSuchFileException e) {
            // Its name was not durable, and neither was anything in it.
            return false;
        }
        ChunkFile file = file(open.id(), writing);
        if (file.size() == open.position()) {
            writer.adopt(open, file);
            return true;
        }
        close(file);
        return false;
    }

    /// Whether a chunk is open for writing.
    boolean isOpen(long id) {
        try (StoreLock.Held _ = lock.hold()) {
            return files.stream().anyMatch(file -> file.id() == id);
        }
    }

    private ChunkFile file(long id, Disk.Writable writing) throws IOException {
        try {
            Disk.Writable forcing = disk.openForWriting(StoreFormat.chunk(store, id));
            ChunkFile file = new ChunkFile(id, writing, forcing, failStop);
            files.add(file);
            return file;
        } catch (Throwable e) {
            Closing.after(e, writing::close);
            throw e;
        }
    }

    /// Creates a new chunk.
    ChunkFile create() throws IOException {
        try (StoreLock.Held _ = lock.hold()) {
            long id = takeId();
            Disk.Writable writing = disk.create(StoreFormat.chunk(store, id), store.resolve(StoreFormat.META));
            isFolderDirty = true;
            return file(id, writing);
        }
    }

    /// Closes a chunk that is complete.
    void close(ChunkFile file) throws IOException {
        try (StoreLock.Held _ = lock.hold()) {
            files.remove(file);
            givenUp.remove(file);
            file.close();
        }
    }

    /// Takes a chunk to which a write has failed. Bytes written before may belong to a commit, so it is closed
    /// after it has been forced.
    void giveUp(ChunkFile file) throws IOException {
        try (StoreLock.Held _ = lock.hold()) {
            if (file.isDirty()) {
                givenUp.add(file);
            } else {
                close(file);
            }
        }
    }

    /// Allocates the id of a chunk that is written elsewhere.
    long takeId() throws IOException {
        try (StoreLock.Held _ = lock.hold()) {
            if (nextId >= StoreFormat.CHUNK_COUNT_MAX) {
                throw new IOException(store + " has used all " + nextId + " ids of chunks: copy it to a new store");
            }
            return nextId++;
        }
    }

    /// Sets the smallest id of the next new chunk.
    void skipTo(long id) {
        try (StoreLock.Held _ = lock.hold()) {
            nextId = Math.max(nextId, id);
        }
    }

    /// The number of ids used so far.
    long idCount() {
        try (StoreLock.Held _ = lock.hold()) {
            return nextId;
        }
    }

    /// The lowest chunk id that a value placed from now on can have.
    long lowestId() {
        try (StoreLock.Held _ = lock.hold()) {
            long lowest = nextId;
            for (int i = 0; i < files.size(); i++) {
                lowest = Math.min(lowest, files.get(i).id());
            }
            return lowest;
        }
    }

    /// The number of times that buffered values were lost because a write failed.
    long lossCount() {
        try (StoreLock.Held _ = lock.hold()) {
            return lossCount;
        }
    }

    /// Runs an action with a free writer. The first one is preferred, so that a single thread fills one chunk.
    void use(Io.Consumer<ChunkWriter> work) throws IOException {
        use(borrow(), work);
    }

    /// Runs an action with each of the writers in turn.
    private void useEach(Io.Consumer<ChunkWriter> work) throws IOException {
        for (int i = 0; i < writers.length; i++) {
            borrow(i);
            use(i, work);
        }
    }

    private void use(int number, Io.Consumer<ChunkWriter> work) throws IOException {
        try {
            work.accept(writers[number]);
        } catch (IOException e) {
            // Counted before another thread can get the writer, so that a commit that relied on its values notices
            // the loss.
            lose();
            Closing.after(e, writers[number]::discard);
            throw e;
        } finally {
            giveBack(number);
        }
    }

    private void lose() {
        try (StoreLock.Held _ = lock.hold()) {
            lossCount++;
        }
    }

    private int borrow() {
        try (StoreLock.Held _ = lock.hold()) {
            lock.until(() -> isClosed || firstIdle() >= 0);
            requireOpen();
            int number = firstIdle();
            isBusy[number] = true;
            return number;
        }
    }

    private void borrow(int number) {
        try (StoreLock.Held _ = lock.hold()) {
            lock.until(() -> !isBusy[number]);
            requireOpen();
            isBusy[number] = true;
        }
    }

    private void requireOpen() {
        if (isClosed) {
            throw new ClosedException("the store " + store + " is closed");
        }
    }

    private int firstIdle() {
        for (int i = 0; i < isBusy.length; i++) {
            if (!isBusy[i]) {
                return i;
            }
        }
        return -1;
    }

    private void giveBack(int number) {
        try (StoreLock.Held _ = lock.hold()) {
            isBusy[number] = false;
            lock.signalAll();
        }
    }

    /// The chunks that can be continued.
    List<StoreMeta.OpenChunk> open() throws IOException {
        List<StoreMeta.OpenChunk> open = new ArrayList<>();
        useEach(writer -> {
            if (writer.open() != null) {
                open.add(writer.open());
            }
        });
        return open;
    }

    /// Makes sure that nothing more is written to these chunks.
    void seal(Set<Long> ids) throws IOException {
        useEach(writer -> writer.seal(ids));
    }

    /// Writes all values that were placed before this call.
    void flush() throws IOException {
        useEach(ChunkWriter::flush);
    }

    /// Returns when all values written before this call, and the names of their chunks, are durable. Other threads
    /// may write at the same time. One thread at a time.
    void forceWritten() throws IOException {
        List<ChunkFile> all;
        List<ChunkFile> finished;
        boolean isFolderNew;
        try (StoreLock.Held _ = lock.hold()) {
            all = List.copyOf(files);
            finished = List.copyOf(givenUp);
            isFolderNew = isFolderDirty;
            isFolderDirty = false;
        }
        List<ChunkFile> dirty = all.stream().filter(ChunkFile::isDirty).toList();
        Parallel.run(dirty.size(), dirty.size(), file -> dirty.get((int) file).force());
        for (ChunkFile file : all) {
            // A chunk that is not dirty may be in the middle of a force by another thread.
            file.force();
        }
        if (isFolderNew) {
            disk.forceDirectory(store.resolve(StoreFormat.CHUNK_FOLDER));
        }
        // The force of another thread may have failed.
        failStop.requireSound();
        for (ChunkFile file : finished) {
            close(file);
        }
    }

    /// Closes everything when the last thread has returned its writer.
    @Override
    public void close() throws IOException {
        try (StoreLock.Held _ = lock.hold()) {
            isClosed = true;
            lock.signalAll();
            lock.until(() -> {
                for (boolean busy : isBusy) {
                    if (busy) {
                        return false;
                    }
                }
                return true;
            });
        }
        for (ChunkWriter writer : writers) {
            writer.close();
        }
        Closing.all(files.stream().map(file -> (Closing.Step) file::close).toList());
        files.clear();
    }
}
