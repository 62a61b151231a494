// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.memory.ChecksummedJson;
import dev.penstock.memory.Disk;
import dev.penstock.memory.Journal;
import dev.penstock.memory.JournalHeader;
import dev.penstock.memory.JournalWriter;
import dev.penstock.memory.NewFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/// The files of a store that is written: commits, rotates and publishes, in the order of [StoreFormat].
///
/// **Threads.** One at a time.
final class StoreFiles implements AutoCloseable {
    /// Changes in one frame; a larger commit takes several.
    private static final int FRAME_CHANGES_MAX = 1 << 15;

    private static final long JOURNAL_ROOM_MAX = 1L << 20;

    /// Bytes of a new table.
    private static final int TABLE_SIZE_MIN = 4096;

    /// Cells in the overlay from which on tables are published rather than carried on.
    private static final long OVERLAY_COUNT_MAX = 65_536;

    private static final int TABLE_PIECE_SLOTS = 1 << 16;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Path store;
    private final StoreOptions options;
    private final Disk disk;
    private final StoreState state;
    private final StoreCells cells;
    private final ChunkWriter chunks;
    private StoreMeta meta;
    private JournalWriter journal;
    private long sequence;
    private boolean hasBegun;
    private IOException stopped;

    StoreFiles(Path store, StoreOptions options, StoreState state) {
        this.store = store;
        this.options = options;
        this.disk = options.disk();
        this.state = state;
        this.cells = state.cells();
        this.meta = state.meta();
        this.sequence = state.sequence();
        this.chunks = new ChunkWriter(disk, store, meta.chunkCount(), meta.chunkRows(), options.chunkBytes());
    }

    /// Whether a file in a folder without `meta.json` can be one that a creation left.
    static boolean isOfUnfinishedStore(Path file) {
        String name = file.getFileName().toString();
        Set<String> ours = Set.of(StoreFormat.LOCK, StoreFormat.CHUNK_FOLDER, StoreFormat.JOURNAL_FOLDER);
        return ours.contains(name) || name.endsWith(".offset") || NewFile.isTemporary(file);
    }

    /// Writes the files of a store without records; `meta.json` comes last.
    static void create(Path store, List<StoreField> fields, StoreOptions options, UUID uuid) throws IOException {
        Disk disk = options.disk();
        disk.createDirectory(store.resolve(StoreFormat.CHUNK_FOLDER));
        disk.createDirectory(store.resolve(StoreFormat.JOURNAL_FOLDER));
        for (StoreField field : fields) {
            Path table = StoreFormat.table(store, field.name());
            disk.delete(table);
            try (Disk.Writable file = disk.create(table)) {
                file.write(MemorySegment.ofArray(new byte[TABLE_SIZE_MIN]), 0);
                file.force();
            }
        }
        JournalHeader header = new JournalHeader(uuid, 1, RANDOM.nextLong(), 0);
        Path path = StoreFormat.journal(store, header.number());
        disk.delete(path);
        JournalWriter journal = JournalWriter.create(disk, path, StoreFormat.JOURNAL, header, room(options));
        try {
            journal.forceAll();
        } catch (Throwable e) {
            Closing.after(e, journal::close);
            throw e;
        }
        journal.close();
        disk.forceDirectory(store.resolve(StoreFormat.CHUNK_FOLDER));
        disk.forceDirectory(store.resolve(StoreFormat.JOURNAL_FOLDER));
        disk.forceDirectory(store);
        Path parent = store.toAbsolutePath().getParent();
        disk.forceDirectory(parent == null ? store : parent);
        StoreMeta meta = new StoreMeta(
                fields,
                0,
                0,
                options.chunkRows(),
                null,
                uuid,
                1,
                header.number(),
                header.salt(),
                0,
                0,
                0,
                0,
                0,
                options.isSwapping());
        ChecksummedJson.publish(disk, store.resolve(StoreFormat.META), meta.write());
    }

    private static long room(StoreOptions options) {
        return Math.min(JOURNAL_ROOM_MAX, options.rotateBytes());
    }

    ChunkWriter chunks() {
        return chunks;
    }

    long sequence() {
        return sequence;
    }

    /// Whether an earlier failure keeps anything from being acknowledged.
    boolean isStopped() {
        return stopped != null;
    }

