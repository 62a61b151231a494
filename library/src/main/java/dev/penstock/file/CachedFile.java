// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/// An [OpenFile] that a [MappingCache] maps on demand. Its bytes can only be copied, not viewed, because the cache
/// may unmap the file at any time.
final class CachedFile extends CopiedFile {
    private final MappingCache cache;
    private final int fileIndex;

    private CachedFile(Location location, MappingCache cache, int fileIndex, long size) {
        super(location, size);
        this.cache = cache;
        this.fileIndex = fileIndex;
    }

    static CachedFile open(Disk disk, Path path, MappingCache cache, int fileIndex) throws IOException {
        try (Disk.Readable file = disk.open(path)) {
            return new CachedFile(Location.of(path), cache, fileIndex, file.size());
        }
    }

    /// Creates a file whose size is already known.
    static CachedFile of(Path path, MappingCache cache, int fileIndex, long size) {
        return new CachedFile(Location.of(path), cache, fileIndex, size);
    }

    @Override
    public MemorySegment whole() {
        throw new UnsupportedOperationException(
                location() + " is mapped on demand, so its bytes have no permanent address; copy them instead");
    }

    @Override
    void copyOut(long offset, MemorySegment target) throws IOException {
        MappedGroup group = cache.acquire(fileIndex);
        try {
            MemorySegment segment = group.segment(cache.indexInGroup(fileIndex));
            if (offset + target.byteSize() > segment.byteSize()) {
                throw new DatasetException.Corrupt(
                        location(), segment.byteSize(), Reason.TRUNCATED, "the file was shortened while it was open");
            }
            MemorySegment.copy(segment, offset, target, 0, target.byteSize());
            // Without this call the error would be raised after this method has returned, and the caller would use
            // garbage.
            Faults.settle();
        } catch (InternalError e) {
            throw Faults.translate(e, location(), offset, size());
        } finally {
            group.release();
        }
    }
}
