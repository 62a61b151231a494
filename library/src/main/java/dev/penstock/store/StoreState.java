// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.memory.Access;
import dev.penstock.memory.Disk;
import dev.penstock.memory.Journal;
import dev.penstock.memory.JournalFrame;
import dev.penstock.memory.JournalHeader;
import dev.penstock.memory.JournalReplay;
import dev.penstock.memory.ReaderOptions;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The last committed state of a store, as its files give it: steps 1 to 4 of the recovery in [StoreFormat].
/// Nothing is written.
///
/// **Ownership.** Owns the open files. **Threads.** Any number as long as nothing is changed.
final class StoreState implements AutoCloseable {
    /// A writer may put a new `meta.json` in place while the files are opened; so often in a row only if
    /// something is wrong.
    private static final int ATTEMPTS_MAX = 1000;

    private final Path store;
    private final StoreMeta.Found found;
    private final StoreCells cells;
    private final StoreValues values;
    private long sequence;
    private boolean isClean;
    private final List<StoreChange> unsynced = new ArrayList<>();

    private StoreState(Path store, StoreMeta.Found found, StoreCells cells, StoreValues values) {
        this.store = store;
        this.found = found;
        this.cells = cells;
        this.values = values;
        this.sequence = found.meta().sequence();
    }

    /// Reads the state after the last commit, or after an earlier one.
    ///
    /// @param sequenceLimit the last commit that counts
    /// @throws NoSuchFileException when there is no store
    /// @throws DatasetException    when its files are damaged
    static StoreState load(Path store, StoreReader.Options options, long sequenceLimit) throws IOException {
        return load(store, options, options.reading(), sequenceLimit);
    }

    /// The last committed state for a writer. Chunks are read by position, because they grow.
    static StoreState loadForWriting(Path store, Disk disk) throws IOException {
        StoreReader.Options options = StoreReader.Options.DEFAULT.withDisk(disk);
        return load(store, options, options.reading().withAccess(Access.READ), Long.MAX_VALUE);
    }

