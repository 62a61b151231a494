// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import static dev.penstock.file.Layouts.U32;

import dev.penstock.Buffer;
import dev.penstock.ClosedException;
import dev.penstock.file.Codec;
import dev.penstock.file.Crc32c;
import dev.penstock.file.Disk;
import dev.penstock.file.Layouts;
import dev.penstock.file.NewFile;
import dev.penstock.file.StagedWrites;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/// Writes a pack record by record. The pack is published when [#close] has put everything on disk.
///
/// The index comes before the data, but its size is known only at the end. Records are therefore written behind
/// the space that the index needs so far, or that [#expect] announces, and are moved once at the end if the index
/// needs more.
///
/// **Lifecycle.** After a failed append, or after [#abort], no more records are accepted and `close` leaves
/// nothing behind. A caller that gives up for its own reasons must call `abort`: otherwise `close` publishes the
/// records so far.
///
/// **Threads.** One thread at a time.
///
/// [PackWriter] writes data first and moves it once if the index needs more space than was reserved. The index
/// comes before the data and its size is known only at the end; `expect` avoids the move.
public final class PackWriter implements AutoCloseable {
    /// Options for writing a pack.
    ///
    /// @param alignment   each record starts at a multiple of it, or [#AUTOMATIC_ALIGNMENT]
    /// @param codec       the compression; a record that does not shrink is stored uncompressed
    /// @param level       the level of the codec, 0 for its default
    /// @param hasEntryCrc whether records get a checksum
    /// @param isReplacing whether an existing pack is replaced
    /// @param disk        the disk that the file is written to
    public record Options(long alignment, Codec codec, int level, boolean hasEntryCrc, boolean isReplacing, Disk disk) {
        /// The alignment of each record depends on its size: the largest of 1, 8, 64 and 4,096 bytes that is at
        /// most a sixteenth of the size. Small records are stored densely, large ones on separate pages.
        public static final long AUTOMATIC_ALIGNMENT = Long.MIN_VALUE;

        public static final Options DEFAULT = new Options(AUTOMATIC_ALIGNMENT, Codec.NONE, 0, true, false, Disk.real());

        private static final long[] AUTOMATIC_ALIGNMENTS = {PackFormat.ALIGNMENT_DEFAULT, 64, 8};
        private static final long PADDING_SHARE = 16;

        /// A larger value would not be a useful alignment.
        private static final long ALIGNMENT_MAX = 1L << 30;

        public Options {
            if (alignment != AUTOMATIC_ALIGNMENT && (alignment < 1 || alignment > ALIGNMENT_MAX)) {
                throw new IllegalArgumentException(
                        "alignment must be between 1 and " + ALIGNMENT_MAX + ", got " + alignment);
            }
            PackCodecs.code(codec);
        }

        /// The alignment of a record.
        long alignmentOf(long storedSize) {
            if (alignment != AUTOMATIC_ALIGNMENT) {
                return alignment;
            }
            for (long candidate : AUTOMATIC_ALIGNMENTS) {
                if (candidate <= storedSize / PADDING_SHARE) {
                    return candidate;
                }
            }
            return 1;
        }

        public Options withAlignment(long alignment) {
            return new Options(alignment, codec, level, hasEntryCrc, isReplacing, disk);
        }

        public Options withCodec(Codec codec, int level) {
            return new Options(alignment, codec, level, hasEntryCrc, isReplacing, disk);
        }

        public Options withEntryCrc(boolean hasEntryCrc) {
            return new Options(alignment, codec, level, hasEntryCrc, isReplacing, disk);
        }

        public Options withReplacing(boolean isReplacing) {
            return new Options(alignment, codec, level, hasEntryCrc, isReplacing, disk);
        }

        public Options withDisk(Disk disk) {
            return new Options(alignment, codec, level, hasEntryCrc, isReplacing, disk);
        }
    }

    /// Keeps the arithmetic of offsets within 63 bits.
    private static final long COUNT_MAX = 1L << 48;

    private static final long STAGE_SIZE = 1L << 20;
    private static final long MOVE_PIECE_SIZE = 4L << 20;

    private final Options options;
    private final NewFile file;
    private final PackIndexBuffer index = new PackIndexBuffer();
    private final PackNamesBuffer names = new PackNamesBuffer();
    private final StagedWrites stage;
    private final PackCompressor compressor;
    private long dataStart;
    private long dataEnd;
    /// The end of the last record that has bytes. Empty records after it have written nothing.
    private long writtenEnd;
    /// The largest alignment of a record so far. Data is moved by multiples of it.
    private long largestAlignment;

