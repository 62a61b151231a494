// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Access;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import dev.penstock.file.Storage;
import dev.penstock.store.journal.Journal;
import dev.penstock.store.journal.JournalReplay;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// The last committed state of a store, loaded from its files: steps 1 to 4 of the recovery in [StoreFormat].
/// Nothing is written.
///
/// **Ownership.** Owns the open files. **Threads.** Safe for any number of threads as long as nothing is changed.
final class StoreState implements AutoCloseable {
    /// A writer may replace `meta.json` while the files are opened. More attempts than this mean that something is
    /// wrong.
    private static final int ATTEMPTS_MAX = 1000;

    private final Location store;
    private final StoreMetaFile found;
    private final StoreCells cells;
    private final StoreValues values;
    private final StoreLease lease;
    private long sequence;
    /// The end of the journal frames that are part of this state.
    private long journalEnd;

    private boolean isClean;
    private final List<StoreChange> unsynced = new ArrayList<>();

    private StoreState(Location store, StoreMetaFile found, StoreCells cells, StoreValues values, StoreLease lease) {
        this.store = store;
        this.found = found;
        this.cells = cells;
        this.values = values;
        this.lease = lease;
        this.sequence = found.meta().checkpoint().sequence();
    }

    /// Loads the state after the last commit, or after an earlier one.
    ///
    /// @param sequenceLimit the last commit to apply
    /// @throws NoSuchFileException when the store does not exist
    /// @throws DatasetException    when its files are damaged
    static StoreState load(Location store, StoreReader.Options options, long sequenceLimit) throws IOException {
        return load(store, new Loading(options, options.reading(), sequenceLimit, true, null));
    }

    /// The parameters of loading a state.
    ///
    /// @param chunkOptions the options for reading chunks
    /// @param isLeased     whether chunks are kept as long as the state is open
    /// @param values       the values of an earlier state of the store, or null
    private record Loading(
            StoreReader.Options options,
            ReaderOptions chunkOptions,
            long sequenceLimit,
            boolean isLeased,
            StoreValues values) {
        StoreValues openValues(Location store, boolean hasPrefixes) {
            return values == null
                    ? new StoreValues(store, chunkOptions, options.isChecking(), hasPrefixes)
                    : values.share();
        }
    }

    /// Loads the last committed state for a writer. Chunks are read by position, because they grow.
    static StoreState loadForWriting(Path store, Disk disk) throws IOException {
        StoreReader.Options options = StoreReader.Options.DEFAULT.withDisk(disk);
        ReaderOptions byPosition = options.reading().withAccess(Access.READ);
        // A writer knows which chunks it needs, and its own lease would keep it from deleting the others.
        return load(Location.of(store), new Loading(options, byPosition, Long.MAX_VALUE, false, null));
    }

