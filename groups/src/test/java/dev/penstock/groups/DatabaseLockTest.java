// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.file.Disk;
import dev.penstock.file.FaultyDisk;
import dev.penstock.file.ForwardingDisk;
import dev.penstock.table.TableReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// A change of the groups and SQLite in another process keep each other out, whatever else this process does with
/// the file.
@Tag("full")
class DatabaseLockTest {
    private static final String BUSY = "database is locked";
    private static final String INSERT = "INSERT INTO groups VALUES (?, ?, ?, ?, ?, ?)";

    @TempDir
    Path folder;

    @BeforeEach
    void writeGroups() throws IOException {
        SampleGroups.write(folder);
    }

    /// The real disk, and a disk of a caller that passes all calls on to it.
    static Stream<Disk> disks() {
        return Stream.of(Disk.real(), new ForwardingDisk(Disk.real()));
    }

    private static void insert(GroupChange change, long id) {
        try (GroupDatabase added = GroupDatabase.create(Path.of("added"), List.of(SampleGroups.TABLE))) {
            added.insert(INSERT, List.<Object[]>of(new Object[] {id, 10, 0, 1, 1.0, "new"}));
            change.insert(added, "SELECT * FROM groups", INSERT);
        }
    }

    private long groupCount(Disk disk) throws IOException {
        try (GroupedTable table = GroupedTable.open(folder, TableReader.Options.DEFAULT.withDisk(disk))) {
            return table.groups().count();
        }
    }

    @ParameterizedTest
    @MethodSource("disks")
    void anotherProcessCannotWriteDuringAChangeAfterARead(Disk disk) throws IOException {
        try (OtherProcess other = OtherProcess.open(folder)) {
            try (GroupChange change = GroupChange.begin(disk, folder)) {
                insert(change, 4);
                assertEquals(BUSY, other.run("BEGIN IMMEDIATE"));
                assertEquals(4, groupCount(disk));
                Files.readAllBytes(folder.resolve(GroupFormat.DATABASE));
                assertEquals(BUSY, other.run("BEGIN IMMEDIATE"));
                assertEquals("4", other.run("SELECT count(*) FROM groups"));
                change.commit();
            }
            assertEquals("5", other.run("SELECT count(*) FROM groups"));
            assertEquals("ok", other.run("PRAGMA integrity_check"));
            assertEquals("ok", other.run("INSERT INTO groups VALUES (5, 10, 0, 1, 1.0, 'other')"));
        }
        assertEquals(6, groupCount(disk));
    }

    @Test
    void aThreadThatIsInterruptedWhileItReadsEndsNoLock() throws Exception {
        try (OtherProcess other = OtherProcess.open(folder);
                GroupChange change = GroupChange.begin(Disk.real(), folder)) {
            insert(change, 4);
            Thread reader = Thread.ofPlatform().start(() -> {
                Thread.currentThread().interrupt();
                try {
                    groupCount(Disk.real());
                } catch (IOException e) {
                    assertTrue(Thread.interrupted());
                }
            });
            reader.join();
            assertEquals(BUSY, other.run("BEGIN IMMEDIATE"));
            change.commit();
        }
        assertEquals(5, groupCount(Disk.real()));
    }

    @ParameterizedTest
    @MethodSource("disks")
    void aChangeIsRefusedWhileAnotherProcessWrites(Disk disk) throws IOException {
        try (OtherProcess other = OtherProcess.open(folder)) {
            assertEquals("ok", other.run("BEGIN IMMEDIATE"));
            assertEquals("ok", other.run("INSERT INTO groups VALUES (4, 10, 0, 1, 1.0, 'other')"));
            IOException refused = assertThrows(
                    IOException.class,
                    () -> GroupChange.begin(disk, folder, Duration.ZERO).close());
            assertTrue(refused.getMessage().contains("another program has it open"), refused.getMessage());
            assertEquals("ok", other.run("COMMIT"));
            GroupChange.begin(disk, folder, Duration.ZERO).close();
        }
        assertEquals(5, groupCount(disk));
    }

