// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.memory.Disk;
import dev.penstock.memory.ReadStream;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;
import java.util.zip.ZipException;

/// Reads a `.paths` file: paths without values, compressed.
///
/// The file is one zlib stream (RFC 1950) and nothing else; inside it are, again and again, a u32 length,
/// little-endian,
/// and so many bytes of path. There is no count and no end mark. Paths are in ascending order when a tree was
/// written, and in any order, or repeated, when another program wrote them.
///
/// The original's reader takes damage for the end; this one reports it.
///
/// **Ownership.** [#pathBytes] is the reader's own array and says something else after the next [#next].
///
/// **Threads.** One at a time.
public final class PathsReader implements AutoCloseable {
    private static final int PIECE_SIZE = 1 << 16;
    private static final int LENGTH_SIZE = Integer.BYTES;

    private final Path path;
    private final InputStream source;
    private final Inflater inflater = new Inflater();
    private final InputStream stream;
    private byte[] bytes = new byte[256];
    private int size;
    private boolean isClosed;

    private PathsReader(Path path, InputStream source) {
        this.path = path;
        this.source = source;
        this.stream = new BufferedInputStream(new InflaterInputStream(source, inflater, PIECE_SIZE), PIECE_SIZE);
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
    /// @param name what errors call it
    public static PathsReader of(Path name, InputStream stream) {
        return new PathsReader(name, stream);
    }

    /// All paths of a file, as they come.
    public static List<byte[]> readAll(Path path) throws IOException {
        try (PathsReader reader = open(path)) {
            List<byte[]> paths = new ArrayList<>();
            while (reader.next()) {
                paths.add(reader.path());
            }
            return paths;
        }
    }

    /// Goes to the next path.
    ///
    /// @return false behind the last one
    /// @throws DatasetException.Corrupt when the file is damaged or cut short
    public boolean next() throws IOException {
        if (isClosed) {
            throw new IllegalStateException(path + " is closed");
        }
        size = 0;
        if (!fill(LENGTH_SIZE, true)) {
            return false;
        }
        long length = bytes[0] & 0xFF | (bytes[1] & 0xFF) << 8 | (bytes[2] & 0xFF) << 16 | (bytes[3] & 0xFFL) << 24;
        if (length > TreeFormat.KEY_SIZE_MAX) {
            throw corrupt(
                    Reason.OUT_OF_RANGE,
                    "a path of " + length + " bytes, more than the " + TreeFormat.KEY_SIZE_MAX + " that are allowed");
        }
        size = 0;
        fill((int) length, false);
        return true;
    }

    /// The bytes of the path, in an array that is usually longer: see [#pathSize].
    public byte[] pathBytes() {
        return bytes;
    }

    public int pathSize() {
        return size;
    }

    /// A copy of the path.
    public byte[] path() {
        return Arrays.copyOf(bytes, size);
    }

    /// Takes so many bytes out of the stream. The array grows with what has really come, so that a false length
    /// asks for no memory.
    ///
    /// @return false when the stream ends before the first one and may
    private boolean fill(int wanted, boolean mayEnd) throws IOException {
        while (size < wanted) {
            if (size == bytes.length) {
                bytes = Arrays.copyOf(bytes, 2 * size);
            }
            int count = inflate(Math.min(wanted, bytes.length) - size);
            if (count < 0) {
                requireEnd();
                if (mayEnd && size == 0) {
                    return false;
                }
                throw corrupt(Reason.TRUNCATED, "the paths end within one of them");
            }
            size += count;
        }
        return true;
    }

    private int inflate(int wanted) throws IOException {
        try {
            return stream.read(bytes, size, wanted);
        } catch (EOFException e) {
            throw corrupt(Reason.TRUNCATED, "the file ends before its zlib stream does");
        } catch (ZipException e) {
            throw corrupt(Reason.BAD_COMPRESSION, "not a zlib stream, or damaged: " + e.getMessage());
        }
    }

    private void requireEnd() throws IOException {
        if (inflater.needsDictionary()) {
            throw corrupt(Reason.BAD_COMPRESSION, "the stream needs a dictionary, so it is no .paths file");
        }
        if (inflater.getRemaining() > 0 || source.read() >= 0) {
            throw corrupt(Reason.BAD_COMPRESSION, "bytes follow the end of the zlib stream");
        }
    }

    private DatasetException.Corrupt corrupt(Reason reason, String what) {
        return new DatasetException.Corrupt(path, inflater.getBytesRead(), reason, what);
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
