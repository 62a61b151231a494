// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import static dev.penstock.memory.Layouts.U64;

import dev.penstock.Batch;
import dev.penstock.Buffer;
import dev.penstock.Column;
import dev.penstock.DatasetException;
import dev.penstock.Indices;
import dev.penstock.Pool;
import dev.penstock.Reason;
import dev.penstock.memory.Codec;
import dev.penstock.memory.Crc32c;
import dev.penstock.memory.OpenFile;
import dev.penstock.memory.Parallel;
import dev.penstock.memory.RangeList;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/// The content of the records of an open pack: viewed, copied, gathered.
///
/// A copy is held against its checksum after it was made, in private memory, which is safer than checking the
/// mapped bytes (they cannot change in between) and as fast, because the copy is still in the cache.
final class PackRecords implements AutoCloseable {
    /// The largest array there is.
    private static final long VIEW_COPY_MAX = Integer.MAX_VALUE - 8;

    /// Below this a second thread costs more than it brings.
    private static final long PARALLEL_BYTES_MIN = 1L << 20;

    /// Fits in the second-level cache, so that the checksum reads what the copy has just written.
    private static final long CHECK_PIECE_SIZE = 64L << 10;

    /// Parts of a gather for each thread, so that one with larger records does not keep the others waiting.
    private static final int PARTS_PER_THREAD = 8;

    /// Records that are no further apart are announced as one.
    private static final long NEAR_BYTES = 4096;

    /// Stored bytes of the records that are read from a store together.
    private static final long WINDOW_BYTES = 8L << 20;

    private static final int WINDOW_ROWS = 16_384;

    private final OpenFile file;
    private final PackIndex index;
    private final boolean isChecking;
    private final Pool<Scratch> scratches = new Pool<>(Scratch::new, Scratch::free);

    PackRecords(OpenFile file, PackIndex index, boolean isChecking) {
        this.file = file;
        this.index = index;
        this.isChecking = isChecking;
    }

    /// What a thread needs beside the file while it reads.
    private static final class Scratch {
        final Crc32c crc = new Crc32c();
        final Buffer stored = new Buffer();
        final Buffer raw = new Buffer();
        final Map<Codec, Codec.Unpacker> unpackers = new EnumMap<>(Codec.class);

        Codec.Unpacker unpacker(Codec codec) {
            return unpackers.computeIfAbsent(codec, Codec::unpacker);
        }

        void free() {
            stored.close();
            raw.close();
        }
    }

    /// A record to look at: a part of the mapping where it can be, otherwise a private copy.
    MemorySegment view(long recordIndex) throws IOException {
        PackEntry entry = index.readable(recordIndex);
        if (file.isMapped() && entry.codec() == Codec.NONE) {
            MemorySegment view = file.view(entry.offset(), entry.storedSize());
            if (isChecking && entry.crc() != 0) {
                requireSound(recordIndex, entry, Crc32c.of(view));
            }
            return view;
        }
        if (entry.rawSize() > VIEW_COPY_MAX) {
            throw new IllegalArgumentException(
                    "record " + recordIndex + " of " + entry.rawSize() + " bytes is too large to look at: copy it");
        }
        MemorySegment copy = MemorySegment.ofArray(new byte[(int) entry.rawSize()]);
        copy(recordIndex, copy);
        return copy.asReadOnly();
    }

    /// Copies a record to the start of the target.
    long copy(long recordIndex, MemorySegment target) throws IOException {
        PackEntry entry = index.readable(recordIndex);
        long rawSize = entry.rawSize();
        if (target.byteSize() < rawSize) {
            throw new IllegalArgumentException(
                    "record " + recordIndex + " has " + rawSize + " bytes, the target only " + target.byteSize());
        }
        Scratch scratch = scratches.borrow();
        try {
            fill(recordIndex, entry, target.asSlice(0, rawSize), scratch);
        } finally {
            scratches.giveBack(scratch);
        }
        return rawSize;
    }

    /// Copies a part of a record that is stored as it is.
    void copyPart(long recordIndex, long start, MemorySegment target) throws IOException {
        PackEntry entry = index.readable(recordIndex);
        if (entry.codec() != Codec.NONE) {
            throw new IllegalArgumentException("record " + recordIndex + " is compressed and has no parts");
        }
        Objects.checkFromIndexSize(start, target.byteSize(), entry.storedSize());
        file.read(entry.offset() + start, target);
    }

