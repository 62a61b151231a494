// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.Io;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.NewFile;
import dev.penstock.file.ReaderOptions;
import dev.penstock.store.journal.Journal;
import dev.penstock.store.journal.JournalWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Writes checkpoints: writes slots to the tables, starts a new journal and replaces `meta.json`, in the order
/// given in [StoreFormat].
///
/// **Ownership.** Owns the journal. **Threads.** Guarded by the lock of [StoreCore].
final class StoreCheckpoint implements AutoCloseable {
    /// The number of cells in the overlay from which on tables are published.
    private static final long OVERLAY_COUNT_MAX = 65_536;

    private final Path store;
    private final StoreOptions options;
    private final Disk disk;
    private final StoreCells cells;
    private final ChunkWriters chunks;
    private final FailStop failStop;
    private final TableCheckpointWriter tables;
    private StoreMeta meta;
    /// Chunks that no cell refers to any more and that are deleted when no reader needs them.
    private List<StoreMeta.Retired> retired;
    /// The fields of the next `meta.json`.
    private List<StoreField> nextFields;
    /// Chunks that the next `meta.json` retires.
    private List<Long> retiring = List.of();

    private JournalWriter journal;
    /// The size from which on a new journal is started. It grows when that fails, for example because the disk is
    /// full, so that not every commit tries again.
    private long rotateBytes;

    StoreCheckpoint(
            Path store,
            StoreOptions options,
            StoreMeta meta,
            StoreCells cells,
            ChunkWriters chunks,
            FailStop failStop) {
        this.store = store;
        this.options = options;
        this.disk = options.disk();
        this.meta = meta;
        this.retired = meta.chunks().retired();
        this.nextFields = meta.fields();
        this.cells = cells;
        this.chunks = chunks;
        this.failStop = failStop;
        this.tables = new TableCheckpointWriter(disk, store, meta, cells);
        this.rotateBytes = options.rotateBytes();
    }

    /// The present `meta.json`.
    StoreMeta meta() {
        return meta;
    }

    /// The journal that is written to, or null before the first checkpoint.
    JournalWriter journal() {
        return journal;
    }

    /// Makes sure that frames can be written. If the disk is full, nothing has changed.
    void reserve(long byteCount) throws IOException {
        if (journal.grow(byteCount)) {
            failStop.orStop(journal::forceLength);
        }
    }

    /// Makes all commits durable. Their values are written already.
    ///
    /// @param sequence the sequence of the last commit
    /// @return the sequence of the last commit now
    long sync(long sequence) throws IOException {
        if (journal == null || journal.durable() == journal.sequence()) {
            return sequence;
        }
        reserve(Journal.FRAME_HEAD_SIZE);
        failStop.orStop(() -> {
            chunks.forceWritten();
            StoreJournals.writeFrames(
                    journal, Journal.SYNC, Journal.SYNCED, cells.fieldCount(), cells.length(), List.of());
            journal.force();
        });
        return journal.sequence();
    }

    /// Starts a new journal if this one is large.
    ///
    /// @return the sequence of the last commit now
    long rotateIfLarge(long sequence) throws IOException {
        if (journal.position() < rotateBytes) {
            return sequence;
        }
        rotateBytes = journal.position() + options.rotateBytes();
        boolean isOverlayLarge = cells.overlayCount() > Math.max(OVERLAY_COUNT_MAX, cells.length() / 16);
        return isOverlayLarge ? publish(sequence, false) : rotate(sequence);
    }

