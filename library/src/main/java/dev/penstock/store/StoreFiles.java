// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.Io;
import dev.penstock.store.journal.Journal;
import dev.penstock.store.journal.JournalWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// The files of a store that is being written: commits and syncs in the order given in [StoreFormat].
/// [StoreCheckpoint] replaces journals, tables and `meta.json`.
///
/// **Ownership.** Owns the chunk writers and the journal. **Threads.** Guarded by the lock of [StoreCore], except
/// that one thread at a time writes a commit without the lock ([#write]), and any number may place values in
/// [#chunks] meanwhile.
final class StoreFiles implements AutoCloseable {
    private final StoreState state;
    private final StoreCells cells;
    private final ChunkWriters chunks;
    private final FailStop failStop;
    private final StoreCheckpoint checkpoint;
    private final StoreRecovery recovery;
    private long sequence;
    /// The last trouble with work that follows a successful call and is tried again later, or null.
    private String warning;

    private boolean hasBegun;

    StoreFiles(Path store, StoreOptions options, StoreState state) {
        this.state = state;
        this.cells = state.cells();
        this.sequence = state.sequence();
        StoreMeta meta = state.meta();
        this.failStop = new FailStop(store);
        this.chunks = new ChunkWriters(store, options, meta, failStop);
        this.checkpoint = new StoreCheckpoint(store, options, meta, cells, chunks, failStop);
        this.recovery = new StoreRecovery(store, options.disk(), state, chunks, checkpoint, failStop);
    }

    /// The state after the last commit.
    StoreState state() {
        return state;
    }

    ChunkWriters chunks() {
        return chunks;
    }

    /// The sequence of the last commit.
    long sequence() {
        return sequence;
    }

    /// Stops all writing when a force fails.
    FailStop failStop() {
        return failStop;
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
        return (hasBegun || state.isClean())
                && checkpoint.meta().checkpoint().published().sequence() == sequence;
    }

    /// The number of bytes that [#publish] would write for changed tables.
    long publishBytes() {
        long bytes = 0;
        for (int field = 0; field < cells.fieldCount(); field++) {
            bytes += cells.isChanged(field) ? cells.length() * StoreFormat.ENTRY_SIZE : 0;
        }
        return bytes;
    }

    /// Prepares the first change: every process starts its own journal.
    void begin() throws IOException {
        failStop.requireSound();
        if (!hasBegun) {
            recovery.run();
            hasBegun = true;
            tidy();
        }
    }

    private JournalWriter journal() {
        return checkpoint.journal();
    }

    /// Deletes what is not needed any more.
    private void tidy() {
        orWarn(checkpoint::tidy);
    }

    /// Runs a step that follows a successful call. Its failure is a warning.
    void orWarn(Io.Action step) {
        try {
            step.run();
        } catch (IOException | RuntimeException e) {
            warning = e.getMessage() == null ? e.toString() : e.getMessage();
        }
    }

    /// Returns the last warning once.
    Optional<String> takeWarning() {
        Optional<String> taken = Optional.ofNullable(warning);
        warning = null;
        return taken;
    }

    /// Makes sure that a batch can be written. If this fails, for example because the disk is full, nothing has
    /// changed.
    void reserve(List<StoreChange> changes) throws IOException {
        failStop.requireSound();
        checkpoint.reserve(StoreJournals.commitBytes(changes.size()));
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
    void committed(Io.Action apply) throws IOException {
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
        sequence = checkpoint.retiring(chunkIds, () -> checkpoint.publish(sequence, false));
    }

    /// Makes all commits durable.
    void sync() throws IOException {
        failStop.requireSound();
        if (hasBegun) {
            sequence = checkpoint.sync(sequence);
        } else if (!state.isClean()) {
            // The last process may have left commits that are not durable.
            begin();
        }
    }

    /// Starts a new journal if this one is large.
    void rotateIfLarge() throws IOException {
        long journalBefore = journal().header().number();
        sequence = checkpoint.rotateIfLarge(sequence);
        if (journal().header().number() != journalBefore) {
            tidy();
        }
    }

    /// Publishes the last commit for plain readers.
    void publish() throws IOException {
        begin();
        if (!isPublished()) {
            sequence = checkpoint.publish(sequence, false);
            tidy();
        }
    }

    @Override
    public void close() throws IOException {
        Closing.all(List.of(chunks::close, checkpoint::close));
    }
}