    /// Reads a record and holds it against its checksum, keeping nothing; a large one piece by piece.
    void check(long recordIndex) throws IOException {
        PackEntry entry = index.readable(recordIndex);
        Scratch scratch = scratches.borrow();
        try {
            if (entry.codec() == Codec.NONE) {
                checkRaw(recordIndex, entry, scratch);
            } else {
                MemorySegment target = scratch.raw.reserve(entry.rawSize()).asSlice(0, entry.rawSize());
                fill(recordIndex, entry, target, scratch);
            }
        } finally {
            scratches.giveBack(scratch);
        }
    }

    private void checkRaw(long recordIndex, PackEntry entry, Scratch scratch) throws IOException {
        scratch.crc.reset();
        MemorySegment piece = scratch.raw.reserve(CHECK_PIECE_SIZE);
        for (long done = 0; done < entry.storedSize(); done += CHECK_PIECE_SIZE) {
            MemorySegment part = piece.asSlice(0, Math.min(CHECK_PIECE_SIZE, entry.storedSize() - done));
            file.read(entry.offset() + done, part);
            scratch.crc.update(part);
        }
        if (entry.crc() != 0) {
            requireSound(recordIndex, entry, scratch.crc.value());
        }
    }

    void gather(MemorySegment indices, Batch batch, int threads) throws IOException {
        long rowCount = Indices.requireAll(indices, index.count());
        Column column = wantedColumn(batch);
        MemorySegment offsets = column.reserveOffsets(rowCount);
        long totalBytes = layOut(indices, rowCount, offsets);
        MemorySegment values = column.reserveValues(totalBytes);
        announce(indices, rowCount);
        boolean isWorthIt = totalBytes >= PARALLEL_BYTES_MIN;
        long partCount = isWorthIt && threads > 1 ? Math.min(rowCount, (long) threads * PARTS_PER_THREAD) : 1;
        Parallel.run(partCount, threads, part -> {
            long start = rowCount * part / partCount;
            long limit = rowCount * (part + 1) / partCount;
            fillRows(indices, start, limit, offsets, values);
        });
        batch.complete(rowCount);
    }

    private static Column wantedColumn(Batch batch) {
        if (batch.columns().size() != 1 || !batch.column(0).field().equals(PackReader.VALUE)) {
            throw new IllegalArgumentException("a pack fills batches made for its one field, " + PackReader.VALUE);
        }
        return batch.column(0);
    }

