// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

/// The options of the reader of one format: the shared [ReaderOptions], and whatever the format adds to them.
///
/// @param <T> the options of the format
public interface FormatOptions<T> {
    /// The options that all formats share.
    ReaderOptions reading();

    /// The same options of the format, with other shared ones.
    T withReading(ReaderOptions reading);

    /// Whether files are mapped or read by position.
    default Access access() {
        return reading().access();
    }

    /// How many threads one gather of many bytes may use.
    default int threads() {
        return reading().threads();
    }

    /// How much memory the files may fill, or [ReaderOptions#AUTOMATIC].
    default long memoryBytes() {
        return reading().memoryBytes();
    }

    /// Where the files are.
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

    /// Makes the format read from a store of objects instead of the disk.
    default T withStore(RangeStore store) {
        return withReading(reading().withStore(store));
    }

    default T withReadsInFlight(int readsInFlight) {
        return withReading(reading().withReadsInFlight(readsInFlight));
    }
}
