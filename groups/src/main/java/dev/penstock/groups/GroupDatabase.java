// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups;

import dev.penstock.DatasetException;
import dev.penstock.Findings;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;
import org.sqlite.SQLiteLimits;

/// An SQLite database in memory: a copy of a `metadata.db`, or a new database before it is published.
///
/// SQLite never gets a path. The bytes of the file are read and written through [Disk]: [#publish] replaces the
/// file atomically, and [GroupChange] writes changed pages.
///
/// A `metadata.db` is read into memory and opened there. SQLite sees no path of a file that
/// may be hostile, creates no file beside it and takes no lock.
///
/// **Ownership.** Owns the connection and the memory of the copy. **Threads.** One thread at a time.
public final class GroupDatabase implements AutoCloseable {
    /// The offset of the two version bytes in the header, for writers and for readers: 2 means WAL mode, 1 means
    /// no WAL mode.
    private static final int WRITE_VERSION_OFFSET = 18;

    private final SQLiteConnection connection;
    private final Location file;
    private final long size;

    private GroupDatabase(SQLiteConnection connection, Location file, long size) {
        this.connection = connection;
        this.file = file;
        this.size = size;
    }

    /// Runs SQL on the connection.
    @FunctionalInterface
    interface Query<T> {
        T apply(SQLiteConnection connection) throws SQLException;
    }

    /// Creates a new database.
    ///
    /// @param file       the path it will be published under, for messages
    /// @param statements the statements that create its tables and indexes
    public static GroupDatabase create(Path file, List<String> statements) {
        GroupDatabase database = new GroupDatabase(connect(), Location.of(file), 0);
        try {
            database.execute(statements);
            return database;
        } catch (Throwable e) {
            database.close();
            throw e;
        }
    }

    /// Reads the `metadata.db` of a folder into memory.
    ///
    /// @throws DatasetException when the file is not a database, is damaged, or another program is writing it
    /// @throws IOException      when the file is missing or cannot be read
    public static GroupDatabase read(Disk disk, Path folder) throws IOException {
        return of(Location.of(folder.resolve(GroupFormat.DATABASE)), DatabaseBytes.read(disk, folder));
    }

    /// Reads the `metadata.db` of a folder of any storage into memory.
    ///
    /// @throws DatasetException when the file is not a database, is damaged, or another program is writing it
    /// @throws IOException      when the file is missing or cannot be read
    public static GroupDatabase read(ReaderOptions options, Location folder) throws IOException {
        return of(folder.resolve(GroupFormat.DATABASE), DatabaseBytes.read(options, folder));
    }

    private static GroupDatabase of(Location file, byte[] bytes) {
        // A copy in memory needs no WAL, and SQLite cannot open it with the WAL flag set.
        Arrays.fill(bytes, WRITE_VERSION_OFFSET, WRITE_VERSION_OFFSET + 2, (byte) 1);
        SQLiteConnection connection = connect();
        try {
            connection.deserialize("main", bytes);
            return new GroupDatabase(connection, file, bytes.length);
        } catch (SQLException e) {
            closeQuietly(connection);
            throw damaged(file, e);
        } catch (Throwable e) {
            closeQuietly(connection);
            throw e;
        }
    }

    /// Creates an empty database in memory.
    private static SQLiteConnection connect() {
        try {
            return connect("jdbc:sqlite::memory:");
        } catch (SQLException e) {
            throw new IllegalStateException("SQLite cannot be started: " + e.getMessage(), e);
        }
    }

