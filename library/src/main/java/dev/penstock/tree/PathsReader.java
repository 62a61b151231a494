// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.memory.Disk;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

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
    private static final int INPUT_SIZE = 1 << 16;
    private static final int LENGTH_SIZE = 4;

    /// Where the bytes of the file come from.
    private interface Source extends AutoCloseable {
        /// @return how many bytes came, 0 at the end
        int read(byte[] target) throws IOException;

        @Override
        void close() throws IOException;
    }

    private final Path path;
    private final Source source;
    private final Inflater inflater = new Inflater();
    private final byte[] input = new byte[INPUT_SIZE];
    private final byte[] output = new byte[INPUT_SIZE];
    private long inputOffset;
    private int outputStart;
    private int outputLimit;
    private byte[] bytes = new byte[256];
    private int size;
    private boolean isClosed;

    private PathsReader(Path path, Source source) {
        this.path = path;
        this.source = source;
    }

    /// Opens a file.
    public static PathsReader open(Path path) throws IOException {
        return open(path, Disk.real());
    }

    public static PathsReader open(Path path, Disk disk) throws IOException {
        Disk.Readable file = disk.open(path);
        return new PathsReader(path, new Source() {
            private long offset;

            @Override
            public int read(byte[] target) throws IOException {
                int count = (int) file.read(offset, MemorySegment.ofArray(target));
                offset += count;
                return count;
            }

            @Override
            public void close() throws IOException {
                file.close();
            }
        });
    }

    /// Reads from a stream, which is closed with the reader.
    ///
    /// @param name what errors call it
    public static PathsReader of(Path name, InputStream stream) {
        return new PathsReader(name, new Source() {
            @Override
            public int read(byte[] target) throws IOException {
                return stream.readNBytes(target, 0, target.length);
            }

            @Override
            public void close() throws IOException {
                stream.close();
            }
        });
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
            if (outputStart == outputLimit && !inflate()) {
                if (mayEnd && size == 0) {
                    return false;
                }
                throw corrupt(Reason.TRUNCATED, "the paths end within one of them");
            }
            int part = Math.min(wanted - size, outputLimit - outputStart);
            if (size + part > bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.max(size + part, 2 * bytes.length));
            }
            System.arraycopy(output, outputStart, bytes, size, part);
            outputStart += part;
            size += part;
        }
        return true;
    }

    /// @return false at the end of the stream
    private boolean inflate() throws IOException {
        outputStart = 0;
        outputLimit = 0;
        try {
            while (outputLimit == 0) {
                if (inflater.finished()) {
                    requireNothingBehind();
                    return false;
                }
                if (inflater.needsDictionary()) {
                    throw corrupt(Reason.BAD_COMPRESSION, "the stream needs a dictionary, so it is no .paths file");
                }
                if (inflater.needsInput()) {
                    feed();
                }
                outputLimit = inflater.inflate(output);
            }
            return true;
        } catch (DataFormatException e) {
            throw corrupt(Reason.BAD_COMPRESSION, "not a zlib stream, or damaged: " + e.getMessage());
        }
    }

    private void feed() throws IOException {
        int count = source.read(input);
        if (count == 0) {
            throw corrupt(Reason.TRUNCATED, "the file ends before its zlib stream does");
        }
        inputOffset += count;
        inflater.setInput(input, 0, count);
    }

    private void requireNothingBehind() throws IOException {
        if (inflater.getRemaining() > 0 || source.read(input) > 0) {
            throw corrupt(Reason.BAD_COMPRESSION, "bytes follow the end of the zlib stream");
        }
    }

    private DatasetException.Corrupt corrupt(Reason reason, String what) {
        return new DatasetException.Corrupt(path, inputOffset - inflater.getRemaining(), reason, what);
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
