// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import dev.penstock.Buffer;
import dev.penstock.DatasetException;
import dev.penstock.Pool;
import dev.penstock.Reason;
import dev.penstock.file.Codec;
import dev.penstock.file.Crc32c;
import dev.penstock.file.OpenFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/// Reads the records of an open pack: as views, as copies, or to check them. [PackGather] copies many at once.
///
/// The checksum is computed on the private copy and not on the mapped bytes. This is safer, because the copy
/// cannot change, and as fast, because the copy is still in the CPU cache.
///
/// A gather copies first and checks the copy. The bytes cannot change between check and use, and the copy is
/// still in the cache.
final class PackRecords implements AutoCloseable {
    /// The largest array length.
    private static final long VIEW_COPY_MAX = Integer.MAX_VALUE - 8;

    /// Fits in the second-level cache, so that the checksum reads bytes that were just copied.
    private static final long CHECK_PIECE_SIZE = 64L << 10;

    /// The largest gap between records that are prefetched as one range.
    private static final long NEAR_BYTES = 4096;

    private final OpenFile file;
    private final PackIndex index;
    private final boolean isChecking;
    private final Pool<Scratch> scratches = new Pool<>(Scratch::new, Scratch::free);

    PackRecords(OpenFile file, PackIndex index, boolean isChecking) {
        this.file = file;
        this.index = index;
        this.isChecking = isChecking;
    }

    /// The scratch memory of a reading thread.
    static final class Scratch {
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

    /// Borrows scratch memory for one thread, until [#giveBack].
    Scratch borrowScratch() {
        return scratches.borrow();
    }

    void giveBack(Scratch scratch) {
        scratches.giveBack(scratch);
    }

    /// The expected CRC of a record, or 0 when it is not checked.
    int expectedCrc(int crc) {
        return isChecking ? crc : 0;
    }

    /// Returns a record as a view of the mapping if possible, otherwise as a private copy.
    MemorySegment view(long recordIndex) throws IOException {
        PackEntry entry = index.readable(recordIndex);
        if (file.isMapped() && entry.codec() == Codec.NONE) {
            MemorySegment view = file.view(entry.offset(), entry.storedSize());
            if (expectedCrc(entry.crc()) != 0) {
                requireSound(recordIndex, entry, Crc32c.of(view));
            }
            return view;
        }
        if (entry.rawSize() > VIEW_COPY_MAX) {
            throw new IllegalArgumentException("record " + recordIndex + " of " + entry.rawSize()
                    + " bytes is too large for a view; copy it with read");
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

    /// Copies a part of an uncompressed record.
    void copyPart(long recordIndex, long start, MemorySegment target) throws IOException {
        PackEntry entry = index.readable(recordIndex);
        if (entry.codec() != Codec.NONE) {
            throw new IllegalArgumentException(
                    "record " + recordIndex + " is compressed, so it cannot be read in parts; read it as a whole");
        }
        Objects.checkFromIndexSize(start, target.byteSize(), entry.storedSize());
        file.read(entry.offset() + start, target);
    }

    /// Reads a record and checks its checksum without keeping the bytes. A large record is read piece by piece.
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

    /// Prefetches consecutive records, if the pack is not resident.
    void announce(long firstIndex, long recordCount) {
        if (!file.isStreamed()) {
            return;
        }
        forEachRange(firstIndex, recordCount, file::willNeed);
    }

    /// Receives ranges of the file.
    interface RangeTarget {
        void accept(long offset, long byteCount);
    }

    /// Joins consecutive records to ranges of the file. Records outside the data are skipped: reading them is an
    /// error, and prefetching must not touch other memory.
    void forEachRange(long firstIndex, long recordCount, RangeTarget target) {
        long start = 0;
        long limit = 0;
        for (long i = firstIndex; i < firstIndex + recordCount; i++) {
            PackEntry entry = index.entry(i);
            if (!index.isInside(entry)) {
                continue;
            }
            // Records almost always follow each other, with a little padding between them.
            if (entry.offset() < limit || entry.offset() - limit >= NEAR_BYTES) {
                target.accept(start, limit - start);
                start = entry.offset();
            }
            limit = entry.offset() + entry.storedSize();
        }
        target.accept(start, limit - start);
    }

    /// Fills memory of exactly the size of the record.
    void fill(long recordIndex, PackEntry entry, MemorySegment target, Scratch scratch) throws IOException {
        requireUnchanged(recordIndex, entry, target);
        boolean isRaw = entry.codec() == Codec.NONE;
        MemorySegment stored =
                isRaw ? target : scratch.stored.reserve(entry.storedSize()).asSlice(0, entry.storedSize());
        file.read(entry.offset(), stored);
        finish(recordIndex, entry, stored, target, scratch);
    }

    void requireUnchanged(long recordIndex, PackEntry entry, MemorySegment target) {
        if (entry.rawSize() != target.byteSize()) {
            throw new DatasetException.Corrupt(
                    file.location(),
                    PackIndex.entryOffset(recordIndex),
                    Reason.CHECKSUM,
                    "checksum mismatch: index, it changed while the pack was open");
        }
    }

    /// Checks the stored bytes of a record, and decompresses them if necessary.
    void finish(long recordIndex, PackEntry entry, MemorySegment stored, MemorySegment target, Scratch scratch) {
        if (expectedCrc(entry.crc()) != 0) {
            scratch.crc.reset();
            scratch.crc.update(stored);
            requireSound(recordIndex, entry, scratch.crc.value());
        }
        if (entry.codec() != Codec.NONE && !scratch.unpacker(entry.codec()).unpack(stored, target)) {
            throw new DatasetException.Corrupt(
                    file.location(),
                    entry.offset(),
                    Reason.BAD_COMPRESSION,
                    "record " + recordIndex + " does not decompress to " + entry.rawSize() + " bytes");
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
                            "checksum mismatch: entry, record %d has CRC %08x but the index says %08x",
                            recordIndex,
                            crc,
                            entry.crc()));
        }
    }

    /// Frees the scratch memory; memory in use is freed when it is returned.
    @Override
    public void close() {
        scratches.close();
    }
}
