// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

/// The options for opening a format: the shared [ReaderOptions], plus the format's own options.
///
/// @param <T> the type of the options
public interface FormatOptions<T> {
    /// The options that all formats share.
    ReaderOptions reading();

    /// Returns a copy of these options with other shared options.
    T withReading(ReaderOptions reading);

    /// Whether files are mapped or read by position.
    default Access access() {
        return reading().access();
    }

    /// The largest number of threads that one gather may use.
    default int threads() {
        return reading().threads();
    }

    /// The number of bytes of memory that the files may fill, or [ReaderOptions#AUTOMATIC].
    default long memoryBytes() {
        return reading().memoryBytes();
    }

    /// The disk that holds the files.
    default Disk disk() {
        return reading().disk();
    }

    default T withAccess(Access access) {
        return withReading(reading().withAccess(access));
    }

    default T withThreads(int threads) {
        return withReading(reading().withThreads(threads));
    }

    default T withMemoryBytes(long memoryBytes) {
        return withReading(reading().withMemoryBytes(memoryBytes));
    }

    default T withDisk(Disk disk) {
        return withReading(reading().withDisk(disk));
    }

    /// Returns a copy of these options that reads everything from one storage.
    default T withStorage(Storage storage) {
        return withReading(reading().withStorage(storage));
    }

    default T withReadsInFlight(int readsInFlight) {
        return withReading(reading().withReadsInFlight(readsInFlight));
    }
}
