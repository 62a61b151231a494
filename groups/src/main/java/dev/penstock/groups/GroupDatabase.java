// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.memory.ChecksummedJson;
import dev.penstock.memory.Disk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
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
import org.sqlite.SQLiteLimits;

/// An SQLite database in memory: a private copy of a `metadata.db`, or a new one that is about to become such a
/// file.
///
/// SQLite never sees a path. The bytes of the file are read and written through [Disk], and [#publish] puts a
/// complete file in the place of the old one in one step.
///
/// **Ownership.** Owns the memory of the copy. **Threads.** One at a time.
public final class GroupDatabase implements AutoCloseable {
    /// Where the header says whether the file is in WAL mode: 1 for no, 2 for yes, once for writers and once for
    /// readers.
    private static final int WRITE_VERSION_OFFSET = 18;

    private static final int HEADER_SIZE = 100;

    private final SQLiteConnection connection;
    private final Path file;
    private final long size;

    private GroupDatabase(SQLiteConnection connection, Path file, long size) {
        this.connection = connection;
        this.file = file;
        this.size = size;
    }

    /// Runs SQL on the connection.
    @FunctionalInterface
    interface Work<T> {
        T apply(SQLiteConnection connection) throws SQLException;
    }

    /// Makes a new database.
    ///
    /// @param file       the name that it will have, for messages
    /// @param statements the statements that make its tables and indexes
    public static GroupDatabase create(Path file, List<String> statements) {
        GroupDatabase database = new GroupDatabase(connect(), file, 0);
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
    /// @throws DatasetException when it is no database, is damaged, or another program is writing it
    /// @throws IOException      when it is missing or cannot be read
    public static GroupDatabase read(Disk disk, Path folder) throws IOException {
        Path file = folder.resolve(GroupFormat.DATABASE);
        requireNoJournal(disk, folder);
        byte[] bytes = bytes(disk, file);
        // A copy in memory needs no WAL; SQLite refuses to open one that says it has one.
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

    /// A journal holds pages that belong into the database, or that SQLite would write over a new one.
    ///
    /// @throws DatasetException.Corrupt when there is one
    static void requireNoJournal(Disk disk, Path folder) throws IOException {
        for (String name : GroupFormat.JOURNALS) {
            Path journal = folder.resolve(name);
            byte[] start = ChecksummedJson.read(disk, journal);
            if (start != null && start.length > 0 && start[0] != 0) {
                throw new DatasetException.Corrupt(
                        journal,
                        0,
                        Reason.UNCOMMITTED,
                        "another program is writing " + GroupFormat.DATABASE + ", or stopped while it was; close that"
                                + " program, and if the file stays, open the database once with sqlite3 to merge it");
            }
        }
    }

    private static byte[] bytes(Disk disk, Path file) throws IOException {
        try (Disk.Readable source = disk.open(file)) {
            long size = source.size();
            if (size > GroupFormat.DATABASE_SIZE_MAX) {
                throw new DatasetException.Corrupt(
                        file,
                        0,
                        Reason.SIZE_OVERFLOW,
                        "the database has " + size + " bytes, and at most " + GroupFormat.DATABASE_SIZE_MAX
                                + " are read");
            }
            byte[] bytes = new byte[(int) size];
            int read = (int) source.read(0, MemorySegment.ofArray(bytes));
            byte[] magic = GroupFormat.DATABASE_MAGIC.getBytes(StandardCharsets.US_ASCII);
            if (read < HEADER_SIZE || !Arrays.equals(magic, Arrays.copyOf(bytes, magic.length))) {
                throw new DatasetException.WrongFormat(file, "this is no SQLite database");
            }
            return read == bytes.length ? bytes : Arrays.copyOf(bytes, read);
        }
    }

    /// An empty database in memory. What its schema says is not trusted, and nothing can be attached to it.
    private static SQLiteConnection connect() {
        SQLiteConfig config = new SQLiteConfig();
        config.enableLoadExtension(false);
        try {
            SQLiteConnection connection = (SQLiteConnection) config.createConnection("jdbc:sqlite::memory:");
            connection.setLimit(SQLiteLimits.SQLITE_LIMIT_ATTACHED, 0);
            connection.setLimit(SQLiteLimits.SQLITE_LIMIT_LENGTH, GroupFormat.VALUE_SIZE_MAX);
            try (Statement statement = connection.createStatement()) {
                statement.execute("PRAGMA trusted_schema = OFF");
                statement.execute("PRAGMA cell_size_check = ON");
            }
            return connection;
        } catch (SQLException e) {
            throw new IllegalStateException("SQLite cannot be started: " + e.getMessage(), e);
        }
    }

    private static void closeQuietly(SQLiteConnection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            // Memory that is not in a file has nothing left to lose.
        }
    }

    /// The name of the file, for messages.
    Path file() {
        return file;
    }

    /// Bytes of the file that was read.
    long size() {
        return size;
    }

    /// Runs SQL; what SQLite finds wrong is damage of the file.
    <T> T run(Work<T> work) {
        try {
            return work.apply(connection);
        } catch (SQLException e) {
            throw damaged(file, e);
        }
    }

    static DatasetException damaged(Path file, SQLException e) {
        return new DatasetException.Corrupt(
                file, 0, Reason.BAD_DATABASE, "SQLite cannot read the database: " + e.getMessage(), e);
    }

    private void execute(List<String> statements) {
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
                    for (int i = 0; i < row.length; i++) {
                        statement.setObject(i + 1, row[i]);
                    }
                    statement.executeUpdate();
                }
                open.commit();
            } finally {
                open.setAutoCommit(true);
            }
            return null;
        });
    }

    /// Changes rows, with bound values.
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

    /// The rows of a query whose columns are whole numbers.
    ///
    /// @throws DatasetException when a value is something else, or missing
    public List<long[]> wholes(String sql, int columnCount) {
        return run(open -> {
            List<long[]> rows = new ArrayList<>();
            try (Statement statement = open.createStatement();
                    ResultSet found = statement.executeQuery(sql)) {
                while (found.next()) {
                    long[] row = new long[columnCount];
                    for (int i = 0; i < columnCount; i++) {
                        if (!(found.getObject(i + 1) instanceof Number number) || number instanceof Double) {
                            throw new SQLException("a value is no whole number");
                        }
                        row[i] = number.longValue();
                    }
                    rows.add(row);
                }
            }
            return rows;
        });
    }

    /// The problems that SQLite finds in the pages and indexes, at most 100; none when all is well.
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

    /// The bytes of the file. Its journal mode is DELETE.
    public byte[] bytes() {
        return run(open -> open.serialize("main"));
    }

    /// Puts the database into a folder in one step, durably, in place of the one that is there.
    ///
    /// @throws DatasetException.Corrupt when a journal lies there, which SQLite would write over the new database
    public void publish(Disk disk, Path folder) throws IOException {
        requireNoJournal(disk, folder);
        byte[] bytes = bytes();
        if (bytes.length > GroupFormat.DATABASE_SIZE_MAX) {
            throw new IllegalArgumentException("the groups take " + bytes.length + " bytes, and at most "
                    + GroupFormat.DATABASE_SIZE_MAX + " could be read again");
        }
        ChecksummedJson.publish(disk, folder.resolve(GroupFormat.DATABASE), bytes);
    }

    /// The groups in the database.
    ///
    /// @throws DatasetException when there is no group table, or what it says makes no sense
    public Groups groups() {
        return new GroupQuery(this).read();
    }

    @Override
    public void close() {
        closeQuietly(connection);
    }
}
