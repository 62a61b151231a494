// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups;

import java.util.List;

/// A grouped table is a folder with a table and the file `metadata.db`, an SQLite database that divides the rows
/// of the table into groups and describes each group.
///
/// ## Rows
///
/// The rows are shards (`NAME-00000.npy` and so on), or one `.npy` file when the folder has no shards. If there
/// are both, the shards are used and a remark says so.
///
/// ## Database
///
/// One table of the database holds a row for each group. It is recognised by the two columns that give the range
/// of the group's rows:
///
/// | table    | first row        | number of rows | written by                 |
/// |----------|------------------|----------------|----------------------------|
/// | `groups` | `first_row`      | `num_rows`     | `penstock table group`     |
/// | `runs`   | `first_step_idx` | `num_steps`    | the steps dataset of 2048  |
///
/// All columns, including these two, are attributes of the groups. The declared type of a column is the type of
/// the attribute, by SQLite's rules of affinity:
///
/// | declared type                     | attribute            |
/// |-----------------------------------|----------------------|
/// | `INTEGER`, `BIGINT`, ...          | 64-bit whole numbers |
/// | `REAL`, `DOUBLE`, `FLOAT`         | 64-bit floats        |
/// | `TEXT`, `VARCHAR`, ...            | UTF-8 text           |
/// | `BLOB`                            | bytes                |
/// | `BOOLEAN`, `DATE`, `NUMERIC`, ... | as the values        |
///
/// A value is of the declared type or NULL, which means that it is missing. The two columns of the range are never
/// NULL. A column of another declared type has whole numbers, floats (some of which may be whole), text or bytes;
/// values of several of these types are refused.
///
/// ## Invariants
///
/// - Groups do not overlap, and every group lies within the rows. A group may have no rows.
/// - The database is the commit of an append: rows after the last group were not committed, and are not part of
///   the grouped table. So a reader reads the database first and opens the rows afterwards.
/// - An append changes the database in place, in one transaction that starts when the rows are published. It
///   writes only the pages of the new groups, with a rollback journal and under the locks of SQLite. A reader that
///   finds an unfinished transaction, or the journal of a writer that was killed, restores the pages of the
///   journal in its own copy and sees the old groups.
/// - Every other change replaces the whole database under the locks of SQLite, by renaming a complete file.
///
/// ## Reading a database that may be hostile
///
/// The file is copied into memory and opened there, so it cannot change while it is read, no file is created
/// beside it, and no path becomes part of a connection string. The group table must be an ordinary table with
/// rowids and without generated columns; a database with triggers is refused. Queries name columns that exist, in
/// quotes, and bind all values.
///
/// ## Limits
///
/// - The database has at most [#DATABASE_SIZE_MAX] bytes, enough for about eight million groups, because it is
///   copied into memory.
/// - A row of the database has at most [#VALUE_SIZE_MAX] bytes, so that a damaged length does not allocate
///   gigabytes.
/// - The group table has at most [#ATTRIBUTE_COUNT_MAX] columns.
public final class GroupFormat {
    /// The name of the file with the groups.
    public static final String DATABASE = "metadata.db";

    /// The largest size of a database in bytes.
    public static final long DATABASE_SIZE_MAX = 512L << 20;

    /// The largest size of a row of the database in bytes.
    public static final int VALUE_SIZE_MAX = 1 << 20;

    /// The largest number of columns of the group table.
    public static final int ATTRIBUTE_COUNT_MAX = 200;

    /// The first bytes of every SQLite database.
    static final String DATABASE_MAGIC = "SQLite format 3\0";

    /// The end of the name of the file that SQLite keeps beside a database while a transaction is committed.
    static final String JOURNAL_END = "-journal";

    /// The end of the name of the file that SQLite keeps beside a database in WAL mode that is open.
    static final String LOG_END = "-wal";

    /// The end of the name of the index of that file.
    static final String LOG_INDEX_END = "-shm";

    private GroupFormat() {}

    /// A table that can hold groups.
    ///
    /// @param table the name of the table
    /// @param first the column with the first row
    /// @param count the column with the number of rows
    public record Layout(String table, String first, String count) {}

    /// The table that `penstock table group` writes.
    public static final Layout GROUPS = new Layout("groups", "first_row", "num_rows");

    /// The table of the runs of a steps dataset.
    public static final Layout RUNS = new Layout("runs", "first_step_idx", "num_steps");

    static final List<Layout> LAYOUTS = List.of(GROUPS, RUNS);
}
