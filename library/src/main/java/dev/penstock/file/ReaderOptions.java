// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.nio.file.Path;
import java.util.Objects;

/// Options for reading a dataset of any format. A format may add its own options to these.
///
/// @param access        whether files of the disk are mapped or read by position
/// @param threads       the largest number of threads that one gather may use
/// @param memoryBytes   the number of bytes of memory that the files may fill, or [#AUTOMATIC]
/// @param disk          the disk that holds the files
/// @param store         the remote store to read from instead of the disk, or null; the caller closes it
/// @param readsInFlight the largest number of parallel requests of one dataset to the store
public record ReaderOptions(
        Access access, int threads, long memoryBytes, Disk disk, RangeStore store, int readsInFlight) {
    /// A memory budget of most of the machine's available memory.
    public static final long AUTOMATIC = Long.MIN_VALUE;

    /// Enough to saturate 1 GB/s with requests of one megabyte that take 30 ms, or a third of it with small
    /// requests.
    public static final int READS_IN_FLIGHT = 32;

    public static final ReaderOptions DEFAULT =
            new ReaderOptions(Access.MMAP, Parallel.defaultThreads(), AUTOMATIC, Disk.real(), null, READS_IN_FLIGHT);

    public ReaderOptions {
        Objects.requireNonNull(access, "access");
        Objects.requireNonNull(disk, "disk");
        if (threads < 1) {
            throw new IllegalArgumentException("threads must be at least 1, got " + threads);
        }
        if (memoryBytes < 0 && memoryBytes != AUTOMATIC) {
            throw new IllegalArgumentException("the memory budget must not be negative, got " + memoryBytes);
        }
        if (readsInFlight < 1) {
            throw new IllegalArgumentException("readsInFlight must be at least 1, got " + readsInFlight);
        }
    }

    public ReaderOptions withAccess(Access access) {
        return new ReaderOptions(access, threads, memoryBytes, disk, store, readsInFlight);
    }

    public ReaderOptions withThreads(int threads) {
        return new ReaderOptions(access, threads, memoryBytes, disk, store, readsInFlight);
    }

    public ReaderOptions withMemoryBytes(long memoryBytes) {
        return new ReaderOptions(access, threads, memoryBytes, disk, store, readsInFlight);
    }

    public ReaderOptions withDisk(Disk disk) {
        return new ReaderOptions(access, threads, memoryBytes, disk, store, readsInFlight);
    }

    public ReaderOptions withStore(RangeStore store) {
        return new ReaderOptions(access, threads, memoryBytes, disk, store, readsInFlight);
    }

    public ReaderOptions withReadsInFlight(int readsInFlight) {
        return new ReaderOptions(access, threads, memoryBytes, disk, store, readsInFlight);
    }

    /// The store in which files are looked up: the remote store, or the disk if there is none.
    public RangeStore files() {
        return store == null ? RangeStore.of(disk) : store;
    }

    /// Creates the request queue of a dataset that is being opened.
    RangeRequests requests() {
        return new RangeRequests(store, readsInFlight);
    }

    /// Rejects a remote location if the options have no store.
    ///
    /// @throws IllegalArgumentException when the location cannot be read with these options
    public void requireReachable(Location location) {
        if (store == null && !location.isLocal()) {
            throw new IllegalArgumentException(
                    location + " is remote: the options need a store that reads it, see ReaderOptions.withStore");
        }
    }

    /// The path of a local file.
    Path localPath(Location location) {
        requireReachable(location);
        return location.path();
    }
}
