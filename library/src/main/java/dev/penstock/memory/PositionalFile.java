// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import dev.penstock.DatasetException;
import dev.penstock.Leases;
import dev.penstock.Location;
import dev.penstock.Reason;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Objects;

/// An [OpenFile] that is read by position, with one system call for each read.
final class PositionalFile implements OpenFile {
    private final Location location;
    private final Disk.Readable file;
    /// Where the bytes begin in the file, which is not 0 when they are a part of it.
    private final long start;

    private final long size;
    private final WholeCopy copy = new WholeCopy();
    private final Leases leases = new Leases(this::free);

    private PositionalFile(Location location, Disk.Readable file, long start, long size) {
        this.location = location;
        this.file = file;
        this.start = start;
        this.size = size;
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
    /// @throws EOFException when the file ends before the part does
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
    public Location location() {
        return location;
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public boolean isMapped() {
        return false;
    }

    @Override
    public MemorySegment whole() throws IOException {
        return copy.of(this);
    }

    @Override
    public void read(long offset, MemorySegment target) throws IOException {
        Objects.checkFromIndexSize(offset, target.byteSize(), size);
        acquire();
        try {
            long done = file.read(start + offset, target);
            if (done < target.byteSize()) {
                throw new DatasetException.Corrupt(
                        location, offset + done, Reason.TRUNCATED, "the file was shortened while it was open");
            }
        } finally {
            release();
        }
    }

    @Override
    public void acquire() {
        if (!leases.acquire()) {
            throw new IllegalStateException(location + " is closed");
        }
    }

    @Override
    public void release() {
        leases.release();
    }

    @Override
    public void close() {
        leases.close();
    }

    private void free() {
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            copy.free();
        }
    }
}
