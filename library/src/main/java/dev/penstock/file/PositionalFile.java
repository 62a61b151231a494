// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/// An [OpenFile] that is read by position, with one system call for each read.
final class PositionalFile extends CopiedFile {
    private final Disk.Readable file;
    /// The offset of the bytes in the file. It is not 0 when they are a part of the file.
    private final long start;

    private PositionalFile(Location location, Disk.Readable file, long start, long size) {
        super(location, size);
        this.file = file;
        this.start = start;
    }

    static PositionalFile open(Disk disk, Path path) throws IOException {
        Disk.Readable file = disk.open(path);
        try {
            return new PositionalFile(Location.of(path), file, 0, file.size());
        } catch (Throwable e) {
            file.close();
            throw e;
        }
    }

    /// Opens a part of a file.
    ///
    /// @throws EOFException when the file ends before the part
    static PositionalFile open(Disk disk, FilePart part) throws IOException {
        Path path = part.file().path();
        Disk.Readable file = disk.open(path);
        try {
            RealDisk.requireRange(path, part.offset(), part.size(), file.size());
            return new PositionalFile(part.location(), file, part.offset(), part.size());
        } catch (Throwable e) {
            file.close();
            throw e;
        }
    }

    @Override
    void copyOut(long offset, MemorySegment target) throws IOException {
        long done = file.read(start + offset, target);
        if (done < target.byteSize()) {
            throw new DatasetException.Corrupt(
                    location(), offset + done, Reason.TRUNCATED, "the file was shortened while it was open");
        }
    }

    @Override
    void closeSource() {
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
