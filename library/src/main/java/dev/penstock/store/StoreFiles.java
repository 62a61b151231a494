// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.memory.Disk;
import dev.penstock.memory.Journal;
import dev.penstock.memory.JournalWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;

/// The files of a store that is being written: commits and syncs in the order given in [StoreFormat].
/// [StoreCheckpoint] replaces journals, tables and `meta.json`.
///
/// **Threads.** One thread at a time, except that any number may place values in [#chunks].
final class StoreFiles implements AutoCloseable {
    private final Path store;
    private final Disk disk;
    private final StoreState state;
    private final StoreCells cells;
    private final ChunkWriters chunks;
    private final FailStop failStop;
    private final StoreCheckpoint checkpoint;
    private long sequence;
    private boolean hasBegun;

    StoreFiles(Path store, StoreOptions options, StoreState state) {
        this.store = store;
        this.disk = options.disk();
        this.state = state;
        this.cells = state.cells();
        this.sequence = state.sequence();
        StoreMeta meta = state.meta();
        this.failStop = new FailStop(store);
        this.chunks = new ChunkWriters(store, options, meta, failStop);
        this.checkpoint = new StoreCheckpoint(store, options, meta, cells, chunks, failStop);
    }

    ChunkWriters chunks() {
        return chunks;
    }

    /// The sequence of the last commit.
    long sequence() {
        return sequence;
    }

    /// Whether an earlier failure has stopped all writing.
    boolean isStopped() {
        return failStop.isStopped();
    }

    /// @throws IOException when an earlier failure has stopped all writing
    void requireSound() throws IOException {
        failStop.requireSound();
    }

    /// Whether a plain reader sees the last commit.
    boolean isPublished() {
        return (hasBegun || state.isClean()) && checkpoint.meta().published() == sequence;
    }

    /// The number of bytes that [#publish] would write for changed tables.
    long publishBytes() {
        long bytes = 0;
        for (int field = 0; field < cells.fieldCount(); field++) {
            bytes += cells.isChanged(field) ? cells.length() * StoreFormat.ENTRY_SIZE : 0;
        }
        return bytes;
    }

    /// Prepares the first change: every process starts its own journal, and values that may be only in the page
    /// cache are written again.
    void begin() throws IOException {
        failStop.requireSound();
        if (hasBegun) {
            return;
        }
        nextChunkBehindAll();
        if (state.isClean()) {
            chunks.adopt(checkpoint.meta().open());
        }
        rewriteUnsynced();
        if (state.isSwitched()) {
            checkpoint.publish(sequence, true);
        } else {
            checkpoint.rotate(sequence);
        }
        hasBegun = true;
        for (Path file : disk.list(store.resolve(StoreFormat.JOURNAL_FOLDER))) {
            if (StoreJournals.isJournal(file)
                    && !file.getFileName().equals(journal().path().getFileName())) {
                disk.delete(file);
            }
        }
    }

    private JournalWriter journal() {
        return checkpoint.journal();
    }

    /// Ids are never reused, not even those of chunks that a crash left and no slot refers to.
    private void nextChunkBehindAll() throws IOException {
        for (long id : StoreFormat.chunkIds(disk, store)) {
            chunks.skipTo(id + 1);
        }
    }

    private void rewriteUnsynced() throws IOException {
        boolean isAny = false;
        for (StoreChange change : state.unsynced()) {
            boolean isCurrent = change.slot() < cells.length()
                    && cells.get(change.field(), change.slot()).equals(change.entry());
            if (isCurrent) {
                StoreValues.Stored stored = state.values().stored(change.entry());
                chunks.use(writer -> {
                    writer.beginRow();
                    ChunkWriter.Placed placed = writer.place(MemorySegment.ofArray(stored.bytes()), stored.rawSize());
                    cells.put(change.field(), change.slot(), placed.entry());
                });
                isAny = true;
            }
        }
        if (isAny) {
            failStop.orStop(chunks::force);
        }
    }

    /// Makes sure that a batch can be written. If this fails, for example because the disk is full, nothing has
    /// changed.
    void reserve(List<StoreChange> changes) throws IOException {
        failStop.requireSound();
        journal().reserve(StoreJournals.commitBytes(changes.size()));
    }

    /// Writes reserved changes as one commit. [#committed] makes it the last one.
    void write(List<StoreChange> changes, long length, boolean isDurable) throws IOException {
        failStop.requireSound();
        failStop.orStop(() -> {
            if (isDurable) {
                chunks.forceWritten();
            }
            int flags = isDurable ? Journal.SYNCED : 0;
            StoreJournals.writeFrames(journal(), Journal.COMMIT, flags, cells.fieldCount(), length, changes);
            if (isDurable) {
                journal().force();
            }
        });
    }

    /// Makes the last written changes the last commit.
    ///
    /// @param apply applies it to the state in memory, which is unusable if that fails
    void committed(FailStop.Step apply) throws IOException {
        failStop.orStop(apply);
        sequence = journal().sequence();
    }

    /// Commits durably that values are at other places, which are already durable.
    void commitMoves(List<StoreChange> changes) throws IOException {
        reserve(changes);
        write(changes, cells.length(), true);
        committed(() -> {
            for (StoreChange change : changes) {
                cells.put(change.field(), change.slot(), change.entry());
            }
        });
    }

    /// The object that replaces `meta.json`.
    StoreCheckpoint checkpoint() {
        return checkpoint;
    }

    /// Publishes the last commit, in which no cell refers to these chunks. The caller deletes them when no reader
    /// needs them.
    void retire(List<Long> chunkIds) throws IOException {
        begin();
        sequence = checkpoint.publishRetiring(sequence, chunkIds);
    }

    /// Makes all commits durable.
    void sync() throws IOException {
        failStop.requireSound();
        if (hasBegun) {
            sequence = checkpoint.sync(sequence);
        }
    }

    /// Starts a new journal if this one is large.
    void rotateIfLarge() throws IOException {
        sequence = checkpoint.rotateIfLarge(sequence);
    }

    /// Publishes the last commit for plain readers.
    void publish() throws IOException {
        begin();
        if (!isPublished()) {
            sequence = checkpoint.publish(sequence, false);
        }
    }

    @Override
    public void close() throws IOException {
        Closing.all(List.of(chunks::close, checkpoint::close));
    }
}
