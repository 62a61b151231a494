// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups;

import dev.penstock.file.Disk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.concurrent.ThreadLocalRandom;

/// Writes the changed pages of a database in place, as SQLite does: the journal with the old pages is durable
/// before the first page changes, and is removed when all pages are durable. SQLite rolls back such a journal if
/// this process is killed.
///
/// The caller holds a [DatabaseLock].
final class PageCommit {
    /// The offsets of the commit counter in a database, and of the counter for which the header is valid.
    private static final int[] COUNTER_OFFSETS = {24, 92};

    private static final int PAGE_COUNT_OFFSET = 28;

    private final DatabaseFiles files;
    private final Disk disk;

    PageCommit(DatabaseFiles files) {
        this.files = files;
        this.disk = files.disk();
    }

    /// Restores the database from the journal of a killed or failed writer and removes the journal. If this is
    /// interrupted, doing it again gives the same pages. Pages that the writer added stay behind the end that the
    /// header gives.
    ///
    /// Every page is written, also one that reads as it should be: after a failed force the system may show bytes
    /// that never reached the disk, and would not write them again.
    ///
    /// The caller has excluded readers.
    void rollBack() throws IOException {
        byte[] before = DatabaseBytes.read(files);
        try (Disk.Writable file = disk.openForWriting(files.database())) {
            file.write(MemorySegment.ofArray(before), 0);
            file.force();
        }
        removeJournal();
    }

    private void removeJournal() throws IOException {
        disk.delete(files.journal());
        disk.forceDirectory(files.folder());
    }

    /// Replaces the pages that differ.
    ///
    /// @param after the new database; its commit counter is set here
    /// @throws IOException when other programs do not stop reading
    void commit(byte[] after, DatabaseLock lock) throws IOException {
        int pageSize = RollbackJournal.pageSize(after);
        try (Disk.Writable file = disk.openForWriting(files.database())) {
            count(file, after);
            BitSet changed = changed(file, after, pageSize);
            prepare(file, changed, pageSize, lock);
            for (int page = changed.nextSetBit(0); page >= 0; page = changed.nextSetBit(page + 1)) {
                long offset = (long) page * pageSize;
                file.write(MemorySegment.ofArray(after).asSlice(offset, pageSize), offset);
            }
            file.force();
        }
        removeJournal();
    }

    /// Every commit increments the counter, from which other programs see that their copies of pages are old.
    private static void count(Disk.Writable file, byte[] after) throws IOException {
        for (int offset : COUNTER_OFFSETS) {
            ByteBuffer.wrap(after).putInt(offset, headerNumber(file, COUNTER_OFFSETS[0]) + 1);
        }
    }

    private static int headerNumber(Disk.Writable file, int offset) throws IOException {
        ByteBuffer number = ByteBuffer.allocate(Integer.BYTES);
        file.read(offset, MemorySegment.ofBuffer(number));
        return number.getInt(0);
    }

    /// The pages that differ or are new. A page behind the end that the header gives is new even if its bytes are
    /// there: a failed writer left them, and they may not be on the disk. Part of a page belongs to no page.
    private static BitSet changed(Disk.Writable file, byte[] after, int pageSize) throws IOException {
        BitSet changed = new BitSet();
        long oldPageCount = headerNumber(file, PAGE_COUNT_OFFSET) & 0xFFFF_FFFFL;
        byte[] piece = new byte[Math.max(pageSize, 1 << 18)];
        for (int from = 0; from < after.length; from += piece.length) {
            int read = (int) file.read(from, MemorySegment.ofArray(piece));
            for (int at = 0; at < piece.length && from + at + pageSize <= after.length; at += pageSize) {
                int page = (from + at) / pageSize;
                int start = page * pageSize;
                changed.set(
                        page,
                        page >= oldPageCount
                                || at + pageSize > read
                                || Arrays.mismatch(piece, at, at + pageSize, after, start, start + pageSize) >= 0);
            }
        }
        return changed;
    }

    private void prepare(Disk.Writable file, BitSet changed, int pageSize, DatabaseLock lock) throws IOException {
        try {
            writeJournal(file, changed, pageSize);
            lock.excludeReaders();
            DatabaseBytes.requireNoLog(files);
        } catch (Throwable e) {
            try {
                removeJournal();
            } catch (IOException suppressed) {
                // The journal has the pages as they are, so it does no harm.
                e.addSuppressed(suppressed);
            }
            throw e;
        }
        files.deleteLog();
    }

    private void writeJournal(Disk.Writable database, BitSet changed, int pageSize) throws IOException {
        int nonce = ThreadLocalRandom.current().nextInt();
        int pageCount = Math.toIntExact(database.size() / pageSize);
        // An existing journal is empty or wiped.
        disk.delete(files.journal());
        try (Disk.Writable file = disk.create(files.journal(), files.database())) {
            int count = 0;
            long offset = RollbackJournal.header(0, nonce, pageCount, pageSize).length;
            byte[] old = new byte[pageSize];
            for (int page = changed.nextSetBit(0); page >= 0 && page < pageCount; page = changed.nextSetBit(page + 1)) {
                database.read((long) page * pageSize, MemorySegment.ofArray(old));
                byte[] record = RollbackJournal.record(nonce, page + 1, old);
                file.write(MemorySegment.ofArray(record), offset);
                offset += record.length;
                count++;
            }
            file.force();
            file.write(MemorySegment.ofArray(RollbackJournal.header(count, nonce, pageCount, pageSize)), 0);
            file.force();
        }
        disk.forceDirectory(files.folder());
    }
}
