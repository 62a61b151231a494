// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static dev.penstock.file.Layouts.U32;

import dev.penstock.ClosedException;
import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Disk;
import dev.penstock.file.ReadStream;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;
import java.util.zip.ZipException;

/// Reads a `.paths` file: paths without values, compressed.
///
/// The file is a single zlib stream (RFC 1950). The stream is a sequence of paths, each preceded by a u32 length,
/// little-endian. There is no count and no end mark. Paths written from a tree are in ascending order; those of
/// other programs may be in any order and may repeat.
///
/// The original reader takes damage for the end of the file; this one reports it.
///
/// **Threads.** One thread at a time.
public final class PathsReader implements AutoCloseable {
    private static final int BUFFER_SIZE = 1 << 16;

    private final Path name;
    private final InputStream source;
    private final Inflater inflater = new Inflater();
    private final InputStream stream;
    private byte[] path = {};
    private boolean isClosed;

    private PathsReader(Path name, InputStream source) {
        this.name = name;
        this.source = source;
        this.stream = new BufferedInputStream(new InflaterInputStream(source, inflater, BUFFER_SIZE), BUFFER_SIZE);
    }

    /// Opens a file.
    public static PathsReader open(Path path) throws IOException {
        return open(path, Disk.real());
    }

    public static PathsReader open(Path path, Disk disk) throws IOException {
        return of(path, new ReadStream(disk.open(path)));
    }

    /// Reads from a stream, which is closed with the reader.
    ///
    /// @param name the name of the stream in messages
    public static PathsReader of(Path name, InputStream stream) {
        return new PathsReader(name, stream);
    }

    /// Reads all paths of a file, in their order.
    public static List<byte[]> readAll(Path path) throws IOException {
        try (PathsReader reader = open(path)) {
            List<byte[]> paths = new ArrayList<>();
            while (reader.next()) {
                paths.add(reader.pathBytes());
            }
            return paths;
        }
    }

    /// Moves to the next path.
    ///
    /// @return false when there are no more
    /// @throws DatasetException.Corrupt when the file is damaged or truncated
    public boolean next() throws IOException {
        if (isClosed) {
            throw new ClosedException(name + " is closed");
        }
        byte[] lengthBytes = read(Integer.BYTES);
        if (lengthBytes.length == 0) {
            return false;
        }
        requireWhole(lengthBytes, Integer.BYTES);
        long length = Integer.toUnsignedLong(MemorySegment.ofArray(lengthBytes).get(U32, 0));
        if (length > TreeFormat.KEY_SIZE_MAX) {
            throw corrupt(
                    Reason.OUT_OF_RANGE,
                    "a path of " + length + " bytes is too long: the limit is " + TreeFormat.KEY_SIZE_MAX);
        }
        path = read((int) length);
        requireWhole(path, (int) length);
        return true;
    }

    /// The bytes of the path. The reader does not change the array.
    public byte[] pathBytes() {
        return path;
    }

    public int pathSize() {
        return path.length;
    }

    /// A copy of the path.
    public byte[] path() {
        return path.clone();
    }

    /// Reads `size` bytes, or fewer at the end of the stream. Memory is allocated as bytes are read, so a wrong
    /// length does not cause a large allocation.
    private byte[] read(int size) throws IOException {
        try {
            byte[] bytes = stream.readNBytes(size);
            if (bytes.length < size) {
                requireEnd();
            }
            return bytes;
        } catch (EOFException e) {
            throw corrupt(Reason.TRUNCATED, "the file ends inside its zlib stream");
        } catch (ZipException e) {
            throw corrupt(Reason.BAD_COMPRESSION, "this is not a zlib stream, or it is damaged: " + e.getMessage());
        }
    }

    private void requireEnd() throws IOException {
        if (inflater.needsDictionary()) {
            throw corrupt(Reason.BAD_COMPRESSION, "the stream needs a dictionary, so it is not a .paths file");
        }
        if (inflater.getRemaining() > 0 || source.read() >= 0) {
            throw corrupt(Reason.BAD_COMPRESSION, "there are extra bytes after the zlib stream");
        }
    }

    private void requireWhole(byte[] bytes, int size) {
        if (bytes.length < size) {
            throw corrupt(Reason.TRUNCATED, "the stream ends inside a path");
        }
    }

    private DatasetException.Corrupt corrupt(Reason reason, String what) {
        return new DatasetException.Corrupt(name, inflater.getBytesRead(), reason, what);
    }

    @Override
    public void close() throws IOException {
        if (!isClosed) {
            isClosed = true;
            inflater.end();
            source.close();
        }
    }
}
