// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static dev.penstock.file.Layouts.U32;

import dev.penstock.DatasetException;
import dev.penstock.Leases;
import dev.penstock.Pool;
import dev.penstock.Reason;
import dev.penstock.file.Crc32c;
import dev.penstock.file.Layouts;
import dev.penstock.file.Location;
import dev.penstock.file.OpenFile;
import dev.penstock.file.RangeReader;
import dev.penstock.file.ReaderOptions;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Set;
import java.util.zip.CRC32C;

/// Reads the values of a store from its chunks, checks and decompresses them.
///
/// A value is first copied to private memory and checked there, so that it cannot change between check and use.
///
/// **Ownership.** Owns the open chunks. **Threads.** Safe for any number of threads.
final class StoreValues implements AutoCloseable {
    static final long CRC_OFFSET = Layouts.offset(StoreFormat.PREFIX, "crc");
    static final long SIZE_OFFSET = Layouts.offset(StoreFormat.PREFIX, "size");

    /// A larger uncompressed value is copied directly to its target and checked there.
    private static final long STAGED_SIZE_MAX = 64L << 10;

    /// The largest memory that a thread keeps for the next value.
    private static final int KEPT_BYTES_MAX = 4 << 20;

    private final Location store;
    private final StoreChunks chunks;
    private final boolean isChecking;
    /// Whether values have a prefix; those of other programs have none.
    private final boolean hasPrefixes;

    private final Pool<Scratch> scratches = new Pool<>(Scratch::new, Scratch::close);
    private final Leases leases = new Leases(this::free);

    StoreValues(Location store, ReaderOptions options, boolean isChecking, boolean hasPrefixes) {
        this.store = store;
        this.chunks = new StoreChunks(store, options);
        this.isChecking = isChecking && hasPrefixes;
        this.hasPrefixes = hasPrefixes;
    }

    /// The scratch memory of a reading thread.
    static final class Scratch implements AutoCloseable {
        private final CRC32C crc = new CRC32C();
        private final Crc32c segmentCrc = new Crc32c();
        private final ValueUnpacker unpacker = new ValueUnpacker();
        private byte[] bytes = new byte[0];
        private MemorySegment memory = MemorySegment.ofArray(bytes);

        MemorySegment reserve(long byteCount) {
            if (bytes.length < byteCount) {
                bytes = new byte[Math.toIntExact(byteCount)];
                memory = MemorySegment.ofArray(bytes);
            }
            return memory;
        }

        @Override
        public void close() {
            unpacker.close();
        }
    }

    Scratch borrowScratch() {
        return scratches.borrow();
    }

    void giveBack(Scratch scratch) {
        if (scratch.bytes.length > KEPT_BYTES_MAX) {
            scratch.close();
        } else {
            scratches.giveBack(scratch);
        }
    }

    /// Whether the chunks are objects of a remote storage, so that values are best read together.
    boolean isRanged() {
        return chunks.isRanged();
    }

    boolean hasPrefixes() {
        return hasPrefixes;
    }

    /// The offset of the first byte that belongs to a value, which is that of its prefix.
    ///
    /// @param entry an entry that lies within its chunk
    long start(StoreEntry entry) {
        return entry.offset() - (hasPrefixes ? StoreFormat.PREFIX_SIZE : 0);
    }

    /// A value in its stored form.
    ///
    /// @param crc     the checksum in its prefix
    /// @param rawSize the decompressed size of the value
    record Stored(byte[] bytes, int crc, long rawSize) {}

    /// The prefix of a value.
    record Prefix(int crc, long rawSize) {}

    /// Holds the chunk of an entry open until it is released. The entry lies within it.
    ///
    /// @throws DatasetException when the bytes do not exist
    OpenFile acquireChunk(StoreEntry entry) throws IOException {
        long prefixSize = hasPrefixes ? StoreFormat.PREFIX_SIZE : 0;
        boolean isBounded = entry.offset() >= prefixSize
                && entry.size() <= StoreFormat.STORED_SIZE_MAX
                && entry.offset() <= Long.MAX_VALUE - entry.size();
        if (!isBounded) {
            throw new DatasetException.Corrupt(
                    StoreFormat.chunk(store, entry.chunk()),
                    entry.offset(),
                    Reason.OUT_OF_RANGE,
                    "a slot has an invalid place: " + entry);
        }
        return chunks.acquire(entry.chunk(), entry.offset() + entry.size());
    }

