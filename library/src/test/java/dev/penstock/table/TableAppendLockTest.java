// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Progress;
import dev.penstock.memory.Access;
import dev.penstock.memory.ChildJava;
import dev.penstock.memory.Disk;
import dev.penstock.memory.NewFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Two processes append to the same table: no row that was reported as appended is lost.
class TableAppendLockTest {
    private static final TableWriter.Options OPTIONS = TableWriter.Options.DEFAULT;

    @TempDir
    Path folder;

    private Path table(String name) throws IOException {
        Path path = folder.resolve(name);
        try (TableWriter writer = TableWriter.create(path, Tables.RECORD, OPTIONS)) {
            writer.append(MemorySegment.ofArray(new byte[(int) (2 * Tables.RECORD.size())]));
        }
        return path;
    }

    private Process appender(Path path) throws IOException {
        return new ProcessBuilder(ChildJava.command(folder, PausedAppend.class, path, 1)).start();
    }

    private static long count(Path path) throws IOException {
        try (TableReader table = Tables.open(Disk.real(), path, Access.MMAP)) {
            assertTrue(table.verify(Progress.NONE).isOk());
            return table.count();
        }
    }

    private static void appendOne(Path path) throws IOException {
        try (TableWriter writer = TableWriter.extend(path, OPTIONS)) {
            writer.append(MemorySegment.ofArray(new byte[(int) Tables.RECORD.size()]));
        }
    }

    /// Without a lock both processes find the table unchanged, and the one that finishes last takes the rows of
    /// the other away.
    @ParameterizedTest
    @ValueSource(strings = {"table", "table.npy"})
    void rowsOfTwoProcessesAreNotLost(String name) throws Exception {
        Path path = table(name);
        Process process = appender(path);
        try (BufferedReader lines = process.inputReader()) {
            assertEquals("paused", lines.readLine());
            FileSystemException error = assertThrows(FileSystemException.class, () -> appendOne(path));
            // The header of a single file is written over the note just before the file appears.
            String holder = name.equals("table") ? "process " + process.pid() + " on " : "another process";
            assertTrue(error.getMessage().startsWith(path + ": it is being written by " + holder), error.getMessage());
            assertEquals(2, count(path), "readers see the table as it was");
            process.outputWriter().append('\n').flush();
            assertEquals("appended", lines.readLine());
            assertEquals(0, process.waitFor());
        } finally {
            process.destroyForcibly().waitFor();
        }
        assertEquals(3, count(path));
        appendOne(path);
        assertEquals(4, count(path));
        try (Stream<Path> files = Files.walk(folder)) {
            assertFalse(files.anyMatch(NewFile::isTemporary), "the lock is gone");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"table", "table.npy"})
    void aKilledProcessLeavesNoLock(String name) throws Exception {
        Path path = table(name);
        Process process = appender(path);
        try (BufferedReader lines = process.inputReader()) {
            assertEquals("paused", lines.readLine());
        } finally {
            process.destroyForcibly().waitFor();
        }
        appendOne(path);
        assertEquals(3, count(path));
    }

    @Test
    void aSecondWriterInTheProcessIsRefused() throws IOException {
        Path path = table("table");
        try (TableWriter first = TableWriter.extend(path, OPTIONS)) {
            assertThrows(FileSystemException.class, () -> TableWriter.extend(path, OPTIONS));
            assertThrows(FileSystemException.class, () -> appendOne(path));
            first.abort();
        }
        appendOne(path);
        assertEquals(3, count(path));
    }

    @Test
    void aTableThatIsBeingCreatedIsLocked() throws IOException {
        Path path = folder.resolve("new");
        try (TableWriter first = TableWriter.create(path, Tables.RECORD, OPTIONS)) {
            FileSystemException error =
                    assertThrows(FileSystemException.class, () -> TableWriter.create(path, Tables.RECORD, OPTIONS));
            assertTrue(
                    error.getMessage().contains("is being written by another writer of this process"),
                    error.getMessage());
            first.append(MemorySegment.ofArray(new byte[(int) Tables.RECORD.size()]));
        }
        assertEquals(1, count(path));
    }
}