    private long expectedCount = -1;
    private byte[] statsBlock;
    private boolean isFinished;
    private boolean isBroken;

    private PackWriter(Options options, NewFile file) {
        this.options = options;
        this.file = file;
        this.stage = new StagedWrites(file, STAGE_SIZE);
        this.compressor = new PackCompressor(options.codec(), options.level());
        this.largestAlignment = options.alignmentOf(0);
        this.dataStart = Layouts.alignUp(PackFormat.HEADER_SIZE, largestAlignment);
        this.dataEnd = dataStart;
    }

    /// Creates a pack.
    ///
    /// @throws java.nio.file.FileAlreadyExistsException when the pack exists and may not be replaced
    public static PackWriter create(Path target, Options options) throws IOException {
        NewFile file = NewFile.createAt(options.disk(), target, options.isReplacing());
        try {
            return new PackWriter(options, file);
        } catch (Throwable e) {
            file.close();
            throw e;
        }
    }

    /// Announces the number of records and the size of all names in bytes, so that the data need not be moved at
    /// the end. Exactly this number of records must follow.
    public void expect(long recordCount, long nameBytes) {
        leaveRoom(recordCount, nameBytes);
        expectedCount = recordCount;
    }

    /// Says how many records without names will probably come, so that the data need not be moved at the end.
    /// After more of them it is moved all the same, and after fewer a gap of zeros stays behind the index.
    public void reserve(long recordCount) {
        leaveRoom(recordCount, 0);
    }

    private void leaveRoom(long recordCount, long nameBytes) {
        if (index.count() > 0) {
            throw new IllegalStateException("expect must be called before the first record is written");
        }
        if (recordCount < 0 || recordCount > COUNT_MAX || nameBytes < 0 || nameBytes > COUNT_MAX) {
            throw new IllegalArgumentException(
                    "invalid numbers to expect: " + recordCount + " records and " + nameBytes + " bytes of names");
        }
        long namesSize = nameBytes > 0 ? PackNames.sizeOf(recordCount, nameBytes) : 0;
        dataStart = Layouts.alignUp(PackFormat.indexEnd(recordCount) + namesSize, largestAlignment);
        dataEnd = dataStart;
    }

    /// Appends a record without a name.
    ///
    /// @return the index of the record
    public long append(PackKind kind, MemorySegment record) throws IOException {
        return append(null, kind, record);
    }

    /// Appends a record. Either all records of a pack have names or none has.
    ///
    /// @param name a relative path, or null
    /// @return the index of the record
    public long append(String name, PackKind kind, MemorySegment record) throws IOException {
        return append(name, kind, compressor.store(record, options.hasEntryCrc()));
    }

    /// Appends a record that was prepared by another thread.
    long append(String name, PackKind kind, StoredRecord record) throws IOException {
        long offset = begin(name, record.stored().byteSize());
        stage.write(record.stored(), offset);
        return end(kind, record.flags(), record.crc(), offset, record.stored().byteSize(), record.rawField());
    }

    /// Appends a record directly from a file, piece by piece and uncompressed.
    long append(String name, PackKind kind, Disk.Readable source, long size) throws IOException {
        long offset = begin(name, size);
        Crc32c crc = new Crc32c();
        try (Buffer buffer = new Buffer()) {
            MemorySegment piece = buffer.reserve(STAGE_SIZE);
            for (long done = 0; done < size; done += STAGE_SIZE) {
                MemorySegment part = piece.asSlice(0, Math.min(STAGE_SIZE, size - done));
                if (source.read(done, part) < part.byteSize()) {
                    throw new EOFException("the file was shortened while it was being packed");
                }
                crc.update(part);
                stage.write(part, offset + done);
            }
        }
        return end(kind, 0, options.hasEntryCrc() ? crc.value() : 0, offset, size, 0);
    }

    private long begin(String name, long storedSize) {
        if (isFinished || isBroken) {
            throw new ClosedException(
                    file.target() + " accepts no more records: the writer is closed, or an earlier write failed");
        }
        if (storedSize > PackFormat.RECORD_SIZE_MAX) {
            throw new IllegalArgumentException(
                    "a record of " + storedSize + " bytes is too large: at most " + PackFormat.RECORD_SIZE_MAX);
        }
        if (index.count() > 0 && (name != null) == names.isEmpty()) {
            throw new IllegalArgumentException("either all records of a pack have names or none has");
        }
        // Reset when the entry has been added.
        isBroken = true;
        if (name != null) {
            names.add(name);
        }
        long alignment = options.alignmentOf(storedSize);
        largestAlignment = Math.max(largestAlignment, alignment);
        return Layouts.alignUp(dataEnd, alignment);
    }

