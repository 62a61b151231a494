// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/// The exclusive right to change a dataset. Only one writer among all processes of the machine can hold it.
///
/// It is an exclusive lock on one byte of a lock file, and the file says who holds it. The operating system
/// releases the lock of a process that ends. The file is never deleted: otherwise two processes could lock two
/// files with the same path. Readers do not need the lock.
///
/// **Threads.** Safe for any number of threads.
public final class WriterLock implements AutoCloseable {
    /// This byte is beyond the text, because some systems do not allow a locked byte to be read.
    private static final long LOCKED_BYTE = 1L << 30;

    private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");

    private final Disk.Locks locks;

    private WriterLock(Disk.Locks locks) {
        this.locks = locks;
    }

    /// Takes the lock of a dataset, or fails at once and says who holds it.
    ///
    /// @param file    the lock file, which is created if it does not exist
    /// @param dataset the path to name in the message
    /// @throws FileInUseException when another writer holds the lock
    /// @throws IOException        also when the file system does not support locks
    public static WriterLock take(Disk disk, Path file, Path dataset) throws IOException {
        Disk.Locks locks = disk.locks(file);
        try {
            if (locks.tryExclusive(LOCKED_BYTE, 1) == null) {
                String holder = locks.text();
                throw new FileInUseException(dataset, holder.isEmpty() ? "another process" : holder);
            }
            locks.setText(self());
            return new WriterLock(locks);
        } catch (Throwable e) {
            locks.close();
            throw e;
        }
    }

    /// Describes this process and the time at which it began to write.
    static String self() {
        return "process " + ProcessHandle.current().pid() + " on " + host() + " since "
                + Instant.now().truncatedTo(ChronoUnit.SECONDS);
    }

    /// Does not ask the network for the host name, which could take seconds.
    private static String host() {
        try {
            return Files.readString(HOST_NAME).strip();
        } catch (IOException e) {
            String name = System.getenv("COMPUTERNAME");
            return name == null ? "this machine" : name;
        }
    }

    /// Releases the lock.
    @Override
    public void close() throws IOException {
        locks.close();
    }
}
