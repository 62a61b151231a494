// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.memory.Disk;
import dev.penstock.memory.Journal;
import dev.penstock.memory.JournalWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;

/// The files of a store that is written: commits and synchronises in the order of [StoreFormat]. Journals, tables
/// and `meta.json` are exchanged by [StoreCheckpoint].
///
/// **Threads.** One at a time.
final class StoreFiles implements AutoCloseable {
    private final Path store;
    private final Disk disk;
    private final StoreState state;
    private final StoreCells cells;
    private final ChunkWriter chunks;
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
        this.chunks = new ChunkWriter(disk, store, meta.chunkCount(), meta.chunkRows(), options.chunkBytes());
        this.failStop = new FailStop(store);
        this.checkpoint = new StoreCheckpoint(store, options, meta, cells, chunks, failStop);
    }

    ChunkWriter chunks() {
        return chunks;
    }

    /// The sequence of the last commit.
    long sequence() {
        return sequence;
    }

    /// Whether an earlier failure keeps anything from being acknowledged.
    boolean isStopped() {
        return failStop.isStopped();
    }

    /// @throws IOException when an earlier failure keeps anything from being acknowledged
    void requireSound() throws IOException {
        failStop.requireSound();
    }

    /// Whether a plain reader sees the last commit.
    boolean isPublished() {
        return (hasBegun || state.isClean()) && checkpoint.meta().published() == sequence;
    }

    /// What [#publish] would write for changed tables.
    long publishBytes() {
        long bytes = 0;
        for (int field = 0; field < cells.fieldCount(); field++) {
            bytes += cells.isChanged(field) ? cells.length() * StoreFormat.ENTRY_SIZE : 0;
        }
        return bytes;
    }

    /// Before the first change: every process begins a journal of its own, and values that may be in the cache
    /// of the operating system alone are written again.
    void begin() throws IOException {
        failStop.requireSound();
        if (hasBegun) {
            return;
        }
        nextChunkBehindAll();
        if (state.isClean() && checkpoint.meta().open() != null) {
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
            if (!file.getFileName().equals(journal().path().getFileName())) {
                disk.delete(file);
            }
        }
    }

    private JournalWriter journal() {
        return checkpoint.journal();
    }

    /// Ids are never used twice, not even those of chunks that a crash left and no slot refers to.
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
                chunks.beginRow();
                ChunkWriter.Placed placed = chunks.place(MemorySegment.ofArray(stored.bytes()), stored.rawSize());
                cells.put(change.field(), change.slot(), placed.entry());
                isAny = true;
            }
        }
        if (isAny) {
            failStop.orStop(chunks::force);
        }
    }

    /// Makes sure that a batch can be written. When it fails, for example because the disk is full, nothing has
    /// changed.
    void reserve(List<StoreChange> changes) throws IOException {
        failStop.requireSound();
        journal().reserve(StoreJournals.commitBytes(changes.size()));
    }

    /// Writes changes that were reserved as one commit. [#committed] makes it the last one.
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

    /// What was written last is the last commit.
    ///
    /// @param apply makes it part of the state in memory, which is of no use when that fails
    void committed(FailStop.Step apply) throws IOException {
        failStop.orStop(apply);
        sequence = journal().sequence();
    }

    /// Makes all commits durable.
    void sync() throws IOException {
        failStop.requireSound();
        if (hasBegun) {
            sequence = checkpoint.sync(sequence);
        }
    }

    /// Begins a new journal when this one is large.
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
