// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Codec;
import dev.penstock.file.OpenFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/// The entries of an open pack.
///
/// The index was checked as a whole when the pack was opened. Each entry is checked against the bounds of the data
/// again when it is used, because a mapped file can change.
final class PackIndex {
    private final OpenFile file;
    private final MemorySegment entries;
    private final long count;
    private final long dataStart;
    private final long dataLimit;

    private PackIndex(OpenFile file, MemorySegment entries, long count) {
        this.file = file;
        this.entries = entries;
        this.count = count;
        this.dataStart = PackFormat.indexEnd(count);
        this.dataLimit = file.size() - PackFormat.FOOTER_SIZE;
    }

    /// Returns the index in the mapping, or an off-heap copy when the file is not mapped. The caller has checked
    /// the count against the size of the file.
    static PackIndex of(OpenFile file, long count) throws IOException {
        long indexBytes = count * PackFormat.ENTRY_SIZE;
        if (file.isMapped()) {
            return new PackIndex(file, file.view(PackFormat.HEADER_SIZE, indexBytes), count);
        }
        MemorySegment copy = Arena.ofAuto().allocate(Math.max(1, indexBytes));
        file.read(PackFormat.HEADER_SIZE, copy.asSlice(0, indexBytes));
        return new PackIndex(file, copy.asReadOnly(), count);
    }

    long count() {
        return count;
    }

    /// The bytes of all entries.
    MemorySegment entries() {
        return entries;
    }

    /// Returns an entry without checking it.
    ///
    /// @throws IndexOutOfBoundsException when the index is out of range
    PackEntry entry(long index) {
        Objects.checkIndex(index, count);
        return PackEntry.read(entries, index * PackFormat.ENTRY_SIZE);
    }

    /// The offset of the entry in the file, for messages.
    static long entryOffset(long index) {
        return PackFormat.HEADER_SIZE + index * PackFormat.ENTRY_SIZE;
    }

    /// Returns an entry whose record can be read: it lies inside the data and has a known codec and a plausible
    /// size.
    PackEntry readable(long index) {
        PackEntry entry = entry(index);
        requireInside(index, entry);
        if (!entry.isReadable()) {
            throw new DatasetException.UnsupportedVersion(
                    file.location(),
                    entryOffset(index) + PackEntry.FLAGS_OFFSET,
                    Reason.UNKNOWN_FLAGS,
                    "record " + index + ": unknown entry flags 0x" + Integer.toHexString(entry.flags())
                            + ": a newer version wrote this pack, update to read it");
        }
        Codec codec = entry.codec();
        long rawSizeMax = Math.min(codec.rawSizeMax(entry.storedSize()), PackFormat.COMPRESSED_RAW_SIZE_MAX);
        if (codec != Codec.NONE && (entry.rawSize() > rawSizeMax || entry.rawSize() == 0)) {
            throw new DatasetException.Corrupt(
                    file.location(),
                    entryOffset(index) + PackEntry.RAW_OFFSET,
                    Reason.BAD_COMPRESSION,
                    "record " + index + ": " + entry.storedSize() + " bytes of " + codec + " cannot decompress to "
                            + entry.rawSize());
        }
        return entry;
    }

    /// Whether the bytes of a record lie between index and footer.
    boolean isInside(PackEntry entry) {
        return isInside(entry.offset(), entry.storedSize());
    }

    /// Whether these bytes lie between index and footer.
    boolean isInside(long offset, long storedSize) {
        return offset >= dataStart && storedSize <= dataLimit - offset;
    }

    private void requireInside(long index, PackEntry entry) {
        if (!isInside(entry)) {
            boolean wraps = Long.compareUnsigned(entry.offset() + entry.storedSize(), entry.offset()) < 0;
            throw new DatasetException.Corrupt(
                    file.location(),
                    entryOffset(index),
                    wraps ? Reason.SIZE_OVERFLOW : Reason.OUT_OF_RANGE,
                    "malformed packfile: " + (wraps ? "slice overflow" : "slice oob") + ", record " + index + " of "
                            + entry.storedSize() + " bytes at byte " + Long.toUnsignedString(entry.offset()));
        }
    }
}