    /// Creates a connection that does not trust the schema and to which nothing can be attached.
    private static SQLiteConnection connect(String url) throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.enableLoadExtension(false);
        SQLiteConnection connection = (SQLiteConnection) config.createConnection(url);
        try (Statement statement = connection.createStatement()) {
            connection.setLimit(SQLiteLimits.SQLITE_LIMIT_ATTACHED, 0);
            connection.setLimit(SQLiteLimits.SQLITE_LIMIT_LENGTH, GroupFormat.VALUE_SIZE_MAX);
            statement.execute("PRAGMA trusted_schema = OFF");
            statement.execute("PRAGMA cell_size_check = ON");
            return connection;
        } catch (Throwable e) {
            closeQuietly(connection);
            throw e;
        }
    }

    private static void closeQuietly(SQLiteConnection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            // An uncommitted transaction is to be discarded anyway, and memory has nothing to lose.
        }
    }

    /// The path of the file, for messages.
    Location file() {
        return file;
    }

    /// The size of the file that was read, in bytes.
    long size() {
        return size;
    }

    /// Runs SQL. Errors of SQLite are reported as damage of the file.
    <T> T run(Query<T> query) {
        try {
            return query.apply(connection);
        } catch (SQLException e) {
            throw damaged(file, e);
        }
    }

    private static DatasetException damaged(Location file, SQLException e) {
        boolean isTooLarge =
                e instanceof SQLiteException sqlite && sqlite.getResultCode() == SQLiteErrorCode.SQLITE_TOOBIG;
        String what = isTooLarge
                ? "the database has a row or a value of more than " + GroupFormat.VALUE_SIZE_MAX
                        + " bytes, the limit for attributes of groups; store large values in files of their own"
                : "SQLite cannot read the database: " + e.getMessage();
        return new DatasetException.Corrupt(file, 0, GroupReason.BAD_DATABASE, what, e);
    }

    void execute(List<String> statements) {
        run(open -> {
            try (Statement statement = open.createStatement()) {
                for (String one : statements) {
                    statement.execute(one);
                }
            }
            return null;
        });
    }

    /// Inserts rows in one transaction.
    ///
    /// @param sql  an `INSERT` with a `?` for each value
    /// @param rows the values: [Long], [Double], [String], `byte[]`, or null
    public void insert(String sql, Iterable<Object[]> rows) {
        run(open -> {
            open.setAutoCommit(false);
            try (PreparedStatement statement = open.prepareStatement(sql)) {
                for (Object[] row : rows) {
                    insert(statement, row);
                }
                open.commit();
            } finally {
                open.setAutoCommit(true);
            }
            return null;
        });
    }

    private static void insert(PreparedStatement statement, Object[] row) throws SQLException {
        for (int i = 0; i < row.length; i++) {
            statement.setObject(i + 1, row[i]);
        }
        statement.executeUpdate();
    }

    /// Inserts the rows of a query on another database, as part of the current transaction.
    void insertFrom(GroupDatabase other, String query, String sql) {
        run(open -> other.run(from -> {
            try (PreparedStatement statement = open.prepareStatement(sql);
                    Statement reading = from.createStatement();
                    ResultSet found = reading.executeQuery(query)) {
                Object[] row = new Object[found.getMetaData().getColumnCount()];
                while (found.next()) {
                    for (int i = 0; i < row.length; i++) {
                        row[i] = found.getObject(i + 1);
                    }
                    insert(statement, row);
                }
            }
            return null;
        }));
    }

    /// Executes an update with bound values.
    public void update(String sql, Object... values) {
        run(open -> {
            try (PreparedStatement statement = open.prepareStatement(sql)) {
                for (int i = 0; i < values.length; i++) {
                    statement.setObject(i + 1, values[i]);
                }
                return statement.executeUpdate();
            }
        });
    }

    /// Returns the rows of a query whose columns are integers.
    ///
    /// @throws DatasetException when a value is missing or not an integer
    public List<long[]> wholes(String sql, int columnCount) {
        return run(open -> {
            List<long[]> rows = new ArrayList<>();
            try (Statement statement = open.createStatement();
                    ResultSet found = statement.executeQuery(sql)) {
                while (found.next()) {
                    long[] row = new long[columnCount];
                    for (int i = 0; i < columnCount; i++) {
                        if (!(found.getObject(i + 1) instanceof Number number) || number instanceof Double) {
                            throw new SQLException("a value is not an integer");
                        }
                        row[i] = number.longValue();
                    }
                    rows.add(row);
                }
            }
            return rows;
        });
    }

    /// Runs SQLite's integrity check. Returns at most 100 problems, or an empty list.
    List<String> check() {
        return run(open -> {
            List<String> problems = new ArrayList<>();
            try (Statement statement = open.createStatement();
                    ResultSet lines = statement.executeQuery("PRAGMA integrity_check")) {
                while (lines.next()) {
                    problems.add(lines.getString(1));
                }
            }
            return problems.equals(List.of("ok")) ? List.<String>of() : problems;
        });
    }

    /// Checks the pages and indexes of the database in a folder.
    static void verify(ReaderOptions options, Location folder, Findings findings) throws IOException {
        try (GroupDatabase database = read(options, folder)) {
            for (String problem : database.check()) {
                findings.error(database.file, 0, GroupReason.BAD_DATABASE, problem);
            }
            Location journal = folder.resolve(GroupFormat.DATABASE + GroupFormat.JOURNAL_END);
            if (DatabaseBytes.hasJournal(options, folder)) {
                findings.warning(
                        journal,
                        0,
                        GroupReason.UNCOMMITTED,
                        "a writer is changing the database or was stopped while doing so; the groups before that change"
                                + " are read, and the next append or repair removes the file");
            }
        } catch (DatasetException e) {
            findings.error(e);
        }
    }

    /// The bytes of the file. Its journal mode is DELETE.
    public byte[] bytes() {
        return run(open -> open.serialize("main"));
    }

    /// Writes the database to a folder durably and atomically, and replaces an existing one.
    ///
    /// @throws DatasetException.Corrupt when there is a journal without a database
    public void publish(Disk disk, Path folder) throws IOException {
        byte[] bytes = bytes();
        if (bytes.length > GroupFormat.DATABASE_SIZE_MAX) {
            throw new IllegalArgumentException("the groups take " + bytes.length + " bytes, but the limit is "
                    + GroupFormat.DATABASE_SIZE_MAX + " bytes");
        }
        GroupChange.replace(disk, folder, bytes);
    }

    /// The table with the groups.
    ///
    /// @throws DatasetException when there is none
    public GroupFormat.Layout layout() {
        return new GroupQuery(this).layout();
    }

    /// Reads the groups from the database.
    ///
    /// @throws DatasetException when there is no group table, or its values are invalid
    public Groups groups() {
        return new GroupQuery(this).read();
    }

    @Override
    public void close() {
        closeQuietly(connection);
    }
}
