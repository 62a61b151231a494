// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import dev.penstock.DatasetException;
import dev.penstock.Leases;
import dev.penstock.Reason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Objects;

/// An [OpenFile] that is read by position, with one system call for each read.
final class PositionalFile implements OpenFile {
    private final Path path;
    private final Disk.Readable file;
    private final long size;
    private final Leases leases = new Leases(this::free);
    /// The copy that [#whole] returns, or null before the first call.
    private MemorySegment copy;

    /// Owns the copy. Closed with the last lease, so that a running call never loses its memory.
    private Arena copyArena;

    private PositionalFile(Path path, Disk.Readable file, long size) {
        this.path = path;
        this.file = file;
        this.size = size;
    }

    static PositionalFile open(Disk disk, Path path) throws IOException {
        Disk.Readable file = disk.open(path);
        try {
            return new PositionalFile(path, file, file.size());
        } catch (Throwable e) {
            file.close();
            throw e;
        }
    }

    @Override
    public Path path() {
        return path;
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
    public synchronized MemorySegment whole() throws IOException {
        if (copy == null) {
            copyArena = copyArena == null ? Arena.ofShared() : copyArena;
            MemorySegment target = copyArena.allocate(size);
            read(0, target);
            copy = target.asReadOnly();
        }
        return copy;
    }

    @Override
    public void read(long offset, MemorySegment target) throws IOException {
        Objects.checkFromIndexSize(offset, target.byteSize(), size);
        acquire();
        try {
            long done = file.read(offset, target);
            if (done < target.byteSize()) {
                throw new DatasetException.Corrupt(
                        path, offset + done, Reason.TRUNCATED, "the file was shortened while it was open");
            }
        } finally {
            release();
        }
    }

    @Override
    public void acquire() {
        if (!leases.acquire()) {
            throw new IllegalStateException(path + " is closed");
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

    private synchronized void free() {
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            if (copyArena != null) {
                copyArena.close();
            }
        }
    }
}