    private long end(PackKind kind, int flags, int crc, long offset, long storedSize, long rawField) {
        dataEnd = offset + storedSize;
        writtenEnd = storedSize > 0 ? dataEnd : writtenEnd;
        long recordIndex = index.add(new PackEntry(offset, storedSize, kind.code(), flags, crc, rawField));
        isBroken = false;
        return recordIndex;
    }

    /// Sets the statistics block after the data, which the pack does not interpret.
    public void setStatsBlock(byte[] statsBlock) {
        this.statsBlock = statsBlock.clone();
    }

    /// Discards the pack: `close` will remove what was written.
    public void abort() throws IOException {
        isFinished = true;
        release();
    }

    /// Completes and publishes the pack, once everything is on stable storage.
    @Override
    public void close() throws IOException {
        if (isFinished) {
            return;
        }
        isFinished = true;
        try {
            if (!isBroken) {
                requireExpected();
                finish();
                file.publish();
            }
        } finally {
            release();
        }
    }

    private void release() throws IOException {
        index.close();
        names.close();
        stage.close();
        compressor.close();
        file.close();
    }

    private void requireExpected() {
        if (expectedCount >= 0 && expectedCount != index.count()) {
            throw new IllegalStateException(
                    "expected " + expectedCount + " records, but " + index.count() + " were written");
        }
    }

    private void finish() throws IOException {
        stage.flush();
        long namesOffset = PackFormat.indexEnd(index.count());
        moveData(namesOffset + names.blockSize());
        if (index.count() == 0) {
            dataEnd = 0;
        }
        MemorySegment entries = index.entries();
        file.write(new PackHeader(!names.isEmpty(), index.count()).write(), 0);
        file.write(entries, PackFormat.HEADER_SIZE);
        names.write(file, namesOffset);
        long behind = index.count() == 0 ? namesOffset : dataEnd;
        long statsAt = writeStats(behind);
        PackFooter footer = new PackFooter(dataEnd, Crc32c.of(entries), 0, statsAt, 0);
        file.write(footer.write(), statsAt == 0 ? behind : behind + U32.byteSize() + statsBlock.length);
    }

    private long writeStats(long offset) throws IOException {
        if (statsBlock == null) {
            return 0;
        }
        MemorySegment block = MemorySegment.ofArray(new byte[Math.toIntExact(U32.byteSize() + statsBlock.length)]);
        block.set(U32, 0, statsBlock.length);
        block.asSlice(U32.byteSize()).copyFrom(MemorySegment.ofArray(statsBlock));
        file.write(block, offset);
        return offset;
    }

    /// Moves all data to the first aligned offset after index and names, last bytes first, unless it is already
    /// there or beyond. The space between is filled with zeros.
    private void moveData(long paddingStart) throws IOException {
        boolean isExact = expectedCount >= 0 && index.count() > 0;
        if (isExact && Layouts.alignUp(paddingStart, options.alignmentOf(0)) < dataStart) {
            throw new IllegalStateException("the names have fewer bytes than were announced with expect");
        }
        long distance = Layouts.alignUp(Math.max(0, paddingStart - dataStart), largestAlignment);
        long newStart = dataStart + distance;
        if (distance <= 0 || index.count() == 0) {
            return;
        }
        try (Buffer buffer = new Buffer()) {
            MemorySegment piece = buffer.reserve(MOVE_PIECE_SIZE);
            for (long limit = writtenEnd; limit > dataStart; limit -= MOVE_PIECE_SIZE) {
                long start = Math.max(dataStart, limit - MOVE_PIECE_SIZE);
                MemorySegment part = piece.asSlice(0, limit - start);
                file.read(start, part);
                file.write(part, start + distance);
            }
            piece.fill((byte) 0);
            long staleLimit = Math.min(newStart, writtenEnd);
            for (long start = Math.max(paddingStart, dataStart); start < staleLimit; start += MOVE_PIECE_SIZE) {
                file.write(piece.asSlice(0, Math.min(MOVE_PIECE_SIZE, staleLimit - start)), start);
            }
        }
        index.move(distance);
        dataStart += distance;
        dataEnd += distance;
    }
}
