// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import dev.penstock.Location;
import java.nio.file.Path;
import java.util.Objects;

/// How to read a dataset, whatever its format. A format that has further options adds them to these.
///
/// @param access        whether files of the disk are mapped or read by position
/// @param threads       how many threads one gather of many bytes may use
/// @param memoryBytes   how much memory the files may fill, or [#AUTOMATIC]
/// @param disk          where the files are
/// @param store         the store that files are read from instead of the disk, or null; the caller closes it
/// @param readsInFlight how many requests of one dataset to the store may be under way at once
public record ReaderOptions(
        Access access, int threads, long memoryBytes, Disk disk, RangeStore store, int readsInFlight) {
    /// A memory budget of most of the memory that the machine has to spare.
    public static final long AUTOMATIC = Long.MIN_VALUE;

    /// Fills a connection of 1 GB/s with requests of a megabyte that take 30 ms, or a third of it with small ones.
    public static final int READS_IN_FLIGHT = 32;

    public static final ReaderOptions DEFAULT =
            new ReaderOptions(Access.MMAP, Parallel.defaultThreads(), AUTOMATIC, Disk.real(), null, READS_IN_FLIGHT);

    public ReaderOptions {
        Objects.requireNonNull(access, "access");
        Objects.requireNonNull(disk, "disk");
        if (threads < 1) {
            throw new IllegalArgumentException("threads must be at least 1, not " + threads);
        }
        if (memoryBytes < 0 && memoryBytes != AUTOMATIC) {
            throw new IllegalArgumentException("the memory budget must not be negative, got " + memoryBytes);
        }
        if (readsInFlight < 1) {
            throw new IllegalArgumentException("readsInFlight must be at least 1, not " + readsInFlight);
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

    /// What files are looked up in: the store, or the disk where there is none.
    public RangeStore files() {
        return store == null ? RangeStore.of(disk) : store;
    }

    /// The requests of a dataset that is being opened.
    RangeRequests requests() {
        return new RangeRequests(store, readsInFlight);
    }

    /// Refuses a remote location where there is no store.
    ///
    /// @throws IllegalArgumentException when the location cannot be read with these options
    public void requireReachable(Location location) {
        if (store == null && !location.isLocal()) {
            throw new IllegalArgumentException(
                    location + " is remote: the options need a store that reads it, see ReaderOptions.withStore");
        }
    }

    /// The path of a file that is not in a store.
    Path localPath(Location location) {
        requireReachable(location);
        return location.path();
    }
}
