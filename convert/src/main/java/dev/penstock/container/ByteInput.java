// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.ReadStream;
import io.airlift.compress.v3.MalformedInputException;
import io.airlift.compress.v3.zstd.ZstdInputStream;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/// The bytes of a file from the first to the last, unpacked if the file begins like gzip or Zstandard.
///
/// Offsets count unpacked bytes. A size that a file announces is compared with what is left of it before memory is
/// allocated; in a compressed file, whose size is not known, memory grows with the bytes that are there.
///
/// **Ownership.** Owns the open file. **Threads.** One thread at a time.
final class ByteInput implements AutoCloseable {
    /// No value of a dataset is larger.
    static final long VALUE_SIZE_MAX = 1L << 30;

    private static final int BUFFER_SIZE = 1 << 18;
    private static final int PIECE_SIZE = 1 << 20;

    private final SourceFile source;
    private final Disk.Readable file;
    /// The unpacked bytes, or null if the file is not compressed.
    private final InputStream unpacked;

    private final byte[] buffer = new byte[BUFFER_SIZE];
    private long bufferOffset;
    private int start;
    private int limit;
    private long packedBytes;

    private ByteInput(SourceFile source, Disk.Readable file) throws IOException {
        this.source = source;
        this.file = file;
        this.unpacked = unpacked();
    }

    static ByteInput open(SourceFile source) throws IOException {
        Disk.Readable file = source.storage().open(source.location());
        try {
            if (file.size() != source.size()) {
                throw source.changed();
            }
            return new ByteInput(source, file);
        } catch (Throwable e) {
            file.close();
            throw e;
        }
    }

    /// Whether bytes are the beginning of a file that is unpacked.
    static boolean isPacked(byte[] head) {
        boolean isGzip = head.length > 1 && head[0] == 0x1f && head[1] == (byte) 0x8b;
        return isGzip || isZstd(head);
    }

    private static boolean isZstd(byte[] head) {
        return head.length > 3
                && head[0] == 0x28
                && head[1] == (byte) 0xb5
                && head[2] == 0x2f
                && head[3] == (byte) 0xfd;
    }

    private InputStream unpacked() throws IOException {
        byte[] head = new byte[4];
        byte[] found = Arrays.copyOf(head, (int) file.read(0, MemorySegment.ofArray(head)));
        file.read(0, MemorySegment.ofArray(found));
        if (!isPacked(found)) {
            return null;
        }
        InputStream packed = new BufferedInputStream(new PackedBytes(new ReadStream(file)), BUFFER_SIZE);
        try {
            return isZstd(found) ? new ZstdInputStream(packed) : new GZIPInputStream(packed, 1 << 16);
        } catch (EOFException | ZipException e) {
            throw bad(e);
        }
    }

    /// Counts the bytes of a compressed file that were read, for the progress.
    private final class PackedBytes extends InputStream {
        private final InputStream stream;

        PackedBytes(InputStream stream) {
            this.stream = stream;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            int count = stream.read(target, offset, length);
            packedBytes += Math.max(0, count);
            return count;
        }
    }

    Location location() {
        return source.location();
    }

    /// The offset of the next byte.
    long position() {
        return bufferOffset + start;
    }

    /// The bytes of the file that were read, for the progress.
    long doneBytes() {
        return unpacked == null ? position() : packedBytes;
    }

    DatasetException.Corrupt corrupt(long offset, Reason reason, String what) {
        return new DatasetException.Corrupt(location(), offset, reason, what);
    }

    private DatasetException.Corrupt truncated(String what) {
        return corrupt(position(), Reason.TRUNCATED, "the file ends inside " + what);
    }

    private DatasetException.Corrupt bad(Exception e) {
        boolean isCut = e instanceof EOFException;
        return new DatasetException.Corrupt(
                location(),
                position(),
                isCut ? Reason.TRUNCATED : Reason.BAD_COMPRESSION,
                isCut ? "the compressed file is truncated" : "the file cannot be unpacked: " + e.getMessage(),
                e);
    }

    /// Fills the buffer when it is empty.
    ///
    /// @return whether there are bytes
    private boolean fill() throws IOException {
        if (start < limit) {
            return true;
        }
        bufferOffset += limit;
        start = 0;
        limit = 0;
        limit = Math.max(0, some(bufferOffset, buffer, 0, buffer.length));
        return limit > 0;
    }

