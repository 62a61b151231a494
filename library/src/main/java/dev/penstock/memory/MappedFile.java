// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongUnaryOperator;

/// An [OpenFile] that is mapped: its bytes are a part of the memory of a [MappedGroup].
final class MappedFile implements OpenFile {
    private final Path path;
    private final MappedGroup mapping;
    private final MemorySegment segment;
    private final Residency residency;

    /// One of the files of a mapping.
    MappedFile(Path path, MappedGroup mapping, int fileIndex, Residency residency) {
        this.path = path;
        this.mapping = mapping;
        this.segment = mapping.segment(fileIndex);
        this.residency = residency;
    }

    static MappedFile open(Path path, ReaderOptions options) throws IOException {
        MappedGroup mapping = MappedGroup.open(options.disk(), List.of(path));
        return new MappedFile(path, mapping, 0, new Residency(mapping, options.memoryBytes()));
    }

    @Override
    public Path path() {
        return path;
    }

    @Override
    public long size() {
        return segment.byteSize();
    }

    @Override
    public boolean isMapped() {
        return true;
    }

    @Override
    public MemorySegment view(long offset, long byteCount) {
        return segment.asSlice(offset, byteCount);
    }

    @Override
    public MemorySegment whole() {
        return segment;
    }

    @Override
    public void read(long offset, MemorySegment target) {
        try {
            MemorySegment.copy(segment, offset, target, 0, target.byteSize());
            // Else the error comes after this method has returned, and the caller takes garbage for bytes.
            Faults.settle();
        } catch (InternalError e) {
            throw Faults.translate(e, path, offset, segment.byteSize());
        }
    }

    @Override
    public void acquire() {
        if (!mapping.acquire()) {
            throw new IllegalStateException(path + " is closed");
        }
    }

    @Override
    public void release() {
        mapping.release();
    }

    @Override
    public void prepare() {
        residency.decide();
    }

    @Override
    public boolean isStreamed() {
        return residency.isStreamed();
    }

    @Override
    public void willNeed(long offset, long byteCount) {
        residency.willNeedAt(segment.address() + offset, byteCount);
    }

    @Override
    public boolean hasMost(long count, LongUnaryOperator offsets) {
        return residency.hasMost(count, piece -> segment.address() + offsets.applyAsLong(piece));
    }

    @Override
    public void close() {
        residency.stop();
        mapping.close();
    }
}
