// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import dev.penstock.ClosedException;
import dev.penstock.DatasetException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongUnaryOperator;

/// An [OpenFile] whose bytes are a part of the memory of a [MappedGroup].
final class MappedFile implements OpenFile {
    private final Location location;
    private final MappedGroup mapping;
    private final MemorySegment segment;
    private final Residency residency;
    /// The file that holds the bytes. It is `location` unless they are a part of another file.
    private final Location file;

    /// The start of the bytes in that file.
    private final long start;

    /// Creates a file that is one of the files of a mapping.
    MappedFile(Path path, MappedGroup mapping, int fileIndex, Residency residency) {
        this(Location.of(path), mapping, fileIndex, residency, Location.of(path), 0);
    }

    /// Creates a part of a file, which is the only segment of a mapping.
    MappedFile(FilePart part, MappedGroup mapping, Residency residency) {
        this(part.location(), mapping, 0, residency, part.file(), part.offset());
    }

    private MappedFile(
            Location location, MappedGroup mapping, int fileIndex, Residency residency, Location file, long start) {
        this.location = location;
        this.mapping = mapping;
        this.segment = mapping.segment(fileIndex);
        this.residency = residency;
        this.file = file;
        this.start = start;
    }

    static MappedFile open(Path path, ReaderOptions options) throws IOException {
        MappedGroup mapping = MappedGroup.open(options.disk(), List.of(path));
        return new MappedFile(path, mapping, 0, new Residency(mapping, options.memoryBytes()));
    }

    @Override
    public Location location() {
        return location;
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
            // Without this call the error would be raised after this method has returned, and the caller would use
            // garbage.
            Faults.settle();
        } catch (InternalError e) {
            throw translate(e, offset);
        }
    }

    @Override
    public DatasetException translate(InternalError fault) {
        return translate(fault, 0);
    }

    /// Uses the file that exists on the disk, because its present size determines the kind of error.
    private DatasetException translate(InternalError fault, long offset) {
        return Faults.translate(fault, file, start + offset, start + segment.byteSize());
    }

    @Override
    public void acquire() {
        if (!mapping.acquire()) {
            throw new ClosedException(location + " is closed");
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
    public boolean isScattered() {
        return residency.isScattered();
    }

    @Override
    public void willNeed(long offset, long byteCount) {
        residency.willNeedAt(segment.address() + offset, byteCount);
    }

    @Override
    public void fetch(long offset, long byteCount) throws IOException {
        if (!Advice.POPULATE_READ.apply(segment, offset, byteCount)) {
            // Older systems do not know this hint, and no system applies it beyond the end of a file.
            OpenFile.super.fetch(offset, byteCount);
        }
    }

    @Override
    public void letGo(long offset, long byteCount) {
        if (!residency.isFilled()) {
            Advice.DONT_NEED.apply(segment, offset, byteCount);
        }
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
