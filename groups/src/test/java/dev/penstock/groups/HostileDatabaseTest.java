// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
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

/// A `metadata.db` that is not what it should be is refused with a message that says why.
final class HostileDatabaseTest {
    private static final String DATA = "CREATE TABLE data (id INTEGER, first_row INTEGER, num_rows INTEGER)";

    @TempDir
    Path folder;

    private DatasetException refusal(List<String> statements, List<Object[]> rows) throws IOException {
        SampleGroups.writeRows(folder, 10);
        SampleGroups.writeDatabase(folder, statements, rows);
        return assertThrows(
                DatasetException.class, () -> GroupedTable.open(folder).close());
    }

    private void refused(Reason reason, String part, List<String> statements, Object[]... rows) throws IOException {
        DatasetException refusal = refusal(statements, Arrays.asList(rows));
        assertEquals(reason, refusal.reason());
        assertTrue(refusal.getMessage().contains(part), refusal.getMessage());
        assertTrue(refusal.getMessage().contains("metadata.db"), refusal.getMessage());
    }

    @Test
    void viewsTriggersAndOtherThingsInPlaceOfTheTableAreRefused() throws IOException {
        refused(
                GroupReason.BAD_DATABASE,
                "ordinary table, but groups is a view",
                List.of(DATA, "CREATE VIEW groups AS SELECT * FROM data"));
        refused(
                GroupReason.BAD_DATABASE,
                "trigger bad",
                List.of(
                        SampleGroups.TABLE,
                        DATA,
                        "CREATE TRIGGER bad AFTER INSERT ON data BEGIN DELETE FROM groups; END"));
        refused(
                GroupReason.BAD_DATABASE,
                "virtual table",
                List.of("CREATE VIRTUAL TABLE groups USING fts5(first_row)"));
        refused(
                GroupReason.BAD_DATABASE,
                "is a generated column",
                List.of("CREATE TABLE groups (first_row INTEGER, num_rows INTEGER, x INTEGER AS (first_row + 1))"));
        refused(
                GroupReason.BAD_DATABASE,
                "is a WITHOUT ROWID table",
                List.of("CREATE TABLE groups (first_row INTEGER PRIMARY KEY, num_rows INTEGER) WITHOUT ROWID"));
        refused(GroupReason.BAD_DATABASE, "no table of groups", List.of(DATA));
        refused(GroupReason.BAD_DATABASE, "no column num_rows", List.of("CREATE TABLE groups (first_row INTEGER)"));
        refused(
                GroupReason.BAD_DATABASE,
                "'WHATEVER' has values of several types: integer, text;",
                List.of("CREATE TABLE groups (first_row INTEGER, num_rows INTEGER, x WHATEVER)"),
                new Object[] {0, 3, "many"},
                new Object[] {3, 3, 7});
    }

    @Test
    void valuesOfOtherTypesAndWrongRangesAreRefused() throws IOException {
        List<String> plain = List.of("CREATE TABLE groups (first_row INTEGER, num_rows INTEGER, score INTEGER)");
        refused(GroupReason.BAD_GROUPS, "overlaps", plain, new Object[] {0, 5, 1}, new Object[] {4, 2, 1});
        refused(GroupReason.BAD_GROUPS, "end at row 11", plain, new Object[] {0, 11, 1});
        refused(GroupReason.BAD_GROUPS, "invalid range of rows", plain, new Object[] {0, -1, 1});
        refused(GroupReason.BAD_GROUPS, "first_row is NULL and num_rows is 3", plain, new Object[] {null, 3, 1});
        refused(GroupReason.BAD_GROUPS, "ends after", plain, new Object[] {5, Long.MAX_VALUE, 1});
        refused(GroupReason.BAD_GROUPS, "score that is not i64", plain, new Object[] {0, 3, "many"});
        refused(GroupReason.BAD_GROUPS, "score that is not i64", plain, new Object[] {0, 3, 1.5});
    }

