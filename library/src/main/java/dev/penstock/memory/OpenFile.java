// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.function.Consumer;

/// One open file whose bytes do not change: a [MappedFile] or a [PositionalFile].
///
/// The size is taken once, when the file is opened. If another program shortens the file later, reads that copy
/// fail with [DatasetException.Corrupt]. There is one exception: the operating system returns zeros for the rest
/// of the page in which a shortened mapped file ends.
///
/// **Ownership.** Views belong to the file and die with it.
///
/// **Threads.** Any number.
public sealed interface OpenFile extends AutoCloseable permits MappedFile, PositionalFile {
    /// Stays in the first-level cache while it is looked at.
    int PIECE_SIZE = 4096;

    /// Opens a file.
    static OpenFile open(Disk disk, Path file, Access access) throws IOException {
        return access == Access.MMAP ? MappedFile.open(disk, file) : PositionalFile.open(disk, file);
    }

    /// The file.
    Path path();

    /// Its size when it was opened.
    long size();

    /// Whether views are free.
    boolean isMapped();

    /// Bytes to look at: a part of the mapping, or a private copy when the file is read.
    ///
    /// @throws IndexOutOfBoundsException when the file has no such bytes
    MemorySegment view(long offset, long byteCount) throws IOException;

    /// All bytes of the file in one segment, which stays valid until the file is closed and every lease has been
    /// released: the mapping, or a copy in memory when the file is read.
    MemorySegment whole() throws IOException;

    /// Copies bytes into private memory.
    ///
    /// @throws IndexOutOfBoundsException when the file has no such bytes
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

    /// Holds the file open until [#release], whoever closes it meanwhile.
    ///
    /// @throws IllegalStateException when it is closed
    void acquire();

    /// Ends what [#acquire] began.
    void release();

    /// Something done with the bytes.
    @FunctionalInterface
    interface Use<T, E extends Exception> {
        T run() throws E;
    }

    /// Does something while the file is held open, and turns a page that cannot be read into the error that
    /// says so.
    default <T, E extends Exception> T use(Use<T, E> use) throws E {
        acquire();
        try {
            T result = use.run();
            Faults.settle();
            return result;
        } catch (InternalError e) {
            throw Faults.translate(e, path(), 0, size());
        } finally {
            release();
        }
    }

    /// What is known about keeping the file in memory.
    Residency residency();

    @Override
    void close();
}