    @ParameterizedTest
    @MethodSource("disks")
    void aCommitIsRefusedWhileAnotherProcessReadsAndLeavesTheOldGroups(Disk disk) throws IOException {
        try (OtherProcess other = OtherProcess.open(folder)) {
            assertEquals("ok", other.run("BEGIN"));
            assertEquals("4", other.run("SELECT count(*) FROM groups"));
            try (GroupChange change = GroupChange.begin(disk, folder, Duration.ZERO)) {
                insert(change, 4);
                assertThrows(IOException.class, change::commit);
            }
            assertEquals("4", other.run("SELECT count(*) FROM groups"));
            assertEquals("ok", other.run("COMMIT"));
            assertFalse(Files.exists(folder.resolve("metadata.db-journal")));
            assertEquals("4", other.run("SELECT count(*) FROM groups"));
            assertEquals("ok", other.run("INSERT INTO groups VALUES (4, 10, 0, 1, 1.0, 'other')"));
        }
        assertEquals(5, groupCount(disk));
    }

    /// A writer in WAL mode keeps a shared lock while it is connected, and its log has committed pages.
    @Test
    void aChangeIsRefusedWhileAnotherProcessUsesALog() throws IOException {
        try (OtherProcess other = OtherProcess.open(folder)) {
            assertEquals("wal", other.run("PRAGMA journal_mode = WAL"));
            try (GroupChange change = GroupChange.begin(Disk.real(), folder, Duration.ZERO)) {
                insert(change, 4);
                assertEquals("ok", other.run("INSERT INTO groups VALUES (4, 10, 0, 1, 1.0, 'other')"));
                assertThrows(IOException.class, change::commit);
            }
            assertEquals("5", other.run("SELECT count(*) FROM groups"));
        }
    }

    @Test
    void aDatabaseThatIsNotUsedAnyMoreLeavesWalMode() throws Exception {
        try (OtherProcess other = OtherProcess.open(folder)) {
            assertEquals("wal", other.run("PRAGMA journal_mode = WAL"));
            assertEquals("ok", other.run("INSERT INTO groups VALUES (4, 10, 0, 1, 1.0, 'other')"));
            // The result has three columns; the first says that no reader was in the way.
            assertEquals("0", other.run("PRAGMA wal_checkpoint(TRUNCATE)"));
            other.kill();
        }
        try (GroupChange change = GroupChange.begin(Disk.real(), folder)) {
            insert(change, 5);
            change.commit();
        }
        try (OtherProcess other = OtherProcess.open(folder)) {
            assertEquals("delete", other.run("PRAGMA journal_mode"));
            assertEquals("6", other.run("SELECT count(*) FROM groups"));
        }
        assertEquals(6, groupCount(Disk.real()));
    }

    /// A disk that fails for ever from some operation on leaves what a killed process leaves.
    @Test
    void sqliteRollsBackTheJournalOfAKilledChange() throws IOException {
        byte[] old = Files.readAllBytes(folder.resolve("metadata.db"));
        int journalCount = 0;
        boolean isDone = false;
        for (long operation = 1; !isDone; operation++) {
            Files.write(folder.resolve("metadata.db"), old);
            // SQLite leaves an unfinished journal, which would change the operations of the next attempt.
            Files.deleteIfExists(folder.resolve("metadata.db-journal"));
            isDone = commit(new FaultyDisk(Disk.real(), new FaultyDisk.Plan(operation, FaultyDisk.Fault.EIO, true)));
            boolean hasJournal = DatabaseBytes.hasJournal(DatabaseFiles.of(Disk.real(), folder));
            try (OtherProcess other = OtherProcess.open(folder)) {
                String count = other.run("SELECT count(*) FROM groups");
                assertTrue(count.equals("5") || count.equals("4") && !isDone, operation + ": " + count);
                assertEquals("ok", other.run("PRAGMA integrity_check"));
            }
            if (hasJournal) {
                journalCount++;
                assertFalse(Files.exists(folder.resolve("metadata.db-journal")), "SQLite has rolled it back");
            }
        }
        assertTrue(journalCount > 3, journalCount + " journals");
    }

    /// @return whether the change was committed
    private boolean commit(Disk disk) {
        try (GroupChange change = GroupChange.begin(disk, folder)) {
            insert(change, 4);
            change.commit();
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