    private static StoreState load(
            Path store, StoreReader.Options options, ReaderOptions chunkOptions, long sequenceLimit)
            throws IOException {
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            StoreState state = tryLoad(store, options, chunkOptions, sequenceLimit);
            if (state != null) {
                return state;
            }
            Thread.onSpinWait();
        }
        throw new IOException(store + " changes all the time and cannot be opened");
    }

    private static StoreState tryLoad(
            Path store, StoreReader.Options options, ReaderOptions chunkOptions, long sequenceLimit)
            throws IOException {
        Disk disk = options.disk();
        StoreMeta.Found found = StoreMeta.find(disk, store);
        if (found == null) {
            throw new NoSuchFileException(store + ": no store is there, it has no " + StoreFormat.META);
        }
        StoreMeta meta = found.meta();
        StoreTables tables = StoreTables.open(store, meta.fields(), options.reading());
        StoreCells cells = new StoreCells(tables, meta.slots(), meta.length(), meta.deleted(), meta.edits());
        StoreValues values = new StoreValues(store, chunkOptions, options.isChecking(), !meta.isPlain());
        StoreState state = new StoreState(store, found, cells, values);
        try {
            state.requireTables(tables);
            if (meta.isPlain() || state.replay(disk, sequenceLimit)) {
                return state;
            }
        } catch (Throwable e) {
            Closing.after(e, state::close);
            throw e;
        }
        state.close();
        return null;
    }

    private void requireTables(StoreTables tables) {
        for (int i = 0; i < tables.fieldCount(); i++) {
            long slotCount = tables.slotCount(i);
            if (slotCount < meta().slots()) {
                throw new DatasetException.Corrupt(
                        StoreFormat.table(store, meta().fields().get(i).name()),
                        slotCount * StoreFormat.ENTRY_SIZE,
                        Reason.TRUNCATED,
                        "the table has " + slotCount + " slots and " + meta().slots() + " are taken");
            }
        }
    }

    /// @return false when the store was changed meanwhile, so that everything has to be read again
    private boolean replay(Disk disk, long sequenceLimit) throws IOException {
        Path path = StoreFormat.journal(store, meta().journal());
        try (Disk.Readable file = disk.open(path)) {
            StoreMeta.Found now = StoreMeta.find(disk, store);
            if (now == null || !Arrays.equals(now.bytes(), found.bytes())) {
                return false;
            }
            JournalReplay replay = JournalReplay.open(StoreFormat.JOURNAL, path, file);
            requireHeader(path, replay);
            boolean isAllGood = replay.syncedEnd() >= replay.end() && replay.sequence() <= sequenceLimit;
            long end = isAllGood ? replay.end() : goodEnd(replay, sequenceLimit);
            Application application = new Application(path);
            replay.forEach(end, application::apply);
            if (isSwitched()) {
                // Some tables may hold later changes already, which were not counted as they were applied.
                cells.recountDeleted();
            }
            isClean = replay.frameCount() == 0 && !replay.isTorn() && !found.isSwitched();
            return true;
        } catch (NoSuchFileException e) {
            StoreMeta.Found now = StoreMeta.find(disk, store);
            if (now == null || Arrays.equals(now.bytes(), found.bytes())) {
                throw new DatasetException.Corrupt(path, 0, Reason.MISSING_SHARD, "the journal is not there", e);
            }
            return false;
        }
    }

    private void requireHeader(Path path, JournalReplay replay) {
        JournalHeader expected = new JournalHeader(meta().uuid(), meta().journal(), meta().salt(), meta().sequence());
        if (!replay.header().equals(expected)) {
            throw new DatasetException.Corrupt(
                    path, 0, Reason.SHARD_MISMATCH, "the journal is not the one that " + StoreFormat.META + " names");
        }
        if (replay.overlayCount() != meta().overlays()) {
            throw new DatasetException.Corrupt(
                    path,
                    0,
                    Reason.TRUNCATED,
                    "the journal has " + replay.overlayCount() + " frames of the state it starts from and "
                            + meta().overlays() + " are needed");
        }
    }

    /// Where the last commit ends that counts. Behind the last SYNCED frame a commit counts only if all its
    /// values are there.
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

    /// Applies frames one after another.
    private final class Application {
        private final Path path;
        private final long lengthAtStart = meta().length();
        private long changeCount;
        private long editCount;

        Application(Path path) {
            this.path = path;
        }

        void apply(JournalFrame frame, long offset, MemorySegment items, int firstItem) throws IOException {
            changeCount += firstItem == 0 ? frame.count() : 0;
            // Every new slot has a change, so there cannot be more of them than changes. The length of a commit is
            // in all its frames, and only with the last one have all its changes been seen.
            long lengthLimit = lengthAtStart + changeCount;
            boolean isPossible = frame.fields() == cells.fieldCount()
                    && frame.length() >= 0
                    && (frame.hasMore() || frame.length() <= lengthLimit);
            long slotLimit = Math.min(Math.max(frame.length(), cells.length()), lengthLimit);
            boolean isCommit = frame.kind() == Journal.COMMIT;
            for (long at = 0; isPossible && at < items.byteSize(); at += StoreFormat.CHANGE_SIZE) {
                if (isAppended(items, at, slotLimit)) {
                    continue;
                }
                StoreChange change = StoreChange.read(items, at);
                isPossible = change != null
                        && change.field() < cells.fieldCount()
                        && change.slot() >= 0
                        && change.slot() < slotLimit;
                if (isPossible) {
                    cells.put(change.field(), change.slot(), change.entry());
                    editCount += isCommit && change.slot() < cells.length() ? 1 : 0;
                }
            }
            if (!isPossible) {
                throw new DatasetException.Corrupt(
                        path, offset, Reason.OUT_OF_RANGE, "a frame of the journal changes what is not there");
            }
            if (firstItem + items.byteSize() / StoreFormat.CHANGE_SIZE == frame.count() && !frame.hasMore()) {
                cells.addEdits(editCount + Math.max(0, cells.length() - frame.length()));
                editCount = 0;
                cells.setLength(frame.length());
            }
            if (frame.kind() == Journal.OVERLAY) {
                // What `meta.json` counts includes the overlay.
                cells.setDeletedCount(meta().deleted());
            }
            sequence = frame.sequence();
        }
    }

    /// Applies a change if it is of the most common kind, without making an object: a long journal has millions.
    private boolean isAppended(MemorySegment items, long at, long slotLimit) {
        int field = StoreChange.fieldOf(items, at);
        long slot = StoreChange.slotOf(items, at);
        long chunkAndSize = StoreChange.chunkAndSizeOf(items, at);
        return field >= 0
                && field < cells.fieldCount()
                && slot < slotLimit
                && (int) chunkAndSize != 0
                && cells.tryAppend(field, slot, chunkAndSize, StoreChange.offsetOf(items, at));
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

    /// The sequence of the last commit that counts.
    long sequence() {
        return sequence;
    }

    /// Whether a program that knows the published layout alone sees this state.
    boolean isPublished() {
        return meta().isPlain() || !isSwitched() && meta().published() == sequence;
    }

    /// Whether the last writer ended with a checkpoint, so that there is nothing to recover.
    boolean isClean() {
        return isClean;
    }

    /// Whether a publish was interrupted while tables got their names.
    boolean isSwitched() {
        return found.isSwitched();
    }

    /// Changes whose values may be in the cache of the operating system alone.
    List<StoreChange> unsynced() {
        return unsynced;
    }

    @Override
    public void close() {
        cells.close();
        values.close();
    }
}
