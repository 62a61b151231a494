// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import static dev.penstock.file.Layouts.U32;
import static dev.penstock.file.Layouts.U64;

import dev.penstock.Batch;
import dev.penstock.Buffer;
import dev.penstock.Column;
import dev.penstock.Indices;
import dev.penstock.file.Codec;
import dev.penstock.file.Faults;
import dev.penstock.file.Layouts;
import dev.penstock.file.OpenFile;
import dev.penstock.file.Parallel;
import dev.penstock.file.RangeList;
import dev.penstock.file.Unscoped;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/// Gathers many records of an open pack into a batch.
///
/// Uncompressed records in a mapped file are copied by a loop that allocates no object for a record; for short
/// records an object would take longer than the copy. If anything is wrong, such as a checksum, the loop leaves
/// the record to [PackRecords#fill], which throws the error.
///
/// **Threads.** Safe for any number of threads. The caller holds the file open.
final class PackGather {
    /// For fewer bytes a second thread costs more than it saves.
    private static final long PARALLEL_BYTES_MIN = 1L << 20;

    /// The number of parts of a gather for each thread, so that a part with large records does not delay the
    /// others.
    private static final int PARTS_PER_THREAD = 8;

    /// The number of stored bytes that are read from a remote store together.
    private static final long WINDOW_BYTES = 8L << 20;

    private static final int WINDOW_ROWS = 16_384;

    private final OpenFile file;
    private final PackIndex index;
    private final PackRecords records;

    PackGather(OpenFile file, PackIndex index, PackRecords records) {
        this.file = file;
        this.index = index;
        this.records = records;
    }

    void gather(MemorySegment indices, Batch batch, int threads) throws IOException {
        long rowCount = Indices.requireAll(indices, index.count());
        Column column = wantedColumn(batch);
        MemorySegment offsets = column.reserveOffsets(rowCount);
        long totalBytes = layOut(indices, rowCount, offsets);
        Buffer.Block values = column.leaseValues(totalBytes);
        try {
            announce(indices, rowCount);
            boolean isWorthIt = totalBytes >= PARALLEL_BYTES_MIN;
            long partCount = isWorthIt && threads > 1 ? Math.min(rowCount, (long) threads * PARTS_PER_THREAD) : 1;
            Parallel.run(partCount, threads, part -> {
                long start = rowCount * part / partCount;
                long limit = rowCount * (part + 1) / partCount;
                fillRows(indices, start, limit, offsets, Unscoped.of(values.segment()));
            });
        } finally {
            values.release();
        }
        batch.complete(rowCount);
    }

    private static Column wantedColumn(Batch batch) {
        if (batch.columns().size() != 1 || !batch.column(0).field().equals(PackReader.VALUE)) {
            throw new IllegalArgumentException(
                    "a batch for a pack must be created with its single field, " + PackReader.VALUE);
        }
        return batch.column(0);
    }

    /// The index for loops. The mapping stays valid while the file is held open.
    private MemorySegment entries() {
        return file.isMapped() ? Unscoped.of(index.entries()) : index.entries();
    }

    /// Writes the offset of each row, and returns the end of the last one.
    private long layOut(MemorySegment indices, long rowCount, MemorySegment offsets) {
        MemorySegment entries = entries();
        long end = 0;
        offsets.set(U64, 0, end);
        for (long row = 0; row < rowCount; row++) {
            long recordIndex = indices.get(U64, row * U64.byteSize());
            long at = recordIndex * PackFormat.ENTRY_SIZE;
            long size = Layouts.u32(entries, at + PackEntry.SIZE_OFFSET);
            boolean isPlain = Layouts.u16(entries, at + PackEntry.FLAGS_OFFSET) == 0
                    && index.isInside(entries.get(U64, at + PackEntry.OFFSET_OFFSET), size);
            end = Math.addExact(
                    end, isPlain ? size : index.readable(recordIndex).rawSize());
            offsets.set(U64, (row + 1) * U64.byteSize(), end);
        }
        return end;
    }

    private void announce(MemorySegment indices, long rowCount) {
        if (!file.isStreamed()
                || file.hasMost(rowCount, row -> entry(indices, row).offset())) {
            return;
        }
        for (long row = 0; row < rowCount; row++) {
            PackEntry entry = entry(indices, row);
            file.willNeed(entry.offset(), entry.storedSize());
        }
    }

    private PackEntry entry(MemorySegment indices, long row) {
        return index.readable(indices.get(U64, row * U64.byteSize()));
    }

    /// The rows of a gather that one thread fills.
    ///
    /// @param values the memory of all rows of the gather
    private record Part(
            MemorySegment indices,
            long start,
            long limit,
            MemorySegment offsets,
            MemorySegment values,
            PackRecords.Scratch scratch) {
        long recordIndex(long row) {
            return indices.get(U64, row * U64.byteSize());
        }

        /// The offset of the record of a row in the values.
        long offset(long row) {
            return offsets.get(U64, row * U64.byteSize());
        }

        /// The memory for the record of a row.
        MemorySegment target(long row) {
            return values.asSlice(offset(row), offset(row + 1) - offset(row));
        }
    }

