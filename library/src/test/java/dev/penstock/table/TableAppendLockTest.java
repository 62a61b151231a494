// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Progress;
import dev.penstock.file.Access;
import dev.penstock.file.ChildJava;
import dev.penstock.file.Disk;
import dev.penstock.file.NewFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
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

    /// Another program that ignores the lock puts other rows of the same size there.
    private interface Change {
        void apply(Path path, byte[] other) throws IOException;
    }

    private void requireNoticed(Change change) throws IOException {
        Path path = table("table.npy");
        byte[] other = Files.readAllBytes(path);
        other[other.length - 1] = 7;
        TableWriter writer = TableWriter.extend(path, OPTIONS);
        writer.append(MemorySegment.ofArray(new byte[(int) Tables.RECORD.size()]));
        change.apply(path, other);
        IOException refused = assertThrows(IOException.class, writer::close);
        assertTrue(refused.getMessage().contains("was changed by another program"), refused.getMessage());
        assertArrayEquals(other, Files.readAllBytes(path), "the rows of the other program are not lost");
        appendOne(path);
        assertEquals(3, count(path));
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(1, files.count(), "no temporary file is left");
        }
    }

    @Test
    void aFileThatWasReplacedByOneOfTheSameSizeIsNoticed() throws IOException {
        requireNoticed((path, other) -> {
            Path replacement = Files.write(folder.resolve("other"), other);
            Files.setLastModifiedTime(replacement, Files.getLastModifiedTime(path));
            Files.move(replacement, path, StandardCopyOption.REPLACE_EXISTING);
        });
    }

    @Test
    void rowsThatWereChangedInPlaceAreNoticed() throws IOException {
        requireNoticed((path, other) -> {
            FileTime time = Files.getLastModifiedTime(path);
            try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
                channel.write(ByteBuffer.wrap(other));
            }
            Files.setLastModifiedTime(path, time);
        });
    }

    @Test
    void rowsOfAnotherTypeAndTheSameSizeAreNoticed() throws IOException {
        requireNoticed((path, other) -> {
            other[other.length - 1] = 0;
            String header = new String(other, StandardCharsets.ISO_8859_1);
            int at = header.indexOf("<u8");
            assertTrue(at > 0, header);
            other[at + 1] = 'i';
            Files.write(path, other);
        });
    }

    @Test
    void aFileThatWasRemovedIsNoticed() throws IOException {
        Path path = table("table.npy");
        TableWriter writer = TableWriter.extend(path, OPTIONS);
        writer.append(MemorySegment.ofArray(new byte[(int) Tables.RECORD.size()]));
        Files.delete(path);
        assertThrows(IOException.class, writer::close);
        assertFalse(Files.exists(path));
    }
}