    @Test
    void aHugeValueIsRefusedWithoutBeingRead() throws IOException, SQLException {
        SampleGroups.writeRows(folder, 10);
        Path made = folder.resolve("made.db");
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + made);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE groups (first_row INTEGER, num_rows INTEGER, x BLOB)");
            statement.execute("INSERT INTO groups VALUES (0, 10, zeroblob(3000000))");
        }
        Files.move(made, folder.resolve("metadata.db"));
        DatasetException refusal = assertThrows(
                DatasetException.class, () -> GroupedTable.open(folder).close());
        assertEquals(GroupReason.BAD_DATABASE, refusal.reason());
        assertTrue(refusal.getMessage().contains("a value of more than 1048576 bytes"), refusal.getMessage());
    }

    @Test
    void aJournalOfAnotherProgramIsRefused() throws IOException {
        SampleGroups.write(folder);
        Files.write(folder.resolve("metadata.db-wal"), new byte[] {0x37, 0x7f, 6, (byte) 0x82});
        DatasetException refusal = assertThrows(
                DatasetException.class, () -> GroupedTable.open(folder).close());
        assertEquals(GroupReason.UNCOMMITTED, refusal.reason());
        Files.write(folder.resolve("metadata.db-wal"), new byte[0]);
        GroupedTable.open(folder).close();
    }

    @Test
    void otherFilesAreRefused() throws IOException {
        SampleGroups.writeRows(folder, 10);
        Files.writeString(folder.resolve("metadata.db"), "no database at all");
        assertThrows(
                DatasetException.WrongFormat.class,
                () -> GroupedTable.open(folder).close());
        Files.delete(folder.resolve("metadata.db"));
        assertThrows(
                NoSuchFileException.class,
                () -> GroupedTable.open(folder.resolve("absent")).close());
        Files.createDirectory(folder.resolve("metadata.db"));
        FileSystemException refusal = assertThrows(
                FileSystemException.class, () -> GroupedTable.open(folder).close());
        assertEquals(folder.resolve("metadata.db").toString(), refusal.getFile());
    }

    @Test
    void aDatabaseWithoutItsEndIsTruncated() throws IOException {
        SampleGroups.write(folder);
        Path file = folder.resolve("metadata.db");
        byte[] good = Files.readAllBytes(file);
        for (int size : new int[] {good.length - 1, good.length / 2, 100}) {
            Files.write(file, Arrays.copyOf(good, size));
            DatasetException refusal = assertThrows(
                    DatasetException.class, () -> GroupedTable.open(folder).close());
            assertEquals(Reason.TRUNCATED, refusal.reason());
            assertEquals(size, refusal.offset());
            assertTrue(refusal.getMessage().contains("announces " + good.length + " bytes"), refusal.getMessage());
        }
    }

    @Test
    void damagedBytesAreRefusedOrReadAndNeverWorse() throws IOException {
        SampleGroups.write(folder);
        Path file = folder.resolve("metadata.db");
        byte[] good = Files.readAllBytes(file);
        Random random = new Random(11);
        int refusedCount = 0;
        int rounds = Boolean.getBoolean("penstock.long") ? 5000 : 300;
        for (int round = 0; round < rounds; round++) {
            byte[] bad = good.clone();
            if (round % 3 == 0) {
                bad = Arrays.copyOf(bad, random.nextInt(bad.length));
            } else {
                int at = random.nextBoolean() ? random.nextInt(200) : random.nextInt(bad.length);
                bad[at] ^= (byte) (1 << random.nextInt(8));
            }
            Files.write(file, bad);
            try (GroupedTable table = GroupedTable.open(folder)) {
                assertTrue(table.count() <= 10);
            } catch (DatasetException e) {
                refusedCount++;
            }
        }
        assertTrue(refusedCount > rounds / 3, "only " + refusedCount + " refused");
    }
}