    /// The prefix of a value, not yet compared with its bytes.
    Prefix prefix(StoreEntry entry) throws IOException {
        OpenFile chunk = acquireChunk(entry);
        try {
            MemorySegment prefix = MemorySegment.ofArray(new byte[(int) StoreFormat.PREFIX_SIZE]);
            chunk.read(entry.offset() - StoreFormat.PREFIX_SIZE, prefix);
            return new Prefix(prefix.get(U32, CRC_OFFSET), Layouts.u32(prefix, SIZE_OFFSET));
        } finally {
            chunk.release();
        }
    }

    /// A number that changes with the stored bytes of a value: the checksum in its prefix, without reading the
    /// bytes. Values of other programs have no checksum, so it is computed.
    long checksum(StoreEntry entry) throws IOException {
        if (hasPrefixes) {
            return checksum(prefix(entry));
        }
        OpenFile chunk = acquireChunk(entry);
        try {
            Crc32c crc = new Crc32c();
            chunk.forEachPiece(entry.offset(), entry.size(), crc::update);
            return Integer.toUnsignedLong(crc.value());
        } finally {
            chunk.release();
        }
    }

    private static long checksum(Prefix prefix) {
        return Integer.toUnsignedLong(prefix.crc()) << Integer.SIZE ^ prefix.rawSize();
    }

    /// [#checksum(StoreEntry)] of a value whose first bytes, or all, were read already.
    long checksum(StoreEntry entry, RangeReader source) throws IOException {
        if (hasPrefixes) {
            MemorySegment prefix = MemorySegment.ofArray(new byte[(int) StoreFormat.PREFIX_SIZE]);
            source.read(start(entry), prefix);
            return checksum(new Prefix(prefix.get(U32, CRC_OFFSET), Layouts.u32(prefix, SIZE_OFFSET)));
        }
        MemorySegment bytes = MemorySegment.ofArray(new byte[Math.toIntExact(entry.size())]);
        source.read(entry.offset(), bytes);
        return Integer.toUnsignedLong(Crc32c.of(bytes));
    }

    /// Reads stored bytes and always checks them.
    ///
    /// @throws DatasetException when they are missing or do not match their checksum
    Stored stored(StoreEntry entry) throws IOException {
        OpenFile chunk = acquireChunk(entry);
        Scratch scratch = borrowScratch();
        try {
            MemorySegment all = readChecked(entry, chunk, scratch, true);
            return new Stored(
                    Arrays.copyOfRange(
                            scratch.bytes,
                            (int) StoreFormat.PREFIX_SIZE,
                            Math.toIntExact(StoreFormat.PREFIX_SIZE + entry.size())),
                    all.get(U32, CRC_OFFSET),
                    Layouts.u32(all, SIZE_OFFSET));
        } finally {
            giveBack(scratch);
            chunk.release();
        }
    }

    /// Reads stored bytes with their prefix and always checks them.
    ///
    /// @return scratch memory
    /// @throws DatasetException when they are missing or do not match their checksum
    MemorySegment storedWithPrefix(StoreEntry entry, Scratch scratch) throws IOException {
        OpenFile chunk = acquireChunk(entry);
        try {
            return readChecked(entry, chunk, scratch, true).asSlice(0, StoreFormat.PREFIX_SIZE + entry.size());
        } finally {
            chunk.release();
        }
    }

