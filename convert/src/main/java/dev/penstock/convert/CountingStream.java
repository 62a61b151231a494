// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/// An input stream that counts the bytes read.
public final class CountingStream extends FilterInputStream {
    private final long totalBytes;
    private long readBytes;

    /// @param totalBytes the total size, or 0 when it is not known
    CountingStream(InputStream stream, long totalBytes) {
        super(stream);
        this.totalBytes = totalBytes;
    }

    /// Opens a file. Pipes are refused: opening one could wait for ever, and keep other writers out of the target
    /// meanwhile. Its bytes could not be read again after the types were guessed either.
    public static CountingStream open(Path file) throws IOException {
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        if (attributes.isOther()) {
            throw new FileSystemException(
                    file.toString(), null, "this is a pipe, a socket or a device; give the name of a file");
        }
        if (attributes.isDirectory()) {
            throw new FileSystemException(file.toString(), null, "this is a folder; give the name of a file");
        }
        return new CountingStream(Files.newInputStream(file), attributes.size());
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
}
