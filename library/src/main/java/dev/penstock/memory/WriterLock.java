// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/// The right to change a dataset, which one writer at a time has, among all processes of the machine.
///
/// It is an exclusive lock on a byte of a file, and the file says who holds it. The operating system ends the lock
/// of a process that is gone. The file itself stays: if it were removed, two processes could lock two files of the
/// same name. Readers do not ask for the lock.
///
/// **Threads.** Any number.
public final class WriterLock implements AutoCloseable {
    /// Behind the text, because some systems do not let a locked byte be read.
    private static final long LOCKED_BYTE = 1L << 30;

    private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");

    private final Disk.Locks locks;

    private WriterLock(Disk.Locks locks) {
        this.locks = locks;
    }

    /// Takes the lock of a dataset, or fails at once and says who has it.
    ///
    /// @param file    the lock file, which is created when it is absent
    /// @param dataset named in the message
    /// @throws FileSystemException when another writer has the lock
    /// @throws IOException         also when the file system has no locks
    public static WriterLock take(Disk disk, Path file, Path dataset) throws IOException {
        Disk.Locks locks = disk.locks(file);
        try {
            if (locks.tryExclusive(LOCKED_BYTE, 1) == null) {
                String holder = locks.text();
                throw new FileSystemException(
                        dataset.toString(),
                        null,
                        "it is being written by " + (holder.isEmpty() ? "another process" : holder)
                                + "; wait until that writer has finished");
            }
            locks.setText(self());
            return new WriterLock(locks);
        } catch (Throwable e) {
            locks.close();
            throw e;
        }
    }

    /// Says which process this is, and when it began to write.
    static String self() {
        return "process " + ProcessHandle.current().pid() + " on " + host() + " since "
                + Instant.now().truncatedTo(ChronoUnit.SECONDS);
    }

    /// Asking the network for the name could take seconds.
    private static String host() {
        try {
            return Files.readString(HOST_NAME).strip();
        } catch (IOException e) {
            String name = System.getenv("COMPUTERNAME");
            return name == null ? "this machine" : name;
        }
    }

    /// Lets the next writer in.
    @Override
    public void close() throws IOException {
        locks.close();
    }
}
