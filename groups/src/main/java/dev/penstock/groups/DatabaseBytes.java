// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import dev.penstock.file.Storage;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;

/// Reads a `metadata.db` that a writer may be changing, or was changing when it was killed, and returns the bytes
/// of one committed state. It writes nothing and takes no lock.
///
/// A writer forces its rollback journal before it changes the database, and removes the journal last. So if there
/// was a journal during the read, restoring its pages gives the old database, whichever of the new pages were
/// read. Every commit changes the counter in the header of the database. So if there was no journal before and
/// after the read and the counter is the same, the bytes are one state.
///
/// Readers take no lock on the database: they put the pages of a rollback journal back in their copy, and read
/// again when a commit came in between ([DatabaseBytes], [RollbackJournal]). A killed writer blocks no reader,
/// also on a read-only medium, and no reader blocks a commit.
final class DatabaseBytes {
    /// The largest size of a journal: that of the pages of a database plus their numbers.
    private static final long JOURNAL_SIZE_MAX = GroupFormat.DATABASE_SIZE_MAX + (GroupFormat.DATABASE_SIZE_MAX >> 4);

    private static final int HEADER_SIZE = 100;
    private static final int PAGE_SIZE_OFFSET = 16;
    private static final int COUNTER_OFFSET = 24;
    private static final int PAGE_COUNT_OFFSET = 28;
    /// The counter at the last time that the number of pages was written. If it differs, that number is not valid.
    private static final int COUNTED_AT_OFFSET = 92;

    /// The stored page size that stands for 65,536 bytes.
    private static final int PAGE_SIZE_64K = 1;
    private static final int ATTEMPTS = 200;
    private static final int PAUSE_MS_MAX = 50;

    private final Storage storage;
    private final Location database;
    private final Location journal;

    private DatabaseBytes(Storage storage, Location database, Location journal) {
        this.storage = storage;
        this.database = database;
        this.journal = journal;
    }

    private static DatabaseBytes of(DatabaseFiles files) {
        return new DatabaseBytes(Storage.of(files.disk()), Location.of(files.database()), Location.of(files.journal()));
    }

    private static DatabaseBytes of(Storage storage, Location folder) {
        return new DatabaseBytes(
                storage,
                folder.resolve(GroupFormat.DATABASE),
                folder.resolve(GroupFormat.DATABASE + GroupFormat.JOURNAL_END));
    }

    /// Reads the bytes of the database in a folder.
    ///
    /// @throws DatasetException when the file is not a database, or another program does not stop writing it
    static byte[] read(Disk disk, Path folder) throws IOException {
        return read(DatabaseFiles.of(disk, folder));
    }

    static byte[] read(DatabaseFiles files) throws IOException {
        requireNoLog(files);
        return of(files).read();
    }

    /// [#read(Disk, Path)] in any storage.
    static byte[] read(ReaderOptions options, Location folder) throws IOException {
        if (options.isOnDisk(folder)) {
            return read(options.disk(), folder.path());
        }
        Storage storage = options.storageOf(folder);
        requireNoLog(storage, folder.resolve(GroupFormat.DATABASE + GroupFormat.LOG_END));
        return of(storage, folder).read();
    }

    /// Whether a writer is changing the database, or was killed while doing so.
    static boolean hasJournal(DatabaseFiles files) throws IOException {
        return of(files).journal() != null;
    }

    /// [#hasJournal(DatabaseFiles)] in any storage.
    static boolean hasJournal(ReaderOptions options, Location folder) throws IOException {
        return options.isOnDisk(folder)
                ? hasJournal(DatabaseFiles.of(options.disk(), folder.path()))
                : of(options.storageOf(folder), folder).journal() != null;
    }

    /// Rejects a database in WAL mode. Its committed pages are in a log, which is not read here.
    static void requireNoLog(DatabaseFiles files) throws IOException {
        requireNoLog(Storage.of(files.disk()), Location.of(files.log()));
    }

    private static void requireNoLog(Storage storage, Location log) throws IOException {
        try (Disk.Readable open = storage.exists(log) ? storage.open(log) : null) {
            if (open != null && open.size() > 0) {
                throw new DatasetException.Corrupt(
                        log,
                        0,
                        GroupReason.UNCOMMITTED,
                        "another program is writing " + GroupFormat.DATABASE
                                + ", or was stopped while writing; close that"
                                + " program, and if the file stays, open the database once with sqlite3 to merge it");
            }
        }
    }

