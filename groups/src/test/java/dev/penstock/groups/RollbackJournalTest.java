// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.penstock.DatasetException;
import dev.penstock.file.Disk;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A database that SQLite was changing when its process was killed is read as it was before.
final class RollbackJournalTest {
    @TempDir
    Path folder;

    private Path killed() throws IOException {
        return Files.createDirectories(folder.resolve("killed"));
    }

    private Connection connect(Path in) throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + in.resolve("metadata.db"));
    }

    /// Leaves in a folder what a process leaves that is killed in the middle of a large transaction: SQLite has
    /// written pages of it to the database already. Returns the database before.
    private byte[] leave(int groupCount) throws IOException, SQLException {
        try (Connection connection = connect(folder);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE groups (id INTEGER PRIMARY KEY, first_row INTEGER, num_rows INTEGER)");
            statement.execute("CREATE INDEX sizes ON groups(num_rows)");
            statement.execute(numbers(0, 2000));
            byte[] before = Files.readAllBytes(folder.resolve("metadata.db"));
            statement.execute("PRAGMA cache_size = 10");
            statement.execute("BEGIN");
            statement.execute("UPDATE groups SET num_rows = num_rows + 1 WHERE id % 3 = 0");
            statement.execute(numbers(2000, 2000 + groupCount));
            for (String name : new String[] {"metadata.db", "metadata.db-journal"}) {
                Files.copy(folder.resolve(name), killed().resolve(name));
            }
            statement.execute("ROLLBACK");
            return before;
        }
    }

    private static String numbers(int first, int limit) {
        return "INSERT INTO groups WITH RECURSIVE n(i) AS (SELECT " + first + " UNION ALL SELECT i + 1 FROM n"
                + " WHERE i + 1 < " + limit + ") SELECT i, i, 1 FROM n";
    }

    /// 512 bytes that announce a database of a gigabyte before the transaction.
    @Test
    void aSmallJournalDoesNotCostMuchMemory() throws IOException, SQLException {
        try (Connection connection = connect(folder);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE groups (id INTEGER PRIMARY KEY)");
        }
        byte[] journal = RollbackJournal.header(1, 1, 1 << 18, 4096);
        assertEquals(512, journal.length);
        Files.write(folder.resolve("metadata.db-journal"), journal);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        assertThrows(DatasetException.class, () -> DatabaseBytes.read(Disk.real(), folder));
        long bytes = threads.getCurrentThreadAllocatedBytes() - before;
        assertTrue(bytes < 16 << 20, () -> "took " + bytes + " bytes");
    }

    @Test
    void theDatabaseBeforeTheChangeIsRead() throws IOException, SQLException {
        byte[] before = leave(5000);
        byte[] left = Files.readAllBytes(killed().resolve("metadata.db"));
        assertFalse(Arrays.equals(before, left), "SQLite has changed the file");
        assertArrayEquals(before, DatabaseBytes.read(Disk.real(), killed()));
        assertArrayEquals(left, Files.readAllBytes(killed().resolve("metadata.db")), "reading changes no file");
        try (GroupChange change = GroupChange.begin(Disk.real(), killed())) {
            assertEquals(2000, change.wholes("SELECT count(*) FROM groups", 1).getFirst()[0]);
            assertEquals(
                    2000, change.wholes("SELECT sum(num_rows) FROM groups", 1).getFirst()[0]);
        }
        assertFalse(DatabaseBytes.hasJournal(DatabaseFiles.of(Disk.real(), killed())));
        // A file is not made shorter, because another program may have mapped it.
        byte[] after = Files.readAllBytes(killed().resolve("metadata.db"));
        assertArrayEquals(before, Arrays.copyOf(after, before.length));
        // SQLite itself ignores the pages behind the end that the header gives.
        try (Connection connection = connect(killed());
                Statement statement = connection.createStatement()) {
            assertEquals("ok", statement.executeQuery("PRAGMA integrity_check").getString(1));
            assertEquals(
                    before.length / 4096,
                    statement.executeQuery("PRAGMA page_count").getInt(1));
            assertEquals(
                    2000,
                    statement.executeQuery("SELECT sum(num_rows) FROM groups").getInt(1));
        }
    }

    @Test
    void aRecordWithAWrongChecksumEndsTheJournalAsInSqlite() throws IOException, SQLException {
        leave(3000);
        byte[] journal = Files.readAllBytes(killed().resolve("metadata.db-journal"));
        byte[] database = Files.readAllBytes(killed().resolve("metadata.db"));
        Random random = new Random(3);
        int differenceCount = 0;
        for (int round = 0; round < 40; round++) {
            byte[] changed = journal.clone();
            changed[random.nextInt(changed.length)] ^= (byte) (1 << random.nextInt(8));
            RollbackJournal found = RollbackJournal.of(changed);
            byte[] undone = found == null ? database : found.undo(database);
            differenceCount += Arrays.equals(undone, database) ? 0 : 1;
            byte[] cut = Arrays.copyOf(journal, random.nextInt(journal.length));
            RollbackJournal start = RollbackJournal.of(cut);
            if (start != null) {
                start.undo(database);
            }
        }
        assertTrue(differenceCount > 0);
    }

    @Test
    void hostileHeadersAllocateNothing() {
        byte[] database = new byte[4096];
        ByteBuffer.wrap(database).putShort(16, (short) 4096);
        for (int[] header : new int[][] {{-1, 4096}, {1, -1}, {1, 3}, {Integer.MAX_VALUE, 4096}, {1, 512}}) {
            byte[] bytes = RollbackJournal.header(5, 7, header[0], header[1]);
            assertArrayEquals(database, RollbackJournal.of(bytes).undo(database));
        }
        assertEquals(null, RollbackJournal.of(new byte[100]));
        assertEquals(null, RollbackJournal.of(new byte[3]));
    }

    @Test
    void aJournalWithoutADatabaseIsRefused() throws IOException, SQLException {
        leave(3000);
        Files.delete(killed().resolve("metadata.db"));
        SampleGroups.writeRows(killed(), 10);
        Exception refused = assertThrows(
                DatasetException.class,
                () -> SampleGroups.writeDatabase(killed(), List.of(SampleGroups.TABLE), List.of()));
        assertTrue(refused.getMessage().contains("over a new one"), refused.getMessage());
    }
}