    private static StoreState load(Location store, Loading loading) throws IOException {
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            StoreState state = tryLoad(store, loading);
            if (state != null) {
                return state;
            }
            Thread.onSpinWait();
        }
        throw new IOException(store + " is changed too often to be opened; try again");
    }

    private static StoreState tryLoad(Location store, Loading loading) throws IOException {
        ReaderOptions reading = loading.options.reading();
        Storage storage = reading.storageOf(store);
        StoreMetaFile found = StoreMetaFile.find(storage, store);
        if (found == null) {
            throw StoreMetaFile.absent(storage, store);
        }
        StoreMeta meta = found.meta();
        // A store in remote storage is read-only, so it needs no lease.
        boolean isLeased = loading.isLeased && !meta.isPlain() && reading.isOnDisk(store);
        StoreLease lease =
                isLeased ? StoreLease.take(reading.disk(), store.path(), meta.generation()) : StoreLease.NONE;
        if (lease == null) {
            return null;
        }
        StoreTables tables;
        try {
            tables = StoreTables.open(store, meta.fields(), reading);
        } catch (Throwable e) {
            Closing.after(e, lease::close);
            if (!isCurrent(storage, store, found)) {
                // A field was dropped, with its table, or the snapshot was.
                return null;
            }
            throw e;
        }
        StoreCells cells = new StoreCells(
                tables,
                meta.checkpoint().slots(),
                meta.checkpoint().length(),
                meta.checkpoint().deleted(),
                meta.checkpoint().edits());
        StoreState state = new StoreState(store, found, cells, loading.openValues(store, !meta.isPlain()), lease);
        try {
            state.requireTables(tables);
            if (meta.isPlain() || state.isLoaded(storage, loading.sequenceLimit)) {
                return state;
            }
        } catch (Throwable e) {
            Closing.after(e, state::close);
            if (e instanceof DatasetException && !isCurrent(storage, store, found)) {
                // Files of different states do not match.
                return null;
            }
            throw e;
        }
        state.close();
        return null;
    }

    /// @return false when the store was changed in the meantime, so that everything has to be read again
    private boolean isLoaded(Storage storage, long sequenceLimit) throws IOException {
        // A snapshot has no journal, but it may have been dropped before the lease was taken.
        return meta().isSnapshot() ? isCurrent(storage, store, found) : replay(storage, sequenceLimit);
    }

    private static boolean isCurrent(Storage storage, Location store, StoreMetaFile found) throws IOException {
        return found.isSame(StoreMetaFile.find(storage, store));
    }

    private void requireTables(StoreTables tables) {
        for (int i = 0; i < tables.fieldCount(); i++) {
            long slotCount = tables.slotCount(i);
            if (slotCount < meta().checkpoint().slots()) {
                throw new DatasetException.Corrupt(
                        StoreFormat.table(store, meta().fields().get(i).name()),
                        slotCount * StoreFormat.ENTRY_SIZE,
                        Reason.TRUNCATED,
                        "the table has " + slotCount + " slots, but "
                                + meta().checkpoint().slots() + " are in use");
            }
        }
    }

    /// @return false when the store was changed in the meantime, so that everything has to be read again
    private boolean replay(Storage storage, long sequenceLimit) throws IOException {
        Location path = StoreFormat.journal(store, meta().checkpoint().journal().number());
        try (Disk.Readable file = storage.open(path)) {
            StoreMetaFile now = StoreMetaFile.find(storage, store);
            if (!found.isSame(now)) {
                return false;
            }
            JournalReplay replay = JournalReplay.open(StoreFormat.JOURNAL, path, file);
            requireSame(path, replay);
            StoreReplay applied = new StoreReplay(path, meta(), cells, sequence);
            replay.read(sequenceLimit, applied::apply);
            requireOverlays(path, replay);
            applyRest(replay, applied, goodEnd(replay, sequenceLimit));
            if (isSwitched() || now.isSwitched()) {
                // Some tables may already contain later changes, which were not counted when they were applied.
                cells.recountDeleted();
            }
            isClean = replay.frameCount() == 0 && !replay.isTorn() && !found.isSwitched();
            return true;
        } catch (NoSuchFileException e) {
            StoreMetaFile now = StoreMetaFile.find(storage, store);
            if (now == null || found.isSame(now)) {
                throw new DatasetException.Corrupt(path, 0, Reason.MISSING_SHARD, "the journal is missing", e);
            }
            return false;
        }
    }

    /// Applies the commits that have not been applied yet.
    ///
    /// @param end the end of the last commit to apply
    private void applyRest(JournalReplay replay, StoreReplay applied, long end) throws IOException {
        replay.forEach(end, applied::apply);
        sequence = applied.sequence();
        journalEnd = end;
    }

    /// The state after the present last commit. If the journal has only grown, only its new frames are read.
    ///
    /// @param options the options that this state was loaded with
    /// @return null when nothing has changed
    StoreState refreshed(StoreReader.Options options) throws IOException {
        if (meta().isPlain() || meta().isSnapshot()) {
            return null;
        }
        Storage storage = options.reading().storageOf(store);
        if (isCurrent(storage, store, found)) {
            Location path =
                    StoreFormat.journal(store, meta().checkpoint().journal().number());
            try (Disk.Readable file = storage.open(path)) {
                return continued(path, file, options.disk());
            } catch (NoSuchFileException e) {
                // A later checkpoint has deleted it.
            }
        }
        StoreState next = load(store, new Loading(options, options.reading(), Long.MAX_VALUE, true, values));
        // A chunk that this state needs still exists, because this state has a lease.
        values.retain(Set.copyOf(StoreFormat.chunkIds(storage, store)));
        return next;
    }

    /// The state after the frames that were added to the journal, or null when there are none.
    private StoreState continued(Location path, Disk.Readable journal, Disk disk) throws IOException {
        JournalReplay replay = JournalReplay.openBehind(StoreFormat.JOURNAL, path, journal, journalEnd, sequence);
        requireSame(path, replay);
        long end = replay.syncedEnd() >= replay.end() ? replay.end() : goodEnd(replay, Long.MAX_VALUE);
        if (end <= journalEnd) {
            return null;
        }
        // This state holds the lease of the same generation, so a rebalance cannot delete its chunks.
        StoreLease own = lease == StoreLease.NONE ? lease : StoreLease.take(disk, store.path(), meta().generation());
        StoreState next = new StoreState(store, found, cells.copy(), values.share(), own);
        try {
            next.applyRest(replay, new StoreReplay(path, meta(), next.cells, sequence), end);
            return next;
        } catch (Throwable e) {
            Closing.after(e, next::close);
            throw e;
        }
    }

    private void requireSame(Location path, JournalReplay replay) {
        if (!replay.header().equals(meta().journalHeader())) {
            throw new DatasetException.Corrupt(
                    path, 0, Reason.SHARD_MISMATCH, "the journal does not match " + StoreFormat.META);
        }
    }

    private void requireOverlays(Location path, JournalReplay replay) {
        if (replay.overlayCount() != meta().checkpoint().journal().overlays()) {
            throw new DatasetException.Corrupt(
                    path,
                    0,
                    Reason.TRUNCATED,
                    "the journal has " + replay.overlayCount() + " overlay frames, but "
                            + meta().checkpoint().journal().overlays() + " are needed");
        }
    }

    /// The end of the last valid commit among those that are not final. After the last SYNCED frame a commit is
    /// valid only if all its values exist.
    private long goodEnd(JournalReplay replay, long sequenceLimit) throws IOException {
        long[] end = {replay.end()};
        long[] commitStart = {0};
        boolean[] isStart = {true};
        boolean[] isDone = {false};
        replay.forEach(replay.end(), (frame, offset, items, firstItem) -> {
            if (firstItem == 0 && isStart[0]) {
                commitStart[0] = offset;
            }
            isStart[0] = !frame.hasMore();
            if (isDone[0] || frame.kind() == Journal.OVERLAY) {
                return;
            }
            boolean isBad = offset >= replay.syncedEnd() && !areIntact(items);
            if (isBad || frame.sequence() > sequenceLimit) {
                end[0] = commitStart[0];
                isDone[0] = true;
            } else if (offset >= replay.syncedEnd()) {
                noteUnsynced(items);
            }
        });
        return end[0];
    }

    private boolean areIntact(MemorySegment items) throws IOException {
        for (long at = 0; at < items.byteSize(); at += StoreFormat.CHANGE_SIZE) {
            StoreChange change = StoreChange.read(items, at);
            if (change != null && change.entry().hasBytes() && !values.isIntact(change.entry(), change.crc())) {
                return false;
            }
        }
        return true;
    }

    private void noteUnsynced(MemorySegment items) {
        for (long at = 0; at < items.byteSize(); at += StoreFormat.CHANGE_SIZE) {
            StoreChange change = StoreChange.read(items, at);
            if (change != null && change.entry().hasBytes()) {
                unsynced.add(change);
            }
        }
    }

    StoreMeta meta() {
        return found.meta();
    }

    StoreCells cells() {
        return cells;
    }

    StoreValues values() {
        return values;
    }

    /// The sequence of the last valid commit.
    long sequence() {
        return sequence;
    }

    /// Whether a program that knows only the published layout sees this state.
    boolean isPublished() {
        return meta().isPlain()
                || !isSwitched() && meta().checkpoint().published().sequence() == sequence;
    }

    /// Whether the last writer ended with a checkpoint, so that there is nothing to recover.
    boolean isClean() {
        return isClean;
    }

    /// Whether a publish was interrupted while tables were renamed.
    boolean isSwitched() {
        return found.isSwitched();
    }

    /// Changes whose values may be only in the page cache.
    List<StoreChange> unsynced() {
        return unsynced;
    }

    /// Requires that no writer deletes a chunk of this state while it is open.
    ///
    /// @throws FileSystemException when the lease could not be taken
    void requireLease() throws FileSystemException {
        if (lease == StoreLease.NONE) {
            throw new FileSystemException(
                    store.resolve(StoreFormat.LEASE).toString(),
                    null,
                    "it could not be locked, so a writer might delete files that are needed; try again");
        }
    }

    @Override
    public void close() throws IOException {
        cells.close();
        values.close();
        lease.close();
    }
}