    /// Reads bytes at the end of what was read.
    private int some(long offset, byte[] target, int at, int length) throws IOException {
        if (unpacked == null) {
            return (int) file.read(offset, MemorySegment.ofArray(target).asSlice(at, length));
        }
        try {
            return unpacked.read(target, at, length);
        } catch (EOFException | ZipException | MalformedInputException | IndexOutOfBoundsException e) {
            throw bad(e);
        } catch (IOException e) {
            // The unpacker of Zstandard wraps what it finds wrong.
            if (e.getCause() instanceof MalformedInputException || isOfUnpacker(e)) {
                throw bad(e);
            }
            throw e;
        }
    }

    private static boolean isOfUnpacker(IOException e) {
        return e.getStackTrace().length > 0
                && e.getStackTrace()[0].getClassName().startsWith("io.airlift");
    }

    /// Whether the file ends here.
    boolean isAtEnd() throws IOException {
        return !fill();
    }

    /// Fills a part of an array as far as there are bytes.
    ///
    /// @return the number of bytes read
    int readSome(byte[] target, int at, int length) throws IOException {
        int done = 0;
        while (done < length) {
            if (start == limit && length - done >= BUFFER_SIZE) {
                bufferOffset += limit;
                start = 0;
                limit = 0;
                int count = some(bufferOffset, target, at + done, length - done);
                if (count <= 0) {
                    break;
                }
                bufferOffset += count;
                done += count;
            } else if (fill()) {
                int count = Math.min(length - done, limit - start);
                System.arraycopy(buffer, start, target, at + done, count);
                start += count;
                done += count;
            } else {
                break;
            }
        }
        return done;
    }

    /// Fills an array.
    ///
    /// @param what what is read, for the message when the file ends in it
    void read(byte[] target, String what) throws IOException {
        if (readSome(target, 0, target.length) < target.length) {
            throw truncated(what);
        }
    }

    /// Reads a value of a size that the file announces.
    ///
    /// @param what what is read, for messages
    byte[] value(long size, String what) throws IOException {
        if (size < 0 || size > VALUE_SIZE_MAX) {
            throw corrupt(
                    position(),
                    Reason.OUT_OF_RANGE,
                    what + " has " + Long.toUnsignedString(size) + " bytes; the limit is " + VALUE_SIZE_MAX);
        }
        if (unpacked == null && size > source.size() - position()) {
            throw truncated(what);
        }
        byte[] value = new byte[(int) (unpacked == null ? size : Math.min(size, PIECE_SIZE))];
        int done = readSome(value, 0, value.length);
        while (done == value.length && done < size) {
            value = Arrays.copyOf(value, (int) Math.min(size, value.length * 2L));
            done += readSome(value, done, value.length - done);
        }
        if (done < size) {
            throw truncated(what);
        }
        return value;
    }

    /// Skips bytes. In a file that is not compressed they are not read.
    void skip(long count, String what) throws IOException {
        long left = count;
        while (left > 0) {
            int some = (int) Math.min(left, limit - start);
            start += some;
            left -= some;
            if (left > 0 && unpacked == null) {
                seek(position() + left, what);
                return;
            }
            if (left > 0 && !fill()) {
                throw truncated(what);
            }
        }
    }

    /// Goes to an offset of a file that is not compressed.
    void seek(long offset, String what) {
        if (offset > source.size()) {
            bufferOffset = source.size();
            start = 0;
            limit = 0;
            throw truncated(what);
        }
        boolean isInside = offset >= bufferOffset && offset <= bufferOffset + limit;
        start = isInside ? (int) (offset - bufferOffset) : 0;
        limit = isInside ? limit : 0;
        bufferOffset = isInside ? bufferOffset : offset;
    }

    /// Requires that no other program has changed the size of the file.
    void requireUnchanged() throws IOException {
        if (file.size() != source.size()) {
            throw source.changed();
        }
    }

    @Override
    public void close() throws IOException {
        try {
            if (unpacked != null) {
                unpacked.close();
            }
        } finally {
            file.close();
        }
    }
}