    /// Copies a value with its prefix to the heap. The checksum covers the size in the prefix and the bytes, which
    /// are contiguous.
    private MemorySegment readChecked(StoreEntry entry, RangeReader chunk, Scratch scratch, boolean isChecked)
            throws IOException {
        long allSize = StoreFormat.PREFIX_SIZE + entry.size();
        MemorySegment all = scratch.reserve(allSize);
        chunk.read(entry.offset() - StoreFormat.PREFIX_SIZE, all.asSlice(0, allSize));
        if (isChecked) {
            scratch.crc.reset();
            scratch.crc.update(scratch.bytes, (int) SIZE_OFFSET, (int) (allSize - SIZE_OFFSET));
            requireSound(entry, (int) scratch.crc.getValue(), all.get(U32, CRC_OFFSET));
        }
        return all;
    }

    private void requireSound(StoreEntry entry, int crc, int expected) {
        if (crc != expected) {
            throw new DatasetException.Corrupt(
                    StoreFormat.chunk(store, entry.chunk()),
                    entry.offset(),
                    Reason.CHECKSUM,
                    "a value does not match its checksum");
        }
    }

    /// Whether the stored bytes of an entry exist and are those that were written.
    ///
    /// @param crc the checksum in the prefix, as stored in the journal
    boolean isIntact(StoreEntry entry, int crc) throws IOException {
        try {
            return stored(entry).crc() == crc;
        } catch (DatasetException e) {
            return false;
        }
    }

    /// The decompressed size of a value according to its prefix, checked against what its stored bytes can
    /// decompress to.
    ///
    /// @param chunk   reads the chunk of the value
    /// @param scratch the scratch memory of the thread
    long rawSize(StoreField field, StoreEntry entry, RangeReader chunk, Scratch scratch) throws IOException {
        if (field.compression(entry.chunk()) == StoreCompression.RAW) {
            return entry.size();
        }
        if (!hasPrefixes) {
            return expandBare(field, entry, chunk, scratch).length;
        }
        MemorySegment size = scratch.reserve(U32.byteSize()).asSlice(0, U32.byteSize());
        chunk.read(entry.offset() - StoreFormat.PREFIX_SIZE + SIZE_OFFSET, size);
        long rawSize = Layouts.u32(size, 0);
        if (rawSize > field.compression(entry.chunk()).rawSizeMax(entry.size())) {
            throw expandsWrongly(field, entry, rawSize);
        }
        return rawSize;
    }

    /// Copies a value.
    ///
    /// @param target memory of exactly its [#rawSize]
    void fill(StoreField field, StoreEntry entry, RangeReader chunk, MemorySegment target, Scratch scratch)
            throws IOException {
        if (!hasPrefixes) {
            fillBare(field, entry, chunk, target, scratch);
            return;
        }
        boolean isRaw = field.compression(entry.chunk()) == StoreCompression.RAW;
        if (isRaw && (!isChecking || entry.size() > STAGED_SIZE_MAX)) {
            fillDirectly(field, entry, chunk, target, scratch);
            return;
        }
        MemorySegment all = readChecked(entry, chunk, scratch, isChecking);
        if (Layouts.u32(all, SIZE_OFFSET) != target.byteSize()) {
            throw expandsWrongly(field, entry, target.byteSize());
        }
        if (isRaw) {
            MemorySegment.copy(all, StoreFormat.PREFIX_SIZE, target, 0, target.byteSize());
        } else {
            MemorySegment stored = all.asSlice(StoreFormat.PREFIX_SIZE, entry.size());
            if (!scratch.unpacker.unpack(field.compression(entry.chunk()), stored, target)) {
                throw expandsWrongly(field, entry, target.byteSize());
            }
        }
    }

    private void fillDirectly(
            StoreField field, StoreEntry entry, RangeReader chunk, MemorySegment target, Scratch scratch)
            throws IOException {
        chunk.read(entry.offset(), target);
        if (isChecking) {
            MemorySegment prefix = scratch.reserve(StoreFormat.PREFIX_SIZE).asSlice(0, StoreFormat.PREFIX_SIZE);
            chunk.read(entry.offset() - StoreFormat.PREFIX_SIZE, prefix);
            if (Layouts.u32(prefix, SIZE_OFFSET) != target.byteSize()) {
                throw expandsWrongly(field, entry, target.byteSize());
            }
            scratch.segmentCrc.reset();
            scratch.segmentCrc.update(prefix.asSlice(SIZE_OFFSET));
            scratch.segmentCrc.update(target);
            requireSound(entry, scratch.segmentCrc.value(), prefix.get(U32, CRC_OFFSET));
        }
    }

