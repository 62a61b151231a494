// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/// A stream that writes a file. The file becomes visible under its name when [#publish] is called.
public final class NewFileStream extends OutputStream {
    private final NewFile file;
    private long offset;

    private NewFileStream(NewFile file) {
        this.file = file;
    }

    /// Creates a file at a path that a user gives: see [NewFile#createAt].
    ///
    /// @param isReplacing whether an existing file may be replaced
    public static NewFileStream create(Disk disk, Path path, boolean isReplacing) throws IOException {
        return new NewFileStream(NewFile.createAt(disk, path, isReplacing));
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int start, int length) throws IOException {
        file.write(MemorySegment.ofArray(bytes).asSlice(start, length), offset);
        offset += length;
    }

    /// Returns a stream over the bytes written so far, from the beginning. Closing it has no effect.
    public InputStream readBack() {
        long size = offset;
        return new ReadStream(new Disk.Readable() {
            @Override
            public long size() {
                return size;
            }

            @Override
            public long read(long offset, MemorySegment target) throws IOException {
                MemorySegment part = target.asSlice(0, Math.min(target.byteSize(), size - offset));
                file.read(offset, part);
                return part.byteSize();
            }

            @Override
            public void close() {}
        });
    }

    /// The path of the published file.
    public Path target() {
        return file.target();
    }

    /// Publishes the file durably.
    public void publish() throws IOException {
        file.publish();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
