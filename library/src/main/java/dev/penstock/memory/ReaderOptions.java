// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import java.util.Objects;

/// How to read a dataset, whatever its format. A format that has further options adds them to these.
///
/// @param access      whether files are mapped or read by position
/// @param threads     how many threads one gather of many bytes may use
/// @param memoryBytes how much memory the files may fill, or [#AUTOMATIC]
/// @param disk        where the files are
public record ReaderOptions(Access access, int threads, long memoryBytes, Disk disk) {
    /// A memory budget of most of the memory that the machine has to spare.
    public static final long AUTOMATIC = Long.MIN_VALUE;

    public static final ReaderOptions DEFAULT =
            new ReaderOptions(Access.MMAP, Parallel.defaultThreads(), AUTOMATIC, Disk.real());

    public ReaderOptions {
        Objects.requireNonNull(access, "access");
        Objects.requireNonNull(disk, "disk");
        if (threads < 1) {
            throw new IllegalArgumentException("threads must be at least 1, not " + threads);
        }
        if (memoryBytes < 0 && memoryBytes != AUTOMATIC) {
            throw new IllegalArgumentException("the memory budget must not be negative, got " + memoryBytes);
        }
    }

    public ReaderOptions withAccess(Access access) {
        return new ReaderOptions(access, threads, memoryBytes, disk);
    }

    public ReaderOptions withThreads(int threads) {
        return new ReaderOptions(access, threads, memoryBytes, disk);
    }

    public ReaderOptions withMemoryBytes(long memoryBytes) {
        return new ReaderOptions(access, threads, memoryBytes, disk);
    }

    public ReaderOptions withDisk(Disk disk) {
        return new ReaderOptions(access, threads, memoryBytes, disk);
    }
}
