// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WriterLockTest {
    private static final String LOCK = ".lock";

    @TempDir
    Path folder;

    private WriterLock take(Disk disk) throws IOException {
        return WriterLock.take(disk, folder.resolve(LOCK), folder);
    }

    @Test
    void aSecondWriterInTheProcessIsToldWhoHoldsTheLock() throws IOException {
        for (Disk disk : new Disk[] {Disk.real(), new MemoryDisk().addFolder(folder)}) {
            WriterLock first = take(disk);
            FileSystemException error = assertThrows(FileSystemException.class, () -> take(disk));
            String expected = folder + ": it is being written by process "
                    + ProcessHandle.current().pid() + " on ";
            assertTrue(error.getMessage().startsWith(expected), error.getMessage());
            first.close();
            first.close();
            take(disk).close();
        }
    }

    @Test
    void aSecondProcessIsKeptOutAndAKilledOneLeavesNoLock() throws Exception {
        Path file = folder.resolve(LOCK);
        Process process = new ProcessBuilder(ChildJava.command(folder, LockHolder.class, file)).start();
        try (BufferedReader lines = process.inputReader()) {
            assertEquals("locked", lines.readLine());
            FileSystemException error = assertThrows(FileSystemException.class, () -> take(Disk.real()));
            assertTrue(error.getMessage().contains("written by process " + process.pid()), error.getMessage());
        } finally {
            process.destroyForcibly().waitFor();
        }
        take(Disk.real()).close();
        assertTrue(Files.exists(file), "a lock file that is removed would let two processes lock two files");
    }

    /// Closing another descriptor of the file would end the lock of the process.
    @Test
    void aFailedAttemptInTheProcessDoesNotEndTheLock() throws Exception {
        Path file = folder.resolve(LOCK);
        WriterLock first = take(Disk.real());
        assertThrows(FileInUseException.class, () -> take(Disk.real()));
        ChildJava.Result result = ChildJava.run(folder, ChildJava.command(folder, LockHolder.class, file));
        assertEquals(1, result.exitCode());
        assertTrue(result.output().contains("FileInUseException"), result.output());
        first.close();
    }
}
