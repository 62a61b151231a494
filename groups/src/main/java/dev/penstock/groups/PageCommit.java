// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups;

import dev.penstock.memory.Disk;
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

    private final DatabaseFiles files;
    private final Disk disk;

    PageCommit(DatabaseFiles files) {
        this.files = files;
        this.disk = files.disk();
    }

    /// Restores the pages in the journal of a killed writer and removes it. If this is interrupted, doing it again
    /// gives the same pages. Pages that the killed writer added stay behind the end that the header gives.
    ///
    /// The caller has excluded readers.
    void rollBack() throws IOException {
        byte[] before = DatabaseBytes.read(files);
        int pageSize = RollbackJournal.pageSize(before);
        try (Disk.Writable file = disk.openForWriting(files.database())) {
            byte[] page = new byte[pageSize];
            for (int from = 0; from + pageSize <= before.length; from += pageSize) {
                long read = file.read(from, MemorySegment.ofArray(page));
                if (read < pageSize || !Arrays.equals(page, 0, pageSize, before, from, from + pageSize)) {
                    file.write(MemorySegment.ofArray(before).asSlice(from, pageSize), from);
                }
            }
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
            writeJournal(file, changed, pageSize);
            excludeReaders(lock);
            for (int page = changed.nextSetBit(0); page >= 0; page = changed.nextSetBit(page + 1)) {
                long offset = (long) page * pageSize;
                file.write(MemorySegment.ofArray(after).asSlice(offset, pageSize), offset);
            }
            file.force();
        }
        removeJournal();
    }

    /// Every commit increments the counter, from which other programs see that their copies of pages are old.
    private void count(Disk.Writable file, byte[] after) throws IOException {
        ByteBuffer counter = ByteBuffer.allocate(Integer.BYTES);
        file.read(COUNTER_OFFSETS[0], MemorySegment.ofBuffer(counter));
        for (int offset : COUNTER_OFFSETS) {
            ByteBuffer.wrap(after).putInt(offset, counter.getInt(0) + 1);
        }
    }

    private static BitSet changed(Disk.Writable file, byte[] after, int pageSize) throws IOException {
        BitSet changed = new BitSet();
        byte[] piece = new byte[Math.max(pageSize, 1 << 18)];
        for (int from = 0; from < after.length; from += piece.length) {
            int read = (int) file.read(from, MemorySegment.ofArray(piece));
            for (int at = 0; at < piece.length && from + at < after.length; at += pageSize) {
                int page = (from + at) / pageSize;
                int start = page * pageSize;
                changed.set(
                        page,
                        at + pageSize > read
                                || Arrays.mismatch(piece, at, at + pageSize, after, start, start + pageSize) >= 0);
            }
        }
        return changed;
    }

    private void excludeReaders(DatabaseLock lock) throws IOException {
        try {
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
