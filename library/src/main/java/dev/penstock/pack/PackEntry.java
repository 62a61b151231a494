// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import static dev.penstock.file.Layouts.U16;
import static dev.penstock.file.Layouts.U32;
import static dev.penstock.file.Layouts.U64;

import dev.penstock.file.Codec;
import dev.penstock.file.Layouts;
import java.lang.foreign.MemorySegment;

/// An index entry of a pack: the position of a record and the form of its bytes.
///
/// @param offset     the offset in the file, in bytes
/// @param storedSize the size in the file, in bytes
/// @param kindCode   the kind of the record; [PackReader#kind] decodes it
/// @param flags      the form in which the bytes are stored
/// @param crc        the CRC of the stored bytes, or 0 when there is none
/// @param rawField   the decompressed size if the record is compressed
public record PackEntry(long offset, long storedSize, int kindCode, int flags, int crc, long rawField) {
    private static final int CODEC_SHIFT = 4;

    static final long OFFSET_OFFSET = Layouts.offset(PackFormat.ENTRY, "offset");
    static final long SIZE_OFFSET = Layouts.offset(PackFormat.ENTRY, "size");
    static final long KIND_OFFSET = Layouts.offset(PackFormat.ENTRY, "kind");
    static final long FLAGS_OFFSET = Layouts.offset(PackFormat.ENTRY, "flags");
    static final long CRC_OFFSET = Layouts.offset(PackFormat.ENTRY, "crc");
    static final long RAW_OFFSET = Layouts.offset(PackFormat.ENTRY, "rawSize");
    static final long RESERVED_OFFSET = Layouts.offset(PackFormat.ENTRY, "reserved");

    static PackEntry read(MemorySegment index, long at) {
        return new PackEntry(
                index.get(U64, at + OFFSET_OFFSET),
                Layouts.u32(index, at + SIZE_OFFSET),
                Layouts.u16(index, at + KIND_OFFSET),
                Layouts.u16(index, at + FLAGS_OFFSET),
                index.get(U32, at + CRC_OFFSET),
                Layouts.u32(index, at + RAW_OFFSET));
    }

    void write(MemorySegment index, long at) {
        index.set(U64, at + OFFSET_OFFSET, offset);
        index.set(U32, at + SIZE_OFFSET, (int) storedSize);
        index.set(U16, at + KIND_OFFSET, (short) kindCode);
        index.set(U16, at + FLAGS_OFFSET, (short) flags);
        index.set(U32, at + CRC_OFFSET, crc);
        index.set(U32, at + RAW_OFFSET, (int) rawField);
        index.set(U64, at + RESERVED_OFFSET, 0L);
    }

    /// The flags of a record that is stored with a codec.
    static int flags(Codec codec) {
        return PackCodecs.code(codec) << CODEC_SHIFT;
    }

    /// Whether all flag bits are known, so that the record can be read.
    public boolean isReadable() {
        return (flags & (1 << CODEC_SHIFT) - 1) == 0 && flags >> CODEC_SHIFT < PackCodecs.COUNT;
    }

    /// The codec of the record.
    ///
    /// @throws IllegalStateException when the entry is not readable
    public Codec codec() {
        if (!isReadable()) {
            throw new IllegalStateException(
                    "entry flags 0x" + Integer.toHexString(flags) + " do not stand for a known codec");
        }
        return PackCodecs.codec(flags >> CODEC_SHIFT);
    }

    /// The decompressed size of the record in bytes.
    public long rawSize() {
        return codec() == Codec.NONE ? storedSize : rawField;
    }

    /// Whether this is a deleted record of a [family][RecordFamily]: it keeps its index but has no content.
    public boolean isTombstone() {
        return storedSize == 0 && kindCode != PackKind.OPAQUE.code();
    }
}