    /// Steps R0 to R4. The published state advances only if the tables contain all changes.
    ///
    /// @return the sequence of the last commit now
    long rotate(long sequenceBefore) throws IOException {
        long sequence = sync(sequenceBefore);
        failStop.orStop(chunks::forceWritten);
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
        return StoreTables.open(Location.of(store), meta.fields(), ReaderOptions.DEFAULT.withDisk(disk));
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

    /// Deletes a journal that was not completed, so that the old one stays in use. After a failed force or rename
    /// the new one may be valid, so it is kept.
    private void orDelete(JournalWriter next, Io.Action step) throws IOException {
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

    /// @param isExact whether the tables alone contain the state, so that plain readers may see it
    private StoreMeta nextMeta(JournalWriter next, long sequence, boolean isExact, long slots) throws IOException {
        // Before the number of ids, because another thread may create a chunk meanwhile.
        List<StoreMeta.OpenChunk> open = chunks.open();
        StoreMeta.Chunks newChunks =
                new StoreMeta.Chunks(chunks.idCount(), meta.chunks().rowsMax(), open, nextRetired());
        StoreMeta.Published published = isExact
                ? new StoreMeta.Published(sequence, cells.length())
                : meta.checkpoint().published();
        StoreMeta.JournalStart start = new StoreMeta.JournalStart(
                next.header().number(),
                next.header().salt(),
                isExact ? 0 : StoreJournals.frameCount(cells.overlayCount()));
        return meta.next(nextFields, newChunks, StoreMeta.checkpointOf(cells, sequence, slots, published, start));
    }

    /// Replaces `meta.json` with other fields, whose tables exist. The journal has no frames.
    void changeFields(List<StoreField> fields) throws IOException {
        StoreMeta newMeta = meta.next(fields, meta.chunks(), meta.checkpoint());
        try (NewFile file = NewFile.create(disk, store.resolve(StoreFormat.META), true)) {
            file.write(MemorySegment.ofArray(newMeta.write()), 0);
            failStop.orStop(file::publish);
        }
        meta = newMeta;
        nextFields = fields;
    }

    /// Publishes cells with other fields, which have the same tables.
    ///
    /// @return the sequence of the last commit now
    long publishFields(long sequence, List<StoreField> fields) throws IOException {
        nextFields = fields;
        return publish(sequence, false);
    }

    private List<StoreMeta.Retired> nextRetired() {
        List<StoreMeta.Retired> all = new ArrayList<>(retired);
        retiring.forEach(id -> all.add(new StoreMeta.Retired(id, meta.generation() + 1)));
        return all;
    }

    /// Retires chunks that no cell refers to, with the next `meta.json`. They are retired only if that succeeds.
    ///
    /// @return the sequence of the last commit now
    long retiring(List<Long> chunkIds, Io.Supplier<Long> replacing) throws IOException {
        retiring = chunkIds;
        try {
            return replacing.get();
        } finally {
            retiring = List.of();
        }
    }

    /// Retired chunks that no reader needs any more.
    List<StoreMeta.Retired> unneeded() throws IOException {
        List<StoreMeta.Retired> unneeded = new ArrayList<>();
        long freeGeneration = 0;
        for (StoreMeta.Retired one : retired) {
            boolean isLater = one.generation() > freeGeneration;
            if (isLater && !StoreLease.isFreeBefore(disk, store, one.generation())) {
                break;
            }
            freeGeneration = Math.max(freeGeneration, one.generation());
            unneeded.add(one);
        }
        return unneeded;
    }

    /// Deletes chunks. A crash before [#forget] leaves them in `meta.json`, and the next writer deletes what is
    /// left.
    static void deleteChunks(Disk disk, Path store, List<StoreMeta.Retired> unneeded) throws IOException {
        for (StoreMeta.Retired one : unneeded) {
            disk.delete(StoreFormat.chunk(store, one.chunk()));
        }
    }

    /// Leaves chunks that were deleted out of the next `meta.json`.
    void forget(List<StoreMeta.Retired> deleted) {
        retired = retired.stream().filter(one -> !deleted.contains(one)).toList();
    }

    /// Deletes files that the present `meta.json` makes unnecessary: other journals, the former `meta.json`, and
    /// retired chunks that no reader needs. If it fails, the next call goes on.
    void tidy() throws IOException {
        for (Path file : StoreJournals.list(disk, store)) {
            if (!file.getFileName().equals(journal.path().getFileName())) {
                disk.delete(file);
            }
        }
        disk.delete(store.resolve(StoreFormat.META_SWITCH));
        List<StoreMeta.Retired> unneeded = unneeded();
        deleteChunks(disk, store, unneeded);
        forget(unneeded);
    }

    /// The size of retired chunks that readers still need.
    long waitingBytes() throws IOException {
        long bytes = 0;
        for (StoreMeta.Retired one : retired) {
            try (Disk.Readable file = disk.open(StoreFormat.chunk(store, one.chunk()))) {
                bytes += file.size();
            }
        }
        return bytes;
    }

    private void switchTo(JournalWriter next, StoreMeta newMeta) throws IOException {
        JournalWriter old = journal;
        journal = next;
        rotateBytes = options.rotateBytes();
        meta = newMeta;
        retired = newMeta.chunks().retired();
        if (old != null) {
            old.close();
        }
    }

    /// Steps P1 to P7: writes changed tables as new files and renames them while there is no `meta.json`. If no
    /// used slot has changed, it is a [#rotate].
    ///
    /// @param isAll whether all tables are written, because it is not known which have been renamed already
    /// @return the sequence of the last commit now
    long publish(long sequenceBefore, boolean isAll) throws IOException {
        if (!isAll && cells.overlayCount() == 0) {
            return rotate(sequenceBefore);
        }
        long sequence = sync(sequenceBefore);
        failStop.orStop(chunks::forceWritten);
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
            // From here on the new files are valid, and the memory must follow.
            failStop.orStop(() -> {
                switchTo(next, newMeta);
                cells.replaceTables(openTables());
            });
        } finally {
            Closing.all(
                    changed.stream().map(table -> (Closing.Step) table::close).toList());
        }
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
