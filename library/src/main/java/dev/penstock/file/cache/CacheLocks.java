// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file.cache;

import dev.penstock.file.Disk;
import java.io.IOException;
import java.nio.file.Path;

/// The locks of a cache: one byte of its lock file for each block that is being requested, and one for each object
/// that a process uses. The operating system releases the locks of a process that ends.
///
/// Two blocks may share a byte; then one waits for the other. On a file system without locks every process goes on
/// by itself.
///
/// **Threads.** Safe for any number of threads.
final class CacheLocks {
    private static final long BYTE_COUNT = 1L << 60;
    private static final Disk.Lock NONE = () -> {};

    private final Disk disk;
    private final Path file;
    private Disk.Locks locks;

    CacheLocks(Disk disk, Path file) {
        this.disk = disk;
        this.file = file;
    }

    /// Takes the lock for requesting a block.
    ///
    /// @return null when another thread or process has it
    Disk.Lock tryBlock(ObjectKey key, long blockIndex) {
        return tryExclusive((key.high() + blockIndex * 0x9E3779B97F4A7C15L) & BYTE_COUNT - 1);
    }

    /// Marks an object as used by this process.
    Disk.Lock use(ObjectKey key) {
        try {
            Disk.Lock lock = open().tryShared(useByte(key));
            return lock == null ? NONE : lock;
        } catch (IOException e) {
            return NONE;
        }
    }

    /// Takes the lock for deleting the blocks of an object.
    ///
    /// @return null when some process uses the object
    Disk.Lock tryUnused(ObjectKey key) {
        return tryExclusive(useByte(key));
    }

    private static long useByte(ObjectKey key) {
        return BYTE_COUNT + (key.low() & BYTE_COUNT - 1);
    }

    private Disk.Lock tryExclusive(long at) {
        try {
            return open().tryExclusive(at, 1);
        } catch (IOException e) {
            return NONE;
        }
    }

    /// The lock file stays open for as long as the process runs.
    private synchronized Disk.Locks open() throws IOException {
        if (locks == null) {
            locks = disk.locks(file);
        }
        return locks;
    }

    /// Releases a lock.
    static void release(Disk.Lock lock) {
        try {
            lock.close();
        } catch (IOException e) {
            // The lock ends with the process at the latest.
        }
    }
}
