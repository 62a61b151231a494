// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.memory.Disk;
import dev.penstock.memory.Journal;
import dev.penstock.memory.JournalWriter;
import dev.penstock.memory.NewFile;
import dev.penstock.memory.ReaderOptions;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Rotates and publishes: writes slots to the tables, begins a new journal and puts a new `meta.json` in place, in
/// the order of [StoreFormat].
///
/// **Ownership.** Owns the journal that is written to. **Threads.** One at a time.
final class StoreCheckpoint implements AutoCloseable {
    /// Cells in the overlay from which on tables are published rather than carried on.
    private static final long OVERLAY_COUNT_MAX = 65_536;

    private final Path store;
    private final StoreOptions options;
    private final Disk disk;
    private final StoreCells cells;
    private final ChunkWriter chunks;
    private final FailStop failStop;
    private final TableWriter tables;
    private StoreMeta meta;
    private JournalWriter journal;

    StoreCheckpoint(
            Path store, StoreOptions options, StoreMeta meta, StoreCells cells, ChunkWriter chunks, FailStop failStop) {
        this.store = store;
        this.options = options;
        this.disk = options.disk();
        this.meta = meta;
        this.cells = cells;
        this.chunks = chunks;
        this.failStop = failStop;
        this.tables = new TableWriter(disk, store, meta, cells);
    }

    /// The `meta.json` that is in place.
    StoreMeta meta() {
        return meta;
    }

    /// The journal that is written to, or null before the first checkpoint.
    JournalWriter journal() {
        return journal;
    }

    /// Makes all commits durable.
    ///
    /// @param sequence of the last commit
    /// @return that of the last commit now
    long sync(long sequence) throws IOException {
        if (journal == null || journal.durable() == journal.sequence()) {
            return sequence;
        }
        journal.reserve(Journal.FRAME_HEAD_SIZE);
        failStop.orStop(() -> {
            chunks.force();
            StoreJournals.writeFrames(
                    journal, Journal.SYNC, Journal.SYNCED, cells.fieldCount(), cells.length(), List.of());
            journal.force();
        });
        return journal.sequence();
    }

    /// Begins a new journal when this one is large.
    ///
    /// @return the sequence of the last commit now
    long rotateIfLarge(long sequence) throws IOException {
        if (journal.position() < options.rotateBytes()) {
            return sequence;
        }
        boolean isOverlayLarge = cells.overlayCount() > Math.max(OVERLAY_COUNT_MAX, cells.length() / 16);
        return isOverlayLarge ? publish(sequence, false) : rotate(sequence);
    }

    /// R0 to R4. The published state moves on only if the tables hold all changes.
    ///
    /// @return the sequence of the last commit now
    long rotate(long sequenceBefore) throws IOException {
        long sequence = sync(sequenceBefore);
        failStop.orStop(chunks::force);
        for (int field = 0; field < cells.fieldCount(); field++) {
            tables.appendSlots(field, failStop);
        }
        List<StoreChange> overlay = cells.overlay();
        boolean isExact = overlay.isEmpty();
        StoreTables written = openTables();
        try {
            JournalWriter next = newJournal(sequence, overlay);
            StoreMeta newMeta = nextMeta(next, sequence, isExact, Math.max(cells.slots(), cells.length()));
            orDelete(next, () -> {
                try (NewFile file = NewFile.create(disk, store.resolve(StoreFormat.META), true)) {
                    file.write(MemorySegment.ofArray(newMeta.write()), 0);
                    failStop.orStop(file::publish);
                }
            });
            cells.pendingWritten(written);
            written = null;
            switchTo(next, newMeta);
        } finally {
            if (written != null) {
                written.close();
            }
        }
        return sequence;
    }

    private StoreTables openTables() throws IOException {
        return StoreTables.open(store, meta.fields(), ReaderOptions.DEFAULT.withDisk(disk));
    }

