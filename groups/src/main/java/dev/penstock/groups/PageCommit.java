// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups;

import dev.penstock.memory.ChecksummedJson;
import dev.penstock.memory.Disk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;

/// Writes the changed pages of a database in place, in the same order as SQLite: the journal with the old pages is
/// durable before the first page changes, and is removed when all pages are durable.
///
/// It is for file systems that exist only in this process, so that SQLite cannot write to them.
final class PageCommit {
    /// The offsets of the commit counter in a database, and of the counter for which the header is valid.
    private static final int[] COUNTER_OFFSETS = {24, 92};

    private final Disk disk;
    private final Path folder;
    private final byte[] before;

    private PageCommit(Disk disk, Path folder, byte[] before) {
        this.disk = disk;
        this.folder = folder;
        this.before = before;
    }

    /// Starts with the present database, after rolling back the journal of a killed writer.
    static PageCommit begin(Disk disk, Path folder) throws IOException {
        byte[] before = DatabaseBytes.read(disk, folder);
        if (DatabaseBytes.hasJournal(disk, folder)) {
            // Rolling the journal back again, after a crash here, has no effect.
            ChecksummedJson.publish(disk, folder.resolve(GroupFormat.DATABASE), before);
            removeJournal(disk, folder);
        }
        return new PageCommit(disk, folder, before);
    }

    private static void removeJournal(Disk disk, Path folder) throws IOException {
        disk.delete(folder.resolve(GroupFormat.JOURNAL));
        disk.forceDirectory(folder);
    }

    void commit(byte[] after) throws IOException {
        for (int offset : COUNTER_OFFSETS) {
            ByteBuffer.wrap(after).putInt(offset, ByteBuffer.wrap(before).getInt(24) + 1);
        }
        int pageSize = RollbackJournal.pageSize(before);
        BitSet changed = new BitSet();
        for (int page = 0; page * pageSize < after.length; page++) {
            int from = page * pageSize;
            int limit = from + pageSize;
            changed.set(page, limit > before.length || Arrays.mismatch(before, from, limit, after, from, limit) >= 0);
        }
        writeJournal(changed, pageSize);
        try (Disk.Writable file = disk.openForWriting(folder.resolve(GroupFormat.DATABASE))) {
            for (int page = changed.nextSetBit(0); page >= 0; page = changed.nextSetBit(page + 1)) {
                long offset = (long) page * pageSize;
                file.write(MemorySegment.ofArray(after).asSlice(offset, pageSize), offset);
            }
            file.force();
        }
        removeJournal(disk, folder);
    }

    private void writeJournal(BitSet changed, int pageSize) throws IOException {
        int nonce = Arrays.hashCode(before);
        int pageCount = before.length / pageSize;
        Path journal = folder.resolve(GroupFormat.JOURNAL);
        // An existing journal is empty or wiped.
        disk.delete(journal);
        try (Disk.Writable file = disk.create(journal)) {
            int count = 0;
            long offset = RollbackJournal.header(0, nonce, pageCount, pageSize).length;
            for (int page = changed.nextSetBit(0); page >= 0 && page < pageCount; page = changed.nextSetBit(page + 1)) {
                byte[] old = Arrays.copyOfRange(before, page * pageSize, (page + 1) * pageSize);
                byte[] record = RollbackJournal.record(nonce, page + 1, old);
                file.write(MemorySegment.ofArray(record), offset);
                offset += record.length;
                count++;
            }
            file.force();
            file.write(MemorySegment.ofArray(RollbackJournal.header(count, nonce, pageCount, pageSize)), 0);
            file.force();
        }
        disk.forceDirectory(folder);
    }
}
