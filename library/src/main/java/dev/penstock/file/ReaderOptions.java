// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.util.Objects;

/// Options for reading a dataset of any format. A format may add its own options to these.
///
/// Readers are as lenient as the original: they read every file that the original reads, and `verify` reports
/// deviations as warnings. Such files exist. Unknown flags are the exception: reading compressed bytes as raw
/// ones would be garbage.
///
/// @param access        whether files of the disk are mapped or read by position
/// @param threads       the largest number of threads that one gather may use
/// @param memoryBytes   the number of bytes of memory that the files may fill, or [#AUTOMATIC]
/// @param disk          the disk that holds the files
/// @param storage       the storage that everything is read from, or null to read local paths from the disk and
///                      URIs from the storage for their scheme; the caller closes it
/// @param readsInFlight the largest number of parallel requests of one dataset to a remote storage
/// @param cache         the cache of remote objects on the local disk, or null for the one that the environment
///                      describes ([CacheOptions#ofEnvironment]); objects of a given storage are not cached
public record ReaderOptions(
        Access access,
        int threads,
        long memoryBytes,
        Disk disk,
        Storage storage,
        int readsInFlight,
        CacheOptions cache) {
    /// A memory budget of most of the machine's available memory.
    public static final long AUTOMATIC = Long.MIN_VALUE;

    /// Enough to saturate 1 GB/s with requests of one megabyte that take 30 ms, or a third of it with small
    /// requests.
    public static final int READS_IN_FLIGHT = 32;

    public static final ReaderOptions DEFAULT = new ReaderOptions(
            Access.MMAP, Parallel.defaultThreads(), AUTOMATIC, Disk.real(), null, READS_IN_FLIGHT, null);

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
        return new ReaderOptions(access, threads, memoryBytes, disk, storage, readsInFlight, cache);
    }

    public ReaderOptions withThreads(int threads) {
        return new ReaderOptions(access, threads, memoryBytes, disk, storage, readsInFlight, cache);
    }

    public ReaderOptions withMemoryBytes(long memoryBytes) {
        return new ReaderOptions(access, threads, memoryBytes, disk, storage, readsInFlight, cache);
    }

    public ReaderOptions withDisk(Disk disk) {
        return new ReaderOptions(access, threads, memoryBytes, disk, storage, readsInFlight, cache);
    }

    public ReaderOptions withStorage(Storage storage) {
        return new ReaderOptions(access, threads, memoryBytes, disk, storage, readsInFlight, cache);
    }

    public ReaderOptions withReadsInFlight(int readsInFlight) {
        return new ReaderOptions(access, threads, memoryBytes, disk, storage, readsInFlight, cache);
    }

    public ReaderOptions withCache(CacheOptions cache) {
        return new ReaderOptions(access, threads, memoryBytes, disk, storage, readsInFlight, cache);
    }

    /// The storage that holds a location: the one that was given, the disk for a local path, or else the storage
    /// for the scheme of the URI, which a [StorageProvider] on the classpath provides.
    ///
    /// @throws IllegalArgumentException when there is no storage for the scheme
    public Storage storageOf(Location location) {
        if (storage != null) {
            return storage;
        }
        return location.isLocal()
                ? Storage.of(disk)
                : Storages.of(location, cache == null ? CacheOptions.ofEnvironment() : cache);
    }

    /// Whether a location is a file or folder of the disk, so that it can be mapped. Everything else is read by
    /// range.
    public boolean isOnDisk(Location location) {
        return storage == null && location.isLocal();
    }
}