    private JournalWriter newJournal(long sequence, List<StoreChange> overlay) throws IOException {
        JournalWriter next = StoreJournals.create(disk, store, meta, sequence, options, overlay.size());
        orDelete(next, () -> {
            if (!overlay.isEmpty()) {
                StoreJournals.writeFrames(
                        next, Journal.OVERLAY, Journal.SYNCED, cells.fieldCount(), cells.length(), overlay);
            }
            failStop.orStop(next::forceAll);
            failStop.orStop(() -> disk.forceDirectory(store.resolve(StoreFormat.JOURNAL_FOLDER)));
        });
        return next;
    }

    /// Removes a journal that came to nothing, so that the old one goes on. After a failed force or rename it
    /// may be the one that counts, and stays.
    private void orDelete(JournalWriter next, FailStop.Step step) throws IOException {
        try {
            step.run();
        } catch (Throwable e) {
            Closing.after(e, next::close);
            if (!failStop.isStopped()) {
                Closing.after(e, () -> disk.delete(next.path()));
            }
            throw e;
        }
    }

    /// @param isExact whether the tables alone hold the state, so that plain readers may see it
    private StoreMeta nextMeta(JournalWriter next, long sequence, boolean isExact, long slots) {
        return new StoreMeta(
                meta.fields(),
                isExact ? cells.length() : meta.publishedLength(),
                chunks.idCount(),
                meta.chunkRows(),
                chunks.open(),
                meta.uuid(),
                meta.generation() + 1,
                next.header().number(),
                next.header().salt(),
                sequence,
                cells.length(),
                slots,
                isExact ? sequence : meta.published(),
                isExact ? 0 : StoreJournals.frameCount(cells.overlayCount()),
                meta.isSwapping(),
                cells.deletedCount(),
                cells.editCount(),
                false);
    }

    private void switchTo(JournalWriter next, StoreMeta newMeta) throws IOException {
        JournalWriter old = journal;
        Path oldPath = StoreFormat.journal(store, meta.journal());
        journal = next;
        meta = newMeta;
        if (old != null) {
            old.close();
        }
        disk.delete(oldPath);
    }

    /// P1 to P7: writes changed tables as new files and gives them their names while there is no `meta.json`.
    /// Where no slot that is taken has changed, it is a [#rotate].
    ///
    /// @param isAll whether all tables are written, because it is not known which have their names already
    /// @return the sequence of the last commit now
    long publish(long sequenceBefore, boolean isAll) throws IOException {
        if (!isAll && cells.overlayCount() == 0) {
            return rotate(sequenceBefore);
        }
        long sequence = sync(sequenceBefore);
        failStop.orStop(chunks::force);
        List<NewFile> changed = new ArrayList<>();
        try {
            for (int field = 0; field < cells.fieldCount(); field++) {
                if (isAll || cells.isChanged(field)) {
                    changed.add(tables.writeNew(field));
                    failStop.orStop(changed.getLast()::force);
                } else {
                    tables.appendSlots(field, failStop);
                }
            }
            JournalWriter next = newJournal(sequence, List.of());
            StoreMeta newMeta = nextMeta(next, sequence, true, cells.length());
            orDelete(next, () -> exchange(changed, newMeta));
            // From here on the new files count, and what is in memory has to follow.
            failStop.orStop(() -> {
                switchTo(next, newMeta);
                cells.replaceTables(openTables());
            });
        } finally {
            Closing.all(
                    changed.stream().map(table -> (Closing.Step) table::close).toList());
        }
        disk.delete(store.resolve(StoreFormat.META_SWITCH));
        return sequence;
    }

    private void exchange(List<NewFile> changed, StoreMeta newMeta) throws IOException {
        Path metaPath = store.resolve(StoreFormat.META);
        try (NewFile file = NewFile.create(disk, metaPath, true)) {
            file.write(MemorySegment.ofArray(newMeta.write()), 0);
            failStop.orStop(file::force);
            failStop.orStop(() -> {
                if (disk.exists(metaPath)) {
                    disk.move(metaPath, store.resolve(StoreFormat.META_SWITCH));
                }
                disk.forceDirectory(store);
                for (NewFile table : changed) {
                    table.publishUnforced();
                }
                disk.forceDirectory(store);
                file.publishUnforced();
                disk.forceDirectory(store);
            });
        }
    }

    @Override
    public void close() throws IOException {
        if (journal != null) {
            journal.close();
        }
    }
}
