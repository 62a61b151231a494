// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.memory.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/// A change of the `metadata.db` in a folder, in place and in one SQLite transaction. The time for adding groups
/// depends on the number of new groups only.
///
/// A reader sees the old groups until shortly before [#commit] returns, and the new ones afterwards. A crash
/// leaves the old or the new groups. Other programs may read at the same time: SQLite's own locks apply, and a
/// commit waits up to a minute for programs that are reading.
///
/// On the real file system SQLite writes the file itself. On any other [Disk] the transaction is made in memory,
/// and [PageCommit] writes the changed pages in the same order as SQLite.
///
/// **Threads.** One thread at a time. **Lifecycle.** Closing without a commit changes nothing.
public final class GroupChange implements AutoCloseable {
    private static final int WAIT_MS = 60_000;

    /// Errors of the disk, or of other programs that have the database open.
    private static final Set<SQLiteErrorCode> DISK_ERRORS = Set.of(
            SQLiteErrorCode.SQLITE_BUSY,
            SQLiteErrorCode.SQLITE_LOCKED,
            SQLiteErrorCode.SQLITE_READONLY,
            SQLiteErrorCode.SQLITE_IOERR,
            SQLiteErrorCode.SQLITE_FULL,
            SQLiteErrorCode.SQLITE_CANTOPEN,
            SQLiteErrorCode.SQLITE_PERM);

    private final GroupDatabase database;
    /// Writes the changed pages, or null if SQLite does.
    private final PageCommit pages;

    private GroupChange(GroupDatabase database, PageCommit pages) {
        this.database = database;
        this.pages = pages;
    }

    /// Starts a change. An unfinished change of a killed writer is rolled back first.
    ///
    /// @throws DatasetException when the database is damaged, or has a trigger or similar that could change the
    ///                          data
    /// @throws IOException      when it cannot be written, or another program has it open for writing
    public static GroupChange begin(Disk disk, Path folder) throws IOException {
        if (disk != Disk.real()) {
            PageCommit pages = PageCommit.begin(disk, folder);
            return checked(new GroupChange(GroupDatabase.read(disk, folder), pages), List.of("BEGIN"));
        }
        // SQLite gets the path only if the file is a database.
        DatabaseBytes.requireUsable(disk, folder);
        return checked(
                new GroupChange(GroupDatabase.openFile(folder), null),
                List.of(
                        "PRAGMA busy_timeout = " + WAIT_MS,
                        "PRAGMA journal_mode = DELETE",
                        // Removing the journal is the commit, and is durable only when the folder is forced as
                        // well.
                        "PRAGMA synchronous = EXTRA",
                        // Pages of the database are written at the commit and not before, so that readers wait
                        // for the commit only.
                        "PRAGMA cache_spill = OFF",
                        "BEGIN IMMEDIATE"));
    }

    private static GroupChange checked(GroupChange change, List<String> statements) throws IOException {
        try {
            change.run(() -> {
                change.database.execute(statements);
                return null;
            });
            change.layout();
            return change;
        } catch (Throwable e) {
            change.close();
            throw e;
        }
    }

    /// Rolls back the journal of a killed writer, so that there is no journal afterwards.
    ///
    /// @throws DatasetException.Corrupt when there is a journal but no database
    static void settle(Disk disk, Path folder) throws IOException {
        if (!DatabaseBytes.hasJournal(disk, folder)) {
            return;
        }
        if (!disk.exists(folder.resolve(GroupFormat.DATABASE))) {
            throw new DatasetException.Corrupt(
                    folder.resolve(GroupFormat.JOURNAL),
                    0,
                    Reason.UNCOMMITTED,
                    "the database of this journal is missing, and SQLite would write the journal over a new one;"
                            + " remove the journal");
        }
        begin(disk, folder).close();
    }

    private <T> T run(Supplier<T> work) throws IOException {
        try {
            return work.get();
        } catch (DatasetException e) {
            if (e.getCause() instanceof SQLiteException cause
                    && DISK_ERRORS.contains(SQLiteErrorCode.getErrorCode(cause.getResultCode().code & 0xFF))) {
                throw new IOException(
                        database.file() + " cannot be changed: " + cause.getMessage()
                                + "; the dataset is unchanged. Close other programs that have the file open, or"
                                + " check whether the disk is full or read-only",
                        e);
            }
            throw e;
        }
    }

    /// The table with the groups.
    public GroupFormat.Layout layout() throws IOException {
        return run(() -> new GroupQuery(database).layout());
    }

    /// The rows of a query whose columns are integers; see [GroupDatabase#wholes].
    public List<long[]> wholes(String sql, int columnCount) throws IOException {
        return run(() -> database.wholes(sql, columnCount));
    }

    /// Inserts the rows of a query on another database.
    ///
    /// @param insert an `INSERT` with a `?` for each column of the query
    public void insert(GroupDatabase from, String query, String insert) throws IOException {
        run(() -> {
            database.insertFrom(from, query, insert);
            return null;
        });
    }

    /// Makes the change durable. After this returns, the new groups survive a crash.
    public void commit() throws IOException {
        run(() -> {
            database.execute(List.of("COMMIT"));
            return null;
        });
        if (pages != null) {
            pages.commit(database.bytes());
        }
    }

    @Override
    public void close() {
        database.close();
    }
}