    private byte[] read() throws IOException {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            byte[] found = tryRead();
            if (found != null) {
                requireWhole(found);
                return found;
            }
            try {
                Thread.sleep(Math.min(attempt, PAUSE_MS_MAX));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while waiting for the writer of " + database);
            }
        }
        throw new DatasetException.Corrupt(
                database, 0, GroupReason.UNCOMMITTED, "another program keeps writing the database; try again later");
    }

    /// Returns null when a commit happened during the read.
    private byte[] tryRead() throws IOException {
        int counterBefore = counter(bytes(database, HEADER_SIZE));
        RollbackJournal before = journal();
        byte[] found = bytes(database, GroupFormat.DATABASE_SIZE_MAX);
        RollbackJournal after = journal();
        if (after == null) {
            boolean isSame = before == null && counterBefore == counter(bytes(database, HEADER_SIZE));
            return isSame && counterBefore == counter(found) ? found : null;
        }
        if (!after.isPossible(found)) {
            throw new DatasetException.Corrupt(
                    journal,
                    0,
                    Reason.SIZE_OVERFLOW,
                    "the journal announces a larger database than it and the database have pages for; open the"
                            + " database once with sqlite3");
        }
        byte[] undone = after.undo(found);
        boolean isSameTransaction = before == null ? counter(undone) == counterBefore : before.nonce() == after.nonce();
        return isSameTransaction ? undone : null;
    }

    /// Rejects a database whose end is missing. SQLite reads missing pages as empty ones.
    private void requireWhole(byte[] bytes) {
        ByteBuffer header = ByteBuffer.wrap(bytes);
        int stored = header.getShort(PAGE_SIZE_OFFSET) & 0xFFFF;
        long pageSize = stored == PAGE_SIZE_64K ? 1 << 16 : stored;
        long expected = pageSize * (header.getInt(PAGE_COUNT_OFFSET) & 0xFFFF_FFFFL);
        boolean isCounted = header.getInt(COUNTER_OFFSET) == header.getInt(COUNTED_AT_OFFSET);
        if (isCounted && bytes.length < expected) {
            throw new DatasetException.Corrupt(
                    database,
                    bytes.length,
                    Reason.TRUNCATED,
                    "the database is truncated: its header announces " + expected + " bytes, but the file has "
                            + bytes.length + "; copy it again");
        }
    }

    private int counter(byte[] bytes) {
        byte[] magic = GroupFormat.DATABASE_MAGIC.getBytes(StandardCharsets.US_ASCII);
        if (bytes.length < HEADER_SIZE || !Arrays.equals(magic, Arrays.copyOf(bytes, magic.length))) {
            throw new DatasetException.WrongFormat(database, "this is not an SQLite database");
        }
        return ByteBuffer.wrap(bytes).getInt(COUNTER_OFFSET);
    }

    private RollbackJournal journal() throws IOException {
        byte[] bytes;
        try {
            bytes = storage.exists(journal) ? bytes(journal, JOURNAL_SIZE_MAX) : new byte[0];
        } catch (NoSuchFileException e) {
            return null;
        }
        RollbackJournal found = RollbackJournal.of(bytes);
        if (found != null && found.isShared()) {
            throw new DatasetException.Corrupt(
                    journal,
                    0,
                    GroupReason.UNCOMMITTED,
                    "another program was changing several databases in one transaction; open the database once with"
                            + " sqlite3");
        }
        return found;
    }

    /// Reads a file, or only its first bytes if `sizeMax` is the size of the header.
    private byte[] bytes(Location file, long sizeMax) throws IOException {
        try (Disk.Readable source = storage.open(file)) {
            long size = source.size();
            if (size > sizeMax && sizeMax > HEADER_SIZE) {
                throw new DatasetException.Corrupt(
                        file, 0, Reason.SIZE_OVERFLOW, "the file has " + size + " bytes, but the limit is " + sizeMax);
            }
            byte[] bytes = new byte[(int) Math.min(size, sizeMax)];
            int read = (int) source.read(0, MemorySegment.ofArray(bytes));
            // If a journal grew during the read, its header may count records that were not read.
            boolean hasGrown = sizeMax > HEADER_SIZE && source.size() > read;
            return hasGrown ? bytes(file, sizeMax) : read == bytes.length ? bytes : Arrays.copyOf(bytes, read);
        }
    }
}