    /// Whether a plain reader sees the last commit.
    boolean isPublished() {
        return !hasBegun ? state.isClean() && meta.published() == sequence : meta.published() == sequence;
    }

    /// What [#checkpoint] would write to publish changed tables.
    long publishBytes() {
        long bytes = 0;
        for (int field = 0; field < cells.fieldCount(); field++) {
            bytes += cells.isChanged(field) ? cells.length() * StoreFormat.ENTRY_SIZE : 0;
        }
        return bytes;
    }

    /// Something after which a failure leaves open what is durable.
    @FunctionalInterface
    private interface Step {
        void run() throws IOException;
    }

    /// Does something whose failure ends all writing: a failed force or rename may be called a success the next
    /// time.
    private void orStop(Step step) throws IOException {
        try {
            step.run();
        } catch (IOException e) {
            stopped = e;
            throw e;
        }
    }

    private void requireSound() throws IOException {
        if (stopped != null) {
            throw new IOException(
                    store + ": an earlier write failed, nothing more is acknowledged; open the store again", stopped);
        }
    }

    /// Before the first change: every process begins a journal of its own, and values that may be in the cache
    /// of the operating system alone are written again.
    void begin() throws IOException {
        requireSound();
        if (hasBegun) {
            return;
        }
        nextChunkBehindAll();
        if (state.isClean() && meta.open() != null) {
            chunks.adopt(meta.open());
        }
        rewriteUnsynced();
        if (state.isSwitched()) {
            publish(true);
        } else {
            rotate();
        }
        hasBegun = true;
        for (Path file : disk.list(store.resolve(StoreFormat.JOURNAL_FOLDER))) {
            if (!file.getFileName().equals(journal.path().getFileName())) {
                disk.delete(file);
            }
        }
    }

    /// Ids are never used twice, not even those of chunks that a crash left and no slot refers to.
    private void nextChunkBehindAll() throws IOException {
        long next = meta.chunkCount();
        for (Path file : disk.list(store.resolve(StoreFormat.CHUNK_FOLDER))) {
            String name = file.getFileName().toString();
            if (name.matches("\\d{1,10}\\.zr")) {
                next = Math.max(next, Long.parseLong(name.substring(0, name.length() - 3)) + 1);
            }
        }
        chunks.skipTo(next);
    }

    private void rewriteUnsynced() throws IOException {
        boolean isAny = false;
        for (StoreChange change : state.unsynced()) {
            boolean isCurrent = change.slot() < cells.length()
                    && cells.get(change.field(), change.slot()).equals(change.entry());
            if (isCurrent) {
                StoreValues.Stored stored = state.values().stored(change.entry());
                chunks.beginRow();
                ChunkWriter.Placed placed = chunks.place(stored.bytes(), stored.rawSize());
                cells.put(change.field(), change.slot(), placed.entry());
                isAny = true;
            }
        }
        if (isAny) {
            orStop(chunks::force);
        }
    }

    /// Writes a batch as one commit.
    void commit(StoreBatch batch, boolean isDurable) throws IOException {
        requireSound();
        List<StoreChange> changes = batch.changes();
        long frameCount = Math.max(1, Math.ceilDiv(changes.size(), FRAME_CHANGES_MAX));
        // Room for a SYNC as well, which must not fail.
        journal.reserve((frameCount + 1) * Journal.FRAME_HEAD_SIZE + (long) changes.size() * StoreFormat.CHANGE_SIZE);
        if (isDurable) {
            orStop(chunks::force);
        }
        orStop(() -> writeFrames(Journal.COMMIT, isDurable ? Journal.SYNCED : 0, batch.length(), changes));
        if (isDurable) {
            orStop(journal::force);
        }
        sequence = journal.sequence();
    }

    private void writeFrames(int kind, int flags, long length, List<StoreChange> changes) throws IOException {
        writeFrames(journal, kind, flags, length, changes);
    }

    private void writeFrames(JournalWriter target, int kind, int flags, long length, List<StoreChange> changes)
            throws IOException {
        int done = 0;
        do {
            int count = Math.min(FRAME_CHANGES_MAX, changes.size() - done);
            MemorySegment items = target.items(count);
            for (int i = 0; i < count; i++) {
                changes.get(done + i).write(items, (long) i * StoreFormat.CHANGE_SIZE);
            }
            done += count;
            boolean hasMore = kind == Journal.COMMIT && done < changes.size();
            target.append(kind, flags | (hasMore ? Journal.MORE : 0), cells.fieldCount(), length, count);
        } while (done < changes.size());
    }

