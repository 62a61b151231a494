// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import dev.penstock.file.Storage;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileSystemException;
import java.nio.file.Path;

/// An input stream that counts the bytes read.
public final class CountingStream extends FilterInputStream {
    private final long totalBytes;
    private long readBytes;

    /// @param totalBytes the total size, or 0 when it is not known
    CountingStream(InputStream stream, long totalBytes) {
        super(stream);
        this.totalBytes = totalBytes;
    }

    /// Opens a local file.
    public static CountingStream open(Path file) throws IOException {
        return open(Location.of(file), ReaderOptions.DEFAULT);
    }

    /// Opens a file on the disk or in a remote storage. The disk refuses pipes: opening one could wait for ever,
    /// and keep other writers out of the target meanwhile. Its bytes could not be read again after the types were
    /// guessed either.
    public static CountingStream open(Location file, ReaderOptions options) throws IOException {
        Storage storage = options.storageOf(file);
        if (file.isLocal() && storage.isFolder(file)) {
            throw new FileSystemException(file.toString(), null, "this is a folder; give the name of a file");
        }
        Disk.Readable open = storage.open(file);
        return new CountingStream(new FileStream(open), open.size());
    }

    long readBytes() {
        return readBytes;
    }

    /// The size of the stream, or the bytes read so far when they are more.
    long totalBytes() {
        return Math.max(totalBytes, readBytes);
    }

    /// Estimates the number of records in the whole stream.
    ///
    /// @param recordCount the number of records in the bytes read so far
    long estimate(long recordCount) {
        return readBytes == 0 ? 0 : Math.round((double) recordCount * totalBytes() / readBytes);
    }

    @Override
    public int read() throws IOException {
        int value = super.read();
        readBytes += value < 0 ? 0 : 1;
        return value;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        int count = super.read(target, offset, length);
        readBytes += Math.max(0, count);
        return count;
    }

    /// The bytes of an open file in order. Readers of text ask for a few thousand bytes at a time, which would be
    /// a request each in a remote storage.
    private static final class FileStream extends InputStream {
        private static final int BUFFER_SIZE = 1 << 20;

        private final Disk.Readable file;
        private final byte[] buffer;
        private long offset;
        private int position;
        private int limit;

        FileStream(Disk.Readable file) throws IOException {
            this.file = file;
            this.buffer = new byte[Math.clamp(file.size(), 1, BUFFER_SIZE)];
        }

        private boolean fill() throws IOException {
            if (position == limit) {
                limit = Math.toIntExact(file.read(offset, MemorySegment.ofArray(buffer)));
                offset += limit;
                position = 0;
            }
            return limit > 0;
        }

        @Override
        public int read() throws IOException {
            return fill() ? buffer[position++] & 0xff : -1;
        }

        @Override
        public int read(byte[] target, int start, int length) throws IOException {
            if (length == 0 || !fill()) {
                return length == 0 ? 0 : -1;
            }
            int count = Math.min(length, limit - position);
            System.arraycopy(buffer, position, target, start, count);
            position += count;
            return count;
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
