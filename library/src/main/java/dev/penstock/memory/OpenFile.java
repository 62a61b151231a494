// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import dev.penstock.DatasetException;
import dev.penstock.Location;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;

/// One open file whose bytes do not change: a [MappedFile], a [PositionalFile], a [CachedFile] or a [RangeFile].
///
/// The size is taken once, when the file is opened. If another program shortens the file later, reads that copy
/// fail with [DatasetException.Corrupt]. There is one exception: the operating system returns zeros for the rest
/// of the page in which a shortened mapped file ends.
///
/// **Ownership.** Views belong to the file and die with it.
///
/// **Threads.** Any number.
public sealed interface OpenFile extends RangeReader, Usable, AutoCloseable
        permits MappedFile, PositionalFile, CachedFile, RangeFile {
    /// Stays in the first-level cache while it is looked at.
    int PIECE_SIZE = 4096;

    /// Opens a file. The memory budget of the options decides later whether it stays in memory.
    static OpenFile open(Path file, ReaderOptions options) throws IOException {
        return open(Location.of(file), options);
    }

    /// Opens a local file, or an object of the store of the options.
    ///
    /// @throws IllegalArgumentException when the location is remote and the options have no store
    static OpenFile open(Location file, ReaderOptions options) throws IOException {
        if (options.store() != null) {
            return RangeFile.open(options.requests(), file, 0);
        }
        Path path = options.localPath(file);
        return options.access() == Access.MMAP
                ? MappedFile.open(path, options)
                : PositionalFile.open(options.disk(), path);
    }

    /// Where the file is.
    Location location();

    /// Its size when it was opened.
    long size();

    /// Whether views are free.
    boolean isMapped();

    /// Whether the file is an object of a store, so that many ranges are best read together, by a [RangeList].
    default boolean isRanged() {
        return false;
    }

    /// Bytes to look at: a part of the mapping, or a private copy where the file is not mapped.
    ///
    /// @throws IndexOutOfBoundsException when the file has no such bytes
    default MemorySegment view(long offset, long byteCount) throws IOException {
        Objects.checkFromIndexSize(offset, byteCount, size());
        MemorySegment copy = MemorySegment.ofArray(new byte[Math.toIntExact(byteCount)]);
        read(offset, copy);
        return copy.asReadOnly();
    }

    /// All bytes of the file in one segment, which stays valid until the file is closed and every lease has been
    /// released: the mapping, or a copy in memory when the file is read.
    ///
    /// @throws UnsupportedOperationException when the file is one of so many that they are mapped on demand
    MemorySegment whole() throws IOException;

    /// Copies bytes into private memory.
    ///
    /// @throws IndexOutOfBoundsException when the file has no such bytes
    @Override
    void read(long offset, MemorySegment target) throws IOException;

    /// Copies a range to the heap, a page at a time, and shows each piece to somebody. All pieces but the last
    /// have [#PIECE_SIZE] bytes.
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

    /// Begins to bring the file into memory, if the memory budget it was opened with allows it.
    default void prepare() {}

    /// Whether the file is too large to stay in memory, so that [#willNeed] is worth calling.
    default boolean isStreamed() {
        return false;
    }

    /// Announces that a range of the file is about to be read.
    default void willNeed(long offset, long byteCount) {}

    /// Whether so many pieces of the file seem to be in memory already, by the look of some of them: then
    /// announcing each would only cost time. False where the system does not tell.
    ///
    /// @param offsets where the pieces begin in the file
    default boolean hasMost(long count, LongUnaryOperator offsets) {
        return false;
    }

    @Override
    void close();
}
