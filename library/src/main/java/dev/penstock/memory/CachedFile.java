// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import dev.penstock.DatasetException;
import dev.penstock.Location;
import dev.penstock.Reason;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Objects;

/// An [OpenFile] that a [MappingCache] maps while its bytes are copied. It has no views, because the cache may
/// unmap it at any time.
final class CachedFile implements OpenFile {
    private final Location location;
    private final MappingCache cache;
    private final int fileIndex;
    private final long size;

    private CachedFile(Location location, MappingCache cache, int fileIndex, long size) {
        this.location = location;
        this.cache = cache;
        this.fileIndex = fileIndex;
        this.size = size;
    }

    static CachedFile open(Disk disk, Path path, MappingCache cache, int fileIndex) throws IOException {
        try (Disk.Readable file = disk.open(path)) {
            return new CachedFile(Location.of(path), cache, fileIndex, file.size());
        }
    }

    /// A file whose size is known.
    static CachedFile of(Path path, MappingCache cache, int fileIndex, long size) {
        return new CachedFile(Location.of(path), cache, fileIndex, size);
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
    public MemorySegment whole() {
        throw new UnsupportedOperationException(
                location + " is mapped on demand, so its bytes have no lasting address");
    }

    @Override
    public void read(long offset, MemorySegment target) throws IOException {
        Objects.checkFromIndexSize(offset, target.byteSize(), size);
        MappedGroup group = cache.acquire(fileIndex);
        try {
            MemorySegment segment = group.segment(cache.indexInGroup(fileIndex));
            if (offset + target.byteSize() > segment.byteSize()) {
                throw new DatasetException.Corrupt(
                        location, segment.byteSize(), Reason.TRUNCATED, "the file was shortened while it was open");
            }
            MemorySegment.copy(segment, offset, target, 0, target.byteSize());
            // Otherwise the error comes after this method has returned, and the caller takes garbage for bytes.
            Faults.settle();
        } catch (InternalError e) {
            throw Faults.translate(e, location, offset, size);
        } finally {
            group.release();
        }
    }

    /// Every read holds the mapping for itself.
    @Override
    public void acquire() {
        cache.requireOpen();
    }

    @Override
    public void release() {}

    /// Closing the cache unmaps the files.
    @Override
    public void close() {}
}
