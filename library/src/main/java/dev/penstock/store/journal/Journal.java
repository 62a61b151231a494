// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store.journal;

import static dev.penstock.file.Layouts.U16;
import static dev.penstock.file.Layouts.U32;
import static dev.penstock.file.Layouts.U64;
import static dev.penstock.file.Layouts.U8;

import dev.penstock.file.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.nio.charset.StandardCharsets;

/// A journal is a file of changes in frames. After a crash, each frame is either complete or absent.
///
/// The owner of the journal defines what a frame means: a frame carries a kind, two numbers and any number of
/// items of the same size. The journal decides which frames are valid after a crash. [JournalWriter] writes it and
/// [JournalReplay] reads it.
///
/// All integers are little-endian; CRC is CRC-32C. The file is the header, the frames one after another, and zeros
/// reserved for future frames.
///
/// ## Layout
///
/// ### HEADER
///
/// | offset | size | type  | field    | rule                                                                |
/// |-------:|-----:|-------|----------|---------------------------------------------------------------------|
/// |      0 |    8 | bytes | magic    | that of the journal's user                                          |
/// |      8 |   16 | bytes | uuid     | of what the journal belongs to                                      |
/// |     24 |    8 | u64   | number   | as in the name of the file                                          |
/// |     32 |    8 | u64   | salt     | random and new for every journal, so that no old frame is taken for one of it |
/// |     40 |    8 | u64   | sequence | of the state that the changes are applied to                        |
/// |     48 |   12 | bytes | zero     | zero                                                                |
/// |     60 |    4 | u32   | crc      | CRC of bytes 0 to 59                                                |
///
/// ### FRAME
///
/// | offset | size | type  | field    | rule                                                                |
/// |-------:|-----:|-------|----------|---------------------------------------------------------------------|
/// |      0 |    4 | u32   | magic    | that of the journal's user                                          |
/// |      4 |    1 | u8    | kind     | 1 COMMIT, 2 OVERLAY (only directly behind the header), 3 SYNC (no items) |
/// |      5 |    1 | u8    | flags    | 1 SYNCED, 2 MORE; others refused                                    |
/// |      6 |    2 | u16   | fields   | the user's                                                          |
/// |      8 |    8 | u64   | salt     | that of the header                                                  |
/// |     16 |    8 | u64   | sequence | one more than that of the frame before; OVERLAY: that of the header |
/// |     24 |    8 | u64   | durable  | highest sequence that was known to be durable when this was written |
/// |     32 |    8 | u64   | length   | the user's                                                          |
/// |     40 |    4 | u32   | count    | items that follow, at most [#ITEM_COUNT_MAX]                        |
/// |     44 |    4 | u32   | crc      | CRC of bytes 0 to 43 and of all items                               |
///
/// SYNCED means that all data in other files that this frame and all earlier ones refer to was durable before this
/// frame was written. MORE means that the commit continues in the next frame; a commit is valid only if its last
/// frame is there.
///
/// ## Invariants
///
/// - A frame is written once, in one write, into reserved space that is already zeros and durable. So writing it
///   does not change the length of the file, and a full disk is noticed before anything is acknowledged.
/// - Frames that were not forced may be lost in any order. So a valid frame after an invalid one proves nothing,
///   and the sequence of frames ends at the first invalid one: a **torn tail**.
/// - When a later frame says that the first missing one was durable, the file is **damaged**, which is an error.
/// - A journal that was read after a crash is not continued: its owner starts a new one.
///
/// @param magic      the 8 characters that begin the header
/// @param frameMagic the 4 characters that begin each frame
/// @param itemSize   the size of an item in bytes, a multiple of 16 so that every frame stays aligned
public record Journal(String magic, String frameMagic, int itemSize) {
    static final StructLayout HEADER = MemoryLayout.structLayout(
            MemoryLayout.sequenceLayout(8, U8).withName("magic"),
            MemoryLayout.sequenceLayout(16, U8).withName("uuid"),
            U64.withName("number"),
            U64.withName("salt"),
            U64.withName("sequence"),
            MemoryLayout.sequenceLayout(12, U8).withName("zero"),
            U32.withName("crc"));

    static final StructLayout FRAME = MemoryLayout.structLayout(
            U32.withName("magic"),
            U8.withName("kind"),
            U8.withName("flags"),
            U16.withName("fields"),
            U64.withName("salt"),
            U64.withName("sequence"),
            U64.withName("durable"),
            U64.withName("length"),
            U32.withName("count"),
            U32.withName("crc"));

    /// The size of the header in bytes, which is the offset of the first frame.
    public static final long HEADER_SIZE = HEADER.byteSize();

    /// The size of a frame without its items, in bytes.
    public static final long FRAME_HEAD_SIZE = FRAME.byteSize();

    /// Frames begin at multiples of this number of bytes.
    static final long FRAME_ALIGNMENT = 8;

    /// The largest number of items of one frame: 1 GiB at the usual item size. A larger commit takes several
    /// frames.
    public static final int ITEM_COUNT_MAX = 1 << 25;

    /// A frame with changes.
    public static final int COMMIT = 1;
    /// A frame with a part of the state that the changes are applied to.
    public static final int OVERLAY = 2;
    /// A frame that only says that everything before it is durable.
    public static final int SYNC = 3;

    /// A flag: the data that the frames so far refer to is durable.
    public static final int SYNCED = 1;
    /// A flag: the commit continues in the next frame.
    public static final int MORE = 2;

    static final int FLAGS_KNOWN = SYNCED | MORE;

    public Journal {
        if (magic.length() != 8 || frameMagic.length() != 4 || itemSize < 16 || itemSize % 16 != 0) {
            throw new IllegalArgumentException(
                    "a journal needs magics of 8 and 4 characters and items of at least 16 bytes");
        }
    }

    byte[] magicBytes() {
        return magic.getBytes(StandardCharsets.US_ASCII);
    }

    int frameMagicNumber() {
        byte[] bytes = frameMagic.getBytes(StandardCharsets.US_ASCII);
        return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | bytes[3] << 24;
    }

    /// The size in bytes of a frame with `itemCount` items.
    public long frameSize(long itemCount) {
        return FRAME_HEAD_SIZE + itemCount * itemSize;
    }

    static long headerOffset(String field) {
        return Layouts.offset(HEADER, field);
    }

    static long frameOffset(String field) {
        return Layouts.offset(FRAME, field);
    }
}