    /// Writes where each row will be, and returns where the last one ends.
    private long layOut(MemorySegment indices, long rowCount, MemorySegment offsets) {
        long end = 0;
        offsets.set(U64, 0, end);
        for (long row = 0; row < rowCount; row++) {
            end = Math.addExact(
                    end, index.readable(indices.get(U64, row * U64.byteSize())).rawSize());
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

    /// Tells the system that consecutive records will be read, when not all of the pack is in memory.
    void announce(long firstIndex, long recordCount) {
        if (!file.isStreamed()) {
            return;
        }
        forEachRange(firstIndex, recordCount, file::willNeed);
    }

    /// Bytes of the file, from an offset on.
    interface RangeTarget {
        void accept(long offset, long byteCount);
    }

    /// Joins consecutive records to ranges of the file. Records that the index puts outside the data are left out:
    /// reading them is an error, and until then they must not make the system bring in other memory.
    void forEachRange(long firstIndex, long recordCount, RangeTarget target) {
        long start = 0;
        long limit = 0;
        for (long i = firstIndex; i < firstIndex + recordCount; i++) {
            PackEntry entry = index.entry(i);
            if (!index.isInside(entry)) {
                continue;
            }
            // Records lie one after the other, nearly always, with a little padding between them.
            if (entry.offset() < limit || entry.offset() - limit >= NEAR_BYTES) {
                target.accept(start, limit - start);
                start = entry.offset();
            }
            limit = entry.offset() + entry.storedSize();
        }
        target.accept(start, limit - start);
    }

    private void fillRows(MemorySegment indices, long start, long limit, MemorySegment offsets, MemorySegment values)
            throws IOException {
        Scratch scratch = scratches.borrow();
        try {
            if (file.isRanged()) {
                fillTogether(indices, start, limit, offsets, values, scratch);
                return;
            }
            for (long row = start; row < limit; row++) {
                long recordIndex = indices.get(U64, row * U64.byteSize());
                fill(recordIndex, index.readable(recordIndex), target(row, offsets, values), scratch);
            }
        } finally {
            scratches.giveBack(scratch);
        }
    }

    /// Where the record of a row goes.
    private static MemorySegment target(long row, MemorySegment offsets, MemorySegment values) {
        long from = offsets.get(U64, row * U64.byteSize());
        return values.asSlice(from, offsets.get(U64, (row + 1) * U64.byteSize()) - from);
    }

    /// Reads the stored bytes of many rows at once from a store, and then checks and expands one after another.
    private void fillTogether(
            MemorySegment indices, long start, long limit, MemorySegment offsets, MemorySegment values, Scratch scratch)
            throws IOException {
        long windowLimit;
        for (long first = start; first < limit; first = windowLimit) {
            windowLimit = windowLimit(indices, first, limit);
            MemorySegment packed = scratch.stored.reserve(packedBytes(indices, first, windowLimit));
            RangeList ranges = new RangeList();
            List<MemorySegment> stored = new ArrayList<>();
            long packedLimit = 0;
            for (long row = first; row < windowLimit; row++) {
                PackEntry entry = entry(indices, row);
                MemorySegment target = target(row, offsets, values);
                requireUnchanged(indices.get(U64, row * U64.byteSize()), entry, target);
                boolean isRaw = entry.codec() == Codec.NONE;
                stored.add(isRaw ? target : packed.asSlice(packedLimit, entry.storedSize()));
                packedLimit += isRaw ? 0 : entry.storedSize();
                ranges.add(file, entry.offset(), stored.getLast());
            }
            ranges.read();
            for (long row = first; row < windowLimit; row++) {
                long recordIndex = indices.get(U64, row * U64.byteSize());
                MemorySegment bytes = stored.get((int) (row - first));
                finish(recordIndex, index.readable(recordIndex), bytes, target(row, offsets, values), scratch);
            }
        }
    }

    /// Where the rows end that are read from a store together: one at least.
    private long windowLimit(MemorySegment indices, long first, long limit) {
        long bytes = entry(indices, first).storedSize();
        long row = first + 1;
        while (row < limit && row - first < WINDOW_ROWS) {
            bytes += entry(indices, row).storedSize();
            if (bytes > WINDOW_BYTES) {
                break;
            }
            row++;
        }
        return row;
    }

    /// Stored bytes of the compressed rows.
    private long packedBytes(MemorySegment indices, long first, long limit) {
        long bytes = 0;
        for (long row = first; row < limit; row++) {
            PackEntry entry = entry(indices, row);
            bytes += entry.codec() == Codec.NONE ? 0 : entry.storedSize();
        }
        return bytes;
    }

    /// Fills memory of exactly the record's size.
    private void fill(long recordIndex, PackEntry entry, MemorySegment target, Scratch scratch) throws IOException {
        requireUnchanged(recordIndex, entry, target);
        boolean isRaw = entry.codec() == Codec.NONE;
        MemorySegment stored =
                isRaw ? target : scratch.stored.reserve(entry.storedSize()).asSlice(0, entry.storedSize());
        file.read(entry.offset(), stored);
        finish(recordIndex, entry, stored, target, scratch);
    }

    private void requireUnchanged(long recordIndex, PackEntry entry, MemorySegment target) {
        if (entry.rawSize() != target.byteSize()) {
            throw new DatasetException.Corrupt(
                    file.location(),
                    PackIndex.entryOffset(recordIndex),
                    Reason.CHECKSUM,
                    "checksum mismatch: index, it changed while the pack was open");
        }
    }

    /// Checks the stored bytes of a record, and expands them where they are not the target itself.
    private void finish(
            long recordIndex, PackEntry entry, MemorySegment stored, MemorySegment target, Scratch scratch) {
        if (isChecking && entry.crc() != 0) {
            scratch.crc.reset();
            scratch.crc.update(stored);
            requireSound(recordIndex, entry, scratch.crc.value());
        }
        if (entry.codec() != Codec.NONE && !scratch.unpacker(entry.codec()).unpack(stored, target)) {
            throw new DatasetException.Corrupt(
                    file.location(),
                    entry.offset(),
                    Reason.BAD_COMPRESSION,
                    "record " + recordIndex + " does not expand to its " + entry.rawSize() + " bytes");
        }
    }

    private void requireSound(long recordIndex, PackEntry entry, int crc) {
        if (crc != entry.crc()) {
            throw new DatasetException.Corrupt(
                    file.location(),
                    entry.offset(),
                    Reason.CHECKSUM,
                    String.format(
                            Locale.ROOT,
                            "checksum mismatch: entry, record %d has CRC %08x and the index says %08x",
                            recordIndex,
                            crc,
                            entry.crc()));
        }
    }

    /// Frees the scratch memory, that in use when it comes back.
    @Override
    public void close() {
        scratches.close();
    }
}
