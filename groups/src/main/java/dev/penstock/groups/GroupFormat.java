// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups;

import java.util.List;

/// A grouped table is a folder with a table and the file `metadata.db`, an SQLite database that divides the rows
/// of the table into groups and describes each group.
///
/// ## Rows
///
/// The rows are shards (`NAME-00000.npy` and so on), or one `.npy` file when the folder has no shards. Where
/// there are both, the shards count and a remark says so.
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
/// All columns, the two included, are attributes of the groups. The declared type of a column is the type of the
/// attribute, by SQLite's rules of affinity:
///
/// | declared type                     | attribute            |
/// |-----------------------------------|----------------------|
/// | `INTEGER`, `BIGINT`, ...          | 64-bit whole numbers |
/// | `REAL`, `DOUBLE`, `FLOAT`         | 64-bit floats        |
/// | `TEXT`, `VARCHAR`, ...            | UTF-8 text           |
/// | `BLOB`                            | bytes                |
///
/// A value is of the declared type or NULL, which means that it is missing. The two columns of the range are never
/// NULL.
///
/// ## Invariants
///
/// - Groups do not overlap, and every group lies within the rows. A group may have no rows.
/// - The database is the commit of an append: rows behind the last group were not committed, and are not part of
///   the grouped table. So a reader reads the database first and opens the rows afterwards.
/// - The database is replaced as a whole, by renaming a complete file. A reader never meets a half-written one,
///   and an open connection of another program keeps the version that it has opened.
///
/// ## Reading a database that may be hostile
///
/// The file is copied into memory and opened there, so it cannot change while it is read, no file is created
/// beside it, and no path becomes part of a connection string. The group table must be an ordinary table without
/// generated columns; a database with triggers is refused. Queries name columns that exist, in quotes, and bind
/// all values.
///
/// ## Limits
///
/// - The database has at most [#DATABASE_SIZE_MAX] bytes, since it is copied into memory: some eight million
///   groups.
/// - A row of the database has at most [#VALUE_SIZE_MAX] bytes, so that a damaged length allocates no gigabytes.
/// - The group table has at most [#ATTRIBUTE_COUNT_MAX] columns.
public final class GroupFormat {
    /// The file with the groups.
    public static final String DATABASE = "metadata.db";

    /// Bytes of a database.
    public static final long DATABASE_SIZE_MAX = 512L << 20;

    /// Bytes of a row of the database.
    public static final int VALUE_SIZE_MAX = 1 << 20;

    /// Columns of the group table.
    public static final int ATTRIBUTE_COUNT_MAX = 200;

    /// How every SQLite database begins.
    static final String DATABASE_MAGIC = "SQLite format 3\0";

    /// Files that SQLite keeps beside a database that is being written.
    static final List<String> JOURNALS = List.of(DATABASE + "-journal", DATABASE + "-wal");

    private GroupFormat() {}

    /// A table that can hold groups.
    ///
    /// @param table the name of the table
    /// @param first the column with the first row
    /// @param count the column with the number of rows
    public record Layout(String table, String first, String count) {}

    /// What `penstock table group` writes.
    public static final Layout GROUPS = new Layout("groups", "first_row", "num_rows");

    /// The runs of a steps dataset.
    public static final Layout RUNS = new Layout("runs", "first_step_idx", "num_steps");

    static final List<Layout> LAYOUTS = List.of(GROUPS, RUNS);
}
