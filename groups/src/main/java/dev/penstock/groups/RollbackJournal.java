// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;

/// The rollback journal that SQLite keeps beside a database while a transaction is committed:
/// `metadata.db-journal`.
///
/// It holds the previous content of the pages that the transaction changes. SQLite forces it before it changes the
/// first page of the database, and removes it when all changed pages are durable; removing it is the commit. So a
/// database with a journal becomes the old one when the pages of the journal are restored.
///
/// ## Layout
///
/// All numbers are big-endian. A journal has one segment, or several when a transaction outgrew SQLite's cache. A
/// segment is a header that fills a sector, and records. The next segment starts at the next multiple of the
/// sector size.
///
/// | offset | size | header                                                                               |
/// |-------:|-----:|--------------------------------------------------------------------------------------|
/// |      0 |    8 | magic `d9 d5 05 f9 20 a1 63 d7`                                                      |
/// |      8 |    4 | number of records; 0 until they are forced; all bits set: as many as there are bytes |
/// |     12 |    4 | random number that the checksums start with                                          |
/// |     16 |    4 | pages of the database before the transaction                                         |
/// |     20 |    4 | bytes of a sector                                                                    |
/// |     24 |    4 | bytes of a page                                                                      |
///
/// A record is the number of a page, counted from 1, the page, and a checksum: the random number of the header
/// plus every 200th byte of the page, counted from its end. A record with a wrong checksum ends the journal.
final class RollbackJournal {
    private static final long MAGIC = 0xd9d5_05f9_20a1_63d7L;
    private static final int HEADER_SIZE = 28;
    private static final int COUNT_OFFSET = 8;
    private static final int CHECKSUM_STEP = 200;
    private static final int SECTOR_SIZE_MIN = 32;
    private static final int PAGE_SIZE_MIN = 512;
    private static final int SIZE_MAX = 1 << 16;
    /// The offset of the page size in a database; 1 stands for 65,536.
    private static final int PAGE_SIZE_OFFSET = 16;

    private final ByteBuffer bytes;

    private RollbackJournal(byte[] bytes) {
        this.bytes = ByteBuffer.wrap(bytes);
    }

    /// Creates a journal from the bytes of its file.
    ///
    /// @return null when nothing has to be restored: the file is empty, or its header is wiped or incomplete
    static RollbackJournal of(byte[] bytes) {
        return bytes.length >= HEADER_SIZE && ByteBuffer.wrap(bytes).getLong(0) == MAGIC
                ? new RollbackJournal(bytes)
                : null;
    }

    /// The random number of the transaction, which distinguishes the journals of two transactions.
    int nonce() {
        return bytes.getInt(12);
    }

    /// Whether the transaction spans several databases. Such a journal ends with the name of a file that all of
    /// them share, and only that file tells whether the transaction was committed.
    boolean isShared() {
        return bytes.capacity() >= HEADER_SIZE + Long.BYTES && bytes.getLong(bytes.capacity() - Long.BYTES) == MAGIC;
    }

    /// Whether the size of the database before the transaction is possible: every page that the transaction
    /// removed is in the journal. Otherwise a few bytes could ask for memory for a database of any size.
    boolean isPossible(byte[] database) {
        long pageCount = bytes.getInt(16) & 0xFFFF_FFFFL;
        long pageSize = Math.max(pageSize(database), PAGE_SIZE_MIN);
        return pageCount * pageSize <= (long) database.length + bytes.capacity();
    }

    /// Returns a database as it was before the transaction.
    byte[] undo(byte[] database) {
        int sectorSize = bytes.getInt(20);
        int pageSize = bytes.getInt(24);
        if (!isSize(sectorSize, SECTOR_SIZE_MIN)
                || !isSize(pageSize, PAGE_SIZE_MIN)
                || pageSize != pageSize(database)
                || bytes.capacity() < sectorSize) {
            return database;
        }
        long pageCount = bytes.getInt(16) & 0xFFFF_FFFFL;
        if (pageCount * pageSize > GroupFormat.DATABASE_SIZE_MAX) {
            return database;
        }
        byte[] before = Arrays.copyOf(database, (int) (pageCount * pageSize));
        BitSet done = new BitSet();
        long start = 0;
        while (start + sectorSize <= bytes.capacity() && bytes.getLong((int) start) == MAGIC) {
            long end = undoSegment((int) start, sectorSize, pageSize, before, done);
            start = Math.ceilDiv(end, sectorSize) * (long) sectorSize;
        }
        return before;
    }

    /// Restores the pages of a segment. If a page occurs more than once, the first record is used.
    ///
    /// @return the end of the segment; beyond the file when it ends with an invalid record
    private long undoSegment(int start, int sectorSize, int pageSize, byte[] before, BitSet done) {
        int recordSize = pageSize + 2 * Integer.BYTES;
        int nonce = bytes.getInt(start + 12);
        long count = bytes.getInt(start + COUNT_OFFSET) & 0xFFFF_FFFFL;
        if (count == 0xFFFF_FFFFL) {
            count = (bytes.capacity() - start - sectorSize) / recordSize;
        }
        long at = (long) start + sectorSize;
        for (long i = 0; i < count; i++, at += recordSize) {
            if (at + recordSize > bytes.capacity()) {
                return Integer.MAX_VALUE;
            }
            long page = bytes.getInt((int) at) & 0xFFFF_FFFFL;
            byte[] content = new byte[pageSize];
            bytes.get((int) at + Integer.BYTES, content);
            if (page == 0 || bytes.getInt((int) at + Integer.BYTES + pageSize) != checksum(nonce, content)) {
                return Integer.MAX_VALUE;
            }
            if (page * pageSize <= before.length && !done.get((int) page)) {
                done.set((int) page);
                System.arraycopy(content, 0, before, (int) (page - 1) * pageSize, pageSize);
            }
        }
        return at;
    }

    private static boolean isSize(int size, int min) {
        return size >= min && size <= SIZE_MAX && Integer.bitCount(size) == 1;
    }

    /// The page size of a database in bytes.
    static int pageSize(byte[] database) {
        int stored = ByteBuffer.wrap(database).getShort(PAGE_SIZE_OFFSET) & 0xFFFF;
        return stored == 1 ? SIZE_MAX : stored;
    }

    private static int checksum(int nonce, byte[] page) {
        int sum = nonce;
        for (int i = page.length - CHECKSUM_STEP; i > 0; i -= CHECKSUM_STEP) {
            sum += page[i] & 0xFF;
        }
        return sum;
    }

    /// Creates the header of a journal with a single segment.
    static byte[] header(int recordCount, int nonce, int pageCount, int pageSize) {
        return ByteBuffer.allocate(PAGE_SIZE_MIN)
                .putLong(MAGIC)
                .putInt(recordCount)
                .putInt(nonce)
                .putInt(pageCount)
                .putInt(PAGE_SIZE_MIN)
                .putInt(pageSize)
                .array();
    }

    /// Creates a record with a page.
    ///
    /// @param page the number of the page, counted from 1
    static byte[] record(int nonce, int page, byte[] content) {
        return ByteBuffer.allocate(content.length + 2 * Integer.BYTES)
                .putInt(page)
                .put(content)
                .putInt(checksum(nonce, content))
                .array();
    }
}