    private void fillBare(StoreField field, StoreEntry entry, RangeReader chunk, MemorySegment target, Scratch scratch)
            throws IOException {
        if (field.compression(entry.chunk()) == StoreCompression.RAW) {
            chunk.read(entry.offset(), target);
        } else {
            target.copyFrom(MemorySegment.ofArray(expandBare(field, entry, chunk, scratch)));
        }
    }

    private byte[] expandBare(StoreField field, StoreEntry entry, RangeReader chunk, Scratch scratch)
            throws IOException {
        MemorySegment stored = scratch.reserve(entry.size()).asSlice(0, entry.size());
        chunk.read(entry.offset(), stored);
        byte[] value = field.compression(entry.chunk()) == StoreCompression.FLATE
                ? scratch.unpacker.inflate(stored, StoreFormat.VALUE_SIZE_MAX)
                : null;
        if (value == null) {
            throw expandsWrongly(field, entry, "at most " + StoreFormat.VALUE_SIZE_MAX);
        }
        return value;
    }

    private DatasetException expandsWrongly(StoreField field, StoreEntry entry, long rawSize) {
        return expandsWrongly(field, entry, String.valueOf(rawSize));
    }

    private DatasetException expandsWrongly(StoreField field, StoreEntry entry, String size) {
        return new DatasetException.Corrupt(
                StoreFormat.chunk(store, entry.chunk()),
                entry.offset(),
                Reason.BAD_COMPRESSION,
                "a value of field " + field.name() + " is not "
                        + field.compression(entry.chunk()).word() + " data that decompresses to " + size + " bytes");
    }

    /// The bytes of a value; null when it is missing or its record was deleted.
    ///
    /// @throws DatasetException when the bytes are invalid
    byte[] value(StoreField field, StoreEntry entry) throws IOException {
        if (!entry.hasBytes()) {
            return entry.isMissing() ? null : new byte[0];
        }
        OpenFile chunk = acquireChunk(entry);
        Scratch scratch = borrowScratch();
        try {
            return value(field, entry, chunk, scratch);
        } finally {
            giveBack(scratch);
            chunk.release();
        }
    }

    private byte[] value(StoreField field, StoreEntry entry, RangeReader chunk, Scratch scratch) throws IOException {
        byte[] value = new byte[Math.toIntExact(rawSize(field, entry, chunk, scratch))];
        fill(field, entry, chunk, MemorySegment.ofArray(value), scratch);
        return value;
    }

    /// The bytes of an existing value, which are always checked.
    ///
    /// @throws DatasetException when the bytes are invalid
    byte[] checkedValue(StoreField field, StoreEntry entry) throws IOException {
        if (hasPrefixes && !isChecking) {
            stored(entry);
        }
        return value(field, entry);
    }

    /// [#checkedValue(StoreField, StoreEntry)] of a value whose stored bytes were read already.
    ///
    /// @param source reads the bytes; not used for an entry without bytes
    byte[] checkedValue(StoreField field, StoreEntry entry, RangeReader source) throws IOException {
        if (!entry.hasBytes()) {
            return value(field, entry);
        }
        Scratch scratch = borrowScratch();
        try {
            if (hasPrefixes && !isChecking) {
                readChecked(entry, source, scratch, true);
            }
            return value(field, entry, source, scratch);
        } finally {
            giveBack(scratch);
        }
    }

    /// The same open chunks for another owner, such as a later state of the store; chunk ids are never reused.
    /// They are closed when all owners have closed them.
    StoreValues share() {
        leases.acquire();
        return this;
    }

    /// Closes all other chunks.
    void retain(Set<Long> chunkIds) {
        chunks.retain(chunkIds);
    }

    /// Each owner calls it once.
    @Override
    public void close() {
        leases.release();
    }

    private void free() {
        scratches.close();
        chunks.close();
    }
}