    private void fillRows(MemorySegment indices, long start, long limit, MemorySegment offsets, MemorySegment values)
            throws IOException {
        PackRecords.Scratch scratch = records.borrowScratch();
        try {
            Part part = new Part(indices, start, limit, offsets, values, scratch);
            if (file.isRanged()) {
                fillTogether(part);
            } else if (!file.isMapped() || !fillMapped(part)) {
                for (long row = start; row < limit; row++) {
                    fillOne(part, row);
                }
            }
        } finally {
            records.giveBack(scratch);
        }
    }

    private void fillOne(Part part, long row) throws IOException {
        long recordIndex = part.recordIndex(row);
        records.fill(recordIndex, index.readable(recordIndex), part.target(row), part.scratch);
    }

    /// @return false when the rows must be filled one by one: a page of the file could not be read, and filling
    ///         one by one finds the record; or the rows are too large for one buffer
    private boolean fillMapped(Part part) throws IOException {
        long origin = part.offset(part.start);
        long byteCount = part.offset(part.limit) - origin;
        if (byteCount > Integer.MAX_VALUE) {
            return false;
        }
        MemorySegment entries = entries();
        MemorySegment source = Unscoped.of(file.whole());
        MemorySegment values = part.values.asSlice(origin, byteCount);
        ByteBuffer copies = values.asByteBuffer();
        try {
            long target = 0;
            for (long row = part.start; row < part.limit; row++) {
                long at = part.recordIndex(row) * PackFormat.ENTRY_SIZE;
                long offset = entries.get(U64, at + PackEntry.OFFSET_OFFSET);
                long size = Layouts.u32(entries, at + PackEntry.SIZE_OFFSET);
                long targetLimit = part.offset(row + 1) - origin;
                boolean isDone = Layouts.u16(entries, at + PackEntry.FLAGS_OFFSET) == 0
                        && size == targetLimit - target
                        && index.isInside(offset, size);
                if (isDone) {
                    MemorySegment.copy(source, offset, values, target, size);
                    int crc = records.expectedCrc(entries.get(U32, at + PackEntry.CRC_OFFSET));
                    isDone = crc == 0 || crc == part.scratch.crc.of(copies, (int) target, (int) size);
                }
                if (!isDone) {
                    // An earlier fault must not be taken for a wrong checksum.
                    Faults.settle();
                    fillOne(part, row);
                }
                target = targetLimit;
            }
            Faults.settle();
            return true;
        } catch (InternalError e) {
            return false;
        }
    }

    /// Reads the stored bytes of many rows from a remote store together, then checks and decompresses them one by
    /// one.
    private void fillTogether(Part part) throws IOException {
        long windowLimit;
        for (long first = part.start; first < part.limit; first = windowLimit) {
            windowLimit = windowLimit(part, first);
            MemorySegment packed = part.scratch.stored.reserve(packedBytes(part, first, windowLimit));
            RangeList ranges = new RangeList();
            List<MemorySegment> stored = new ArrayList<>();
            long packedLimit = 0;
            for (long row = first; row < windowLimit; row++) {
                PackEntry entry = entry(part.indices, row);
                MemorySegment target = part.target(row);
                records.requireUnchanged(part.recordIndex(row), entry, target);
                boolean isRaw = entry.codec() == Codec.NONE;
                stored.add(isRaw ? target : packed.asSlice(packedLimit, entry.storedSize()));
                packedLimit += isRaw ? 0 : entry.storedSize();
                ranges.add(file, entry.offset(), stored.getLast());
            }
            ranges.read();
            for (long row = first; row < windowLimit; row++) {
                long recordIndex = part.recordIndex(row);
                MemorySegment bytes = stored.get((int) (row - first));
                records.finish(recordIndex, index.readable(recordIndex), bytes, part.target(row), part.scratch);
            }
        }
    }

    /// The end of the rows that are read from a remote store together; at least one row.
    private long windowLimit(Part part, long first) {
        long bytes = entry(part.indices, first).storedSize();
        long row = first + 1;
        while (row < part.limit && row - first < WINDOW_ROWS) {
            bytes += entry(part.indices, row).storedSize();
            if (bytes > WINDOW_BYTES) {
                break;
            }
            row++;
        }
        return row;
    }

    /// The number of stored bytes of the compressed rows.
    private long packedBytes(Part part, long first, long limit) {
        long bytes = 0;
        for (long row = first; row < limit; row++) {
            PackEntry entry = entry(part.indices, row);
            bytes += entry.codec() == Codec.NONE ? 0 : entry.storedSize();
        }
        return bytes;
    }
}
