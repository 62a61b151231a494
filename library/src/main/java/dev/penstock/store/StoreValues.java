// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static dev.penstock.memory.Layouts.U32;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.memory.Crc32c;
import dev.penstock.memory.Disk;
import dev.penstock.memory.Layouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// The values of a store, read from its chunks, which are opened when they are first needed.
///
/// **Ownership.** Owns the open chunks. **Threads.** Any number.
final class StoreValues implements AutoCloseable {
    private static final long CRC_OFFSET = Layouts.offset(StoreFormat.PREFIX, "crc");
    private static final long SIZE_OFFSET = Layouts.offset(StoreFormat.PREFIX, "size");

    private final Disk disk;
    private final Path store;
    private final Map<Long, Disk.Readable> chunks = new ConcurrentHashMap<>();

    StoreValues(Disk disk, Path store) {
        this.disk = disk;
        this.store = store;
    }

    /// A value as it is stored.
    ///
    /// @param crc     of its prefix
    /// @param rawSize bytes of the value when it is expanded
    record Stored(byte[] bytes, int crc, long rawSize) {}

    /// The prefix of stored bytes.
    static byte[] prefix(byte[] stored, long rawSize) {
        byte[] prefix = new byte[(int) StoreFormat.PREFIX_SIZE];
        MemorySegment memory = MemorySegment.ofArray(prefix);
        memory.set(U32, SIZE_OFFSET, (int) rawSize);
        memory.set(U32, CRC_OFFSET, crc(memory, MemorySegment.ofArray(stored)));
        return prefix;
    }

    private static int crc(MemorySegment prefix, MemorySegment stored) {
        Crc32c crc = new Crc32c();
        crc.update(prefix.asSlice(SIZE_OFFSET, U32.byteSize()));
        crc.update(stored);
        return crc.value();
    }

    /// The checksum in a prefix.
    static int crc(byte[] prefix) {
        return MemorySegment.ofArray(prefix).get(U32, CRC_OFFSET);
    }

    /// Reads stored bytes and checks them.
    ///
    /// @throws DatasetException when they are not there or differ from their checksum
    Stored stored(StoreEntry entry) throws IOException {
        Path file = StoreFormat.chunk(store, entry.chunk());
        boolean isBounded = entry.offset() >= StoreFormat.PREFIX_SIZE && entry.size() <= StoreFormat.VALUE_SIZE_MAX;
        if (!isBounded) {
            throw new DatasetException.Corrupt(
                    file, entry.offset(), Reason.OUT_OF_RANGE, "a slot names bytes that no value can have: " + entry);
        }
        byte[] all = new byte[(int) (StoreFormat.PREFIX_SIZE + entry.size())];
        MemorySegment memory = MemorySegment.ofArray(all);
        long start = entry.offset() - StoreFormat.PREFIX_SIZE;
        if (chunk(entry, file).read(start, memory) < all.length) {
            throw new DatasetException.Corrupt(
                    file, start, Reason.TRUNCATED, "the chunk ends within a value of " + entry.size() + " bytes");
        }
        MemorySegment prefix = memory.asSlice(0, StoreFormat.PREFIX_SIZE);
        if (crc(prefix, memory.asSlice(StoreFormat.PREFIX_SIZE)) != prefix.get(U32, CRC_OFFSET)) {
            throw new DatasetException.Corrupt(
                    file, entry.offset(), Reason.CHECKSUM, "a value differs from its checksum");
        }
        return new Stored(
                Arrays.copyOfRange(all, (int) StoreFormat.PREFIX_SIZE, all.length),
                prefix.get(U32, CRC_OFFSET),
                Layouts.u32(prefix, SIZE_OFFSET));
    }

    private Disk.Readable chunk(StoreEntry entry, Path file) throws IOException {
        Disk.Readable chunk = chunks.get(entry.chunk());
        if (chunk != null) {
            return chunk;
        }
        Disk.Readable opened;
        try {
            opened = disk.open(file);
        } catch (NoSuchFileException e) {
            throw new DatasetException.Corrupt(file, 0, Reason.MISSING_SHARD, "the chunk is not there", e);
        }
        Disk.Readable other = chunks.putIfAbsent(entry.chunk(), opened);
        if (other != null) {
            opened.close();
        }
        return other == null ? opened : other;
    }

    /// Whether the stored bytes of an entry are there and are those that were written.
    ///
    /// @param crc of the prefix, as the journal has it
    boolean isIntact(StoreEntry entry, int crc) throws IOException {
        try {
            return stored(entry).crc() == crc;
        } catch (DatasetException e) {
            return false;
        }
    }

    /// The bytes of a value; null when it is missing or its record was deleted.
    ///
    /// @throws DatasetException when the bytes are wrong
    byte[] value(StoreField field, StoreEntry entry) throws IOException {
        if (!entry.hasBytes()) {
            return entry.isMissing() ? null : new byte[0];
        }
        Stored stored = stored(entry);
        byte[] value = field.compression().unpack(stored.bytes(), stored.rawSize());
        if (value == null) {
            throw new DatasetException.Corrupt(
                    StoreFormat.chunk(store, entry.chunk()),
                    entry.offset(),
                    Reason.BAD_COMPRESSION,
                    "a value of field " + field.name() + " does not expand to " + stored.rawSize() + " bytes");
        }
        return value;
    }

    @Override
    public void close() throws IOException {
        Closing.all(StoreCells.closers(chunks.values()));
    }
}