    /// Makes all commits durable.
    void sync() throws IOException {
        requireSound();
        if (journal == null || journal.durable() == journal.sequence()) {
            return;
        }
        journal.reserve(Journal.FRAME_HEAD_SIZE);
        orStop(chunks::force);
        orStop(() -> writeFrames(Journal.SYNC, Journal.SYNCED, cells.length(), List.of()));
        orStop(journal::force);
        sequence = journal.sequence();
    }

    /// Begins a new journal when this one is large.
    void rotateIfLarge() throws IOException {
        if (journal.position() >= options.rotateBytes()) {
            boolean isOverlayLarge = cells.overlayCount() > Math.max(OVERLAY_COUNT_MAX, cells.length() / 16);
            if (isOverlayLarge) {
                publish(false);
            } else {
                rotate();
            }
        }
    }

    /// Publishes the last commit for plain readers.
    void checkpoint() throws IOException {
        begin();
        if (isPublished()) {
            return;
        }
        if (cells.overlayCount() == 0) {
            rotate();
        } else {
            publish(false);
        }
    }

    private void rotate() throws IOException {
        sync();
        orStop(chunks::force);
        for (int field = 0; field < cells.fieldCount(); field++) {
            appendSlots(field);
        }
        List<StoreChange> overlay = cells.overlay();
        JournalWriter next = newJournal(overlay);
        boolean isExact = overlay.isEmpty();
        StoreMeta newMeta = nextMeta(
                next,
                isExact ? cells.length() : meta.publishedLength(),
                isExact ? sequence : meta.published(),
                Math.max(cells.slots(), cells.length()),
                !isExact);
        orDelete(next, () -> {
            try (NewFile file = NewFile.create(disk, store.resolve(StoreFormat.META), true)) {
                file.write(MemorySegment.ofArray(newMeta.write()), 0);
                orStop(file::publish);
            }
        });
        cells.pendingWritten();
        switchTo(next, newMeta);
    }

    /// Writes slots that are not in the tables yet. They are not covered by a `meta.json`, so nobody reads them.
    private void appendSlots(int field) throws IOException {
        if (cells.length() <= cells.slots()) {
            return;
        }
        try (Disk.Writable table = disk.openForWriting(table(field))) {
            writeSlots(field, cells.slots(), table::write);
            orStop(table::force);
        }
    }

    private Path table(int field) {
        return StoreFormat.table(store, meta.fields().get(field).name());
    }

    /// Takes bytes at an offset.
    @FunctionalInterface
    private interface Sink {
        void write(MemorySegment bytes, long offset) throws IOException;
    }

    private void writeSlots(int field, long from, Sink sink) throws IOException {
        for (long start = from; start < cells.length(); start += TABLE_PIECE_SLOTS) {
            int count = (int) Math.min(TABLE_PIECE_SLOTS, cells.length() - start);
            MemorySegment piece = MemorySegment.ofArray(new byte[(int) (count * StoreFormat.ENTRY_SIZE)]);
            for (int i = 0; i < count; i++) {
                cells.get(field, start + i).write(piece, i * StoreFormat.ENTRY_SIZE);
            }
            sink.write(piece, start * StoreFormat.ENTRY_SIZE);
        }
    }

    private JournalWriter newJournal(List<StoreChange> overlay) throws IOException {
        long number = meta.journal();
        for (Path file : disk.list(store.resolve(StoreFormat.JOURNAL_FOLDER))) {
            String name = file.getFileName().toString();
            if (name.matches("\\d{1,18}\\.zj")) {
                number = Math.max(number, Long.parseLong(name.substring(0, name.length() - 3)));
            }
        }
        JournalHeader header = new JournalHeader(meta.uuid(), number + 1, RANDOM.nextLong(), sequence);
        long frameCount = Math.ceilDiv(overlay.size(), FRAME_CHANGES_MAX);
        long room =
                room(options) + frameCount * Journal.FRAME_HEAD_SIZE + (long) overlay.size() * StoreFormat.CHANGE_SIZE;
        JournalWriter next = JournalWriter.create(
                disk, StoreFormat.journal(store, header.number()), StoreFormat.JOURNAL, header, room);
        orDelete(next, () -> {
            if (!overlay.isEmpty()) {
                writeFrames(next, Journal.OVERLAY, Journal.SYNCED, cells.length(), overlay);
            }
            orStop(next::forceAll);
            orStop(() -> disk.forceDirectory(store.resolve(StoreFormat.JOURNAL_FOLDER)));
        });
        return next;
    }

