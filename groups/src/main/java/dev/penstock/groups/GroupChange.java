// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups;

import dev.penstock.DatasetException;
import dev.penstock.file.ChecksummedJson;
import dev.penstock.file.Disk;
import dev.penstock.table.TableFormat;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// A change of the `metadata.db` in a folder, in place and in one transaction. It reads the database into memory
/// and writes the changed pages only.
///
/// A reader sees the old groups until shortly before [#commit] returns, and the new ones afterwards. A crash
/// leaves the old or the new groups. Other programs may read at the same time with SQLite, and cannot write: the
/// change holds SQLite's own locks, and waits up to a minute for programs that are writing or, to commit, reading.
///
/// **Threads.** One thread at a time. **Lifecycle.** Closing without a commit changes nothing.
///
/// An append writes the changed pages of `metadata.db` in place, with a rollback journal and SQLite's locks
/// ([GroupChange], [PageCommit], [DatabaseLock]); other changes replace the whole file. Every write goes
/// through `Disk`, so tests can lose and fail it, and SQLite in other processes is kept out and can roll back a
/// killed append.
public final class GroupChange implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final GroupDatabase database;
    private final PageCommit pages;
    private final DatabaseLock lock;

    private GroupChange(GroupDatabase database, PageCommit pages, DatabaseLock lock) {
        this.database = database;
        this.pages = pages;
        this.lock = lock;
    }

    /// Starts a change. An unfinished change of a killed writer is rolled back first.
    ///
    /// @throws DatasetException when the database is damaged, or has a trigger or similar that could change the
    ///                          data
    /// @throws IOException      when it cannot be written, or another program has it open for writing
    public static GroupChange begin(Disk disk, Path folder) throws IOException {
        return begin(disk, folder, PATIENCE);
    }

    /// @param patience the time to wait for other programs
    static GroupChange begin(Disk disk, Path folder, Duration patience) throws IOException {
        DatabaseFiles files = DatabaseFiles.owned(disk, folder);
        DatabaseBytes.requireNoLog(files);
        DatabaseLock lock = settled(files, patience);
        try {
            GroupChange change = new GroupChange(GroupDatabase.read(disk, folder), new PageCommit(files), lock);
            try {
                change.database.execute(List.of("BEGIN"));
                change.layout();
                return change;
            } catch (Throwable e) {
                change.database.close();
                throw e;
            }
        } catch (Throwable e) {
            closeAfter(lock, e);
            throw e;
        }
    }

    /// Becomes the only writer of a database and rolls back the journal of a killed writer.
    private static DatabaseLock settled(DatabaseFiles files, Duration patience) throws IOException {
        DatabaseLock lock = DatabaseLock.reserve(files.disk(), files.database(), patience);
        try {
            if (DatabaseBytes.hasJournal(files)) {
                lock.excludeReaders();
                new PageCommit(files).rollBack();
                lock.admitReaders();
            }
            return lock;
        } catch (Throwable e) {
            closeAfter(lock, e);
            throw e;
        }
    }

    private static void closeAfter(DatabaseLock lock, Throwable error) {
        try {
            lock.close();
        } catch (IOException e) {
            error.addSuppressed(e);
        }
    }

    /// Replaces the database in a folder by a new file, while no other program reads or writes it. The journal of
    /// a killed writer is rolled back first, because SQLite would write it over the new database.
    ///
    /// @throws DatasetException.Corrupt when there is a journal but no database
    static void replace(Disk disk, Path folder, byte[] bytes) throws IOException {
        DatabaseFiles files = DatabaseFiles.owned(disk, folder);
        if (!files.hasDatabase()) {
            requireNoJournal(files);
            ChecksummedJson.publish(disk, files.database(), bytes, folder.resolve(TableFormat.MANIFEST));
            return;
        }
        try (DatabaseLock lock = settled(files, PATIENCE)) {
            lock.excludeReaders();
            DatabaseBytes.requireNoLog(files);
            files.deleteLog();
            ChecksummedJson.publish(disk, files.database(), bytes);
        }
    }

    private static void requireNoJournal(DatabaseFiles files) throws IOException {
        if (DatabaseBytes.hasJournal(files)) {
            throw new DatasetException.Corrupt(
                    files.journal(),
                    0,
                    GroupReason.UNCOMMITTED,
                    "the database of this journal is missing, and SQLite would write the journal over a new one;"
                            + " remove the journal");
        }
    }

    /// The table with the groups.
    public GroupFormat.Layout layout() {
        return database.layout();
    }

    /// The rows of a query whose columns are integers; see [GroupDatabase#wholes].
    public List<long[]> wholes(String sql, int columnCount) {
        return database.wholes(sql, columnCount);
    }

    /// Inserts the rows of a query on another database.
    ///
    /// @param insert an `INSERT` with a `?` for each column of the query
    public void insert(GroupDatabase from, String query, String insert) {
        database.insertFrom(from, query, insert);
    }

    /// Makes the change durable. After this returns, the new groups survive a crash. After an error the database
    /// has the old or the new groups, and this object accepts no further commit.
    public void commit() throws IOException {
        database.execute(List.of("COMMIT"));
        pages.commit(database.bytes(), lock);
        lock.close();
    }

    @Override
    public void close() throws IOException {
        database.close();
        lock.close();
    }
}
