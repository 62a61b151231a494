// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import dev.penstock.DatasetException;
import dev.penstock.Io;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;

/// An open file whose bytes do not change: a [MappedFile], a [PositionalFile], a [CachedFile] or a [RangeFile].
///
/// The size is determined once, when the file is opened. If another program shortens the file later, copying reads
/// fail with [DatasetException.Corrupt]. There is one exception: for the rest of the page in which a shortened
/// mapped file ends, the operating system returns zeros.
///
/// Lookups in a tree larger than memory switch readahead off (`OpenFile.isScattered`); a scan announces the
/// range that it will read. With readahead the system read 6.6 MB for each lookup.
///
/// **Ownership.** Views belong to the file and are valid until it is closed.
///
/// **Threads.** Safe for any number of threads.
public sealed interface OpenFile extends RangeReader, Usable, AutoCloseable permits MappedFile, CopiedFile {
    /// The size of a piece: one page, which stays in the first-level cache.
    int PIECE_SIZE = 4096;

    /// Opens a file. The memory budget of the options decides later whether it stays resident.
    static OpenFile open(Path file, ReaderOptions options) throws IOException {
        return open(Location.of(file), options);
    }

    /// Opens a file of the disk, or an object of another storage, which is read by range.
    ///
    /// @throws IllegalArgumentException when there is no storage for the scheme of the location
    static OpenFile open(Location file, ReaderOptions options) throws IOException {
        if (!options.isOnDisk(file)) {
            return RangeFile.open(new RangeRequests(options.readsInFlight()), options.storageOf(file), file, 0);
        }
        return options.access() == Access.MMAP
                ? MappedFile.open(file.path(), options)
                : PositionalFile.open(options.disk(), file.path());
    }

    /// Opens a file and makes a reader of it. The file is closed when that fails.
    ///
    /// @param reader reads the parts of the file that every reader needs; the result owns the file
    static <T> T open(Location location, ReaderOptions options, Io.Function<OpenFile, T> reader) throws IOException {
        OpenFile file = open(location, options);
        try {
            return file.use(() -> reader.apply(file));
        } catch (Throwable e) {
            file.close();
            throw e;
        }
    }

    /// The location of the file.
    Location location();

    /// The size of the file when it was opened.
    long size();

    /// Whether the file is mapped, so that views need no copy.
    boolean isMapped();

    /// Whether the file is an object of a remote storage. Many ranges are then best read together, by a
    /// [RangeList].
    default boolean isRanged() {
        return false;
    }

    /// Returns bytes of the file: a view of the mapping, or a private copy when the file is not mapped.
    ///
    /// @throws IndexOutOfBoundsException when the range is out of range
    default MemorySegment view(long offset, long byteCount) throws IOException {
        Objects.checkFromIndexSize(offset, byteCount, size());
        MemorySegment copy = MemorySegment.ofArray(new byte[Math.toIntExact(byteCount)]);
        read(offset, copy);
        return copy.asReadOnly();
    }

    /// Returns all bytes of the file in one segment: the mapping, or a copy in memory when the file is not mapped.
    /// It is valid until the file is closed and every lease has been released.
    ///
    /// @throws UnsupportedOperationException when the file is mapped on demand, as one of more than 2,048 files
    MemorySegment whole() throws IOException;

    /// Copies bytes into private memory.
    ///
    /// @throws IndexOutOfBoundsException when the range is out of range
    @Override
    void read(long offset, MemorySegment target) throws IOException;

    /// Copies a range to the heap, page by page, and passes each piece to `look`. All pieces except the last have
    /// [#PIECE_SIZE] bytes.
    default void forEachPiece(long offset, long byteCount, Consumer<MemorySegment> look) throws IOException {
        MemorySegment piece = MemorySegment.ofArray(new byte[PIECE_SIZE]);
        for (long done = 0; done < byteCount; done += PIECE_SIZE) {
            MemorySegment part = piece.asSlice(0, Math.min(PIECE_SIZE, byteCount - done));
            read(offset + done, part);
            look.accept(part);
        }
    }

    @Override
    default DatasetException translate(InternalError fault) {
        return Faults.translate(fault, location(), 0, size());
    }

    /// Starts loading the file into memory, if the memory budget allows it.
    default void prepare() {}

    /// Whether the file is too large to stay resident, so that [#willNeed] is useful.
    default boolean isStreamed() {
        return false;
    }

    /// [#isStreamed] for a file with scattered single-byte reads: a file that fits is not loaded in advance.
    default boolean isScattered() {
        return false;
    }

    /// Prefetches a range of the file.
    default void willNeed(long offset, long byteCount) {}

    /// Loads a range of the file into memory and returns when it is there.
    ///
    /// @throws DatasetException when the file was shortened
    default void fetch(long offset, long byteCount) throws IOException {
        MemorySegment one = MemorySegment.ofArray(new byte[1]);
        for (long at = offset; at < offset + byteCount; at = (at / Advice.PAGE_SIZE + 1) * Advice.PAGE_SIZE) {
            read(at, one);
        }
    }

    /// Says that a range of the file is not needed for now. It stays in the page cache while there is room.
    default void letGo(long offset, long byteCount) {}

    /// Whether most of `count` pieces of the file seem to be in the page cache, judged by a sample. Prefetching
    /// them would then only cost time. False if the system does not tell.
    ///
    /// @param offsets the offsets of the pieces in the file
    default boolean hasMost(long count, LongUnaryOperator offsets) {
        return false;
    }

    @Override
    void close();
}