    /// Removes a journal that came to nothing, so that the old one goes on. After a failed force or rename it
    /// may be the one that counts, and stays.
    private void orDelete(JournalWriter next, Step step) throws IOException {
        try {
            step.run();
        } catch (Throwable e) {
            Closing.after(e, next::close);
            if (stopped == null) {
                Closing.after(e, () -> disk.delete(next.path()));
            }
            throw e;
        }
    }

    private StoreMeta nextMeta(
            JournalWriter next, long publishedLength, long published, long slots, boolean hasOverlay) {
        return new StoreMeta(
                meta.fields(),
                publishedLength,
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
                published,
                hasOverlay ? Math.ceilDiv(cells.overlayCount(), FRAME_CHANGES_MAX) : 0,
                meta.isSwapping());
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

    /// Writes changed tables as new files and gives them their names while there is no `meta.json`.
    ///
    /// @param isAll whether all tables are written, because it is not known which have their names already
    private void publish(boolean isAll) throws IOException {
        sync();
        orStop(chunks::force);
        Map<Integer, NewFile> tables = new HashMap<>();
        try {
            for (int field = 0; field < cells.fieldCount(); field++) {
                if (isAll || cells.isChanged(field)) {
                    NewFile table = NewFile.create(disk, table(field), true);
                    tables.put(field, table);
                    writeTable(field, table);
                    orStop(table::force);
                } else {
                    appendSlots(field);
                }
            }
            JournalWriter next = newJournal(List.of());
            StoreMeta newMeta = nextMeta(next, cells.length(), sequence, cells.length(), false);
            orDelete(next, () -> exchange(tables, newMeta));
            // From here on the new files count, and what is in memory has to follow.
            orStop(() -> {
                switchTo(next, newMeta);
                replaceTables(tables.keySet());
            });
        } finally {
            Closing.all(tables.values().stream()
                    .map(table -> (Closing.Step) table::close)
                    .toList());
        }
        disk.delete(store.resolve(StoreFormat.META_SWITCH));
    }

    /// A new table is not shorter than the old one, whose slots behind the last record stay as they are.
    private void writeTable(int field, NewFile table) throws IOException {
        writeSlots(field, 0, table::write);
        long end = cells.length() * StoreFormat.ENTRY_SIZE;
        try (Disk.Readable old = disk.open(table(field))) {
            byte[] piece = new byte[TABLE_PIECE_SLOTS];
            for (long at = end; at < old.size(); at += piece.length) {
                int size = (int) Math.min(piece.length, old.size() - at);
                MemorySegment bytes = MemorySegment.ofArray(piece).asSlice(0, size);
                old.read(at, bytes);
                table.write(bytes, at);
            }
        }
    }

    private void exchange(Map<Integer, NewFile> tables, StoreMeta newMeta) throws IOException {
        Path metaPath = store.resolve(StoreFormat.META);
        try (NewFile file = NewFile.create(disk, metaPath, true)) {
            file.write(MemorySegment.ofArray(newMeta.write()), 0);
            orStop(file::force);
            orStop(() -> {
                if (disk.exists(metaPath)) {
                    disk.move(metaPath, store.resolve(StoreFormat.META_SWITCH));
                }
                disk.forceDirectory(store);
                for (NewFile table : tables.values()) {
                    table.publishUnforced();
                }
                disk.forceDirectory(store);
                file.publishUnforced();
                disk.forceDirectory(store);
            });
        }
    }

    private void replaceTables(Set<Integer> fields) throws IOException {
        Map<Integer, Disk.Readable> replaced = new HashMap<>();
        try {
            for (int field : fields) {
                replaced.put(field, disk.open(table(field)));
            }
        } catch (Throwable e) {
            Closing.after(e, () -> Closing.all(StoreCells.closers(replaced.values())));
            throw e;
        }
        cells.replaceTables(replaced);
    }

    @Override
    public void close() throws IOException {
        Closing.all(List.of(chunks::close, () -> {
            if (journal != null) {
                journal.close();
            }
        }));
    }
}
