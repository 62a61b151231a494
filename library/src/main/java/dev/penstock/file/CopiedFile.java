// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import dev.penstock.ClosedException;
import dev.penstock.Leases;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/// An [OpenFile] whose bytes can only be copied, not viewed.
///
/// Every read holds the file open for its duration. A read that is part of a call that began before the file was
/// closed still succeeds, so that calls in progress can finish.
abstract sealed class CopiedFile implements OpenFile permits PositionalFile, CachedFile, RangeFile {
    private final Location location;
    private final long size;
    private final WholeCopy copy = new WholeCopy();
    private final Leases leases = new Leases(this::free);

    CopiedFile(Location location, long size) {
        this.location = location;
        this.size = size;
    }

    /// Copies bytes that lie inside the file, while the file is held open.
    abstract void copyOut(long offset, MemorySegment target) throws IOException;

    /// Releases the resources behind the file.
    void closeSource() {}

    @Override
    public final Location location() {
        return location;
    }

    @Override
    public final long size() {
        return size;
    }

    @Override
    public final boolean isMapped() {
        return false;
    }

    @Override
    public MemorySegment whole() throws IOException {
        hold();
        try {
            return copy.of(this);
        } finally {
            release();
        }
    }

    @Override
    public final void read(long offset, MemorySegment target) throws IOException {
        Objects.checkFromIndexSize(offset, target.byteSize(), size);
        hold();
        try {
            copyOut(offset, target);
        } finally {
            release();
        }
    }

    /// Holds the file open for one read. [#release] ends it.
    final void hold() {
        requireLease(leases.acquireAgain());
    }

    @Override
    public final void acquire() {
        requireLease(leases.acquire());
    }

    private void requireLease(boolean isHeld) {
        if (!isHeld) {
            throw new ClosedException(location + " is closed");
        }
    }

    @Override
    public final void release() {
        leases.release();
    }

    @Override
    public final void close() {
        leases.close();
    }

    private void free() {
        try {
            closeSource();
        } finally {
            copy.free();
        }
    }
}
