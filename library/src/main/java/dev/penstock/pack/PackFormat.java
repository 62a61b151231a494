// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import static dev.penstock.file.Layouts.U16;
import static dev.penstock.file.Layouts.U32;
import static dev.penstock.file.Layouts.U64;
import static dev.penstock.file.Layouts.U8;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.nio.charset.StandardCharsets;

/// A pack is one file of byte records with an index in front: A2PACK, version 1.
///
/// All integers are little-endian; no field is aligned. CRC is CRC-32C. The file consists of these parts, in this
/// order: the header, one entry for each record, an optional block of names, zeros up to the alignment, the
/// records (each starting at a multiple of its alignment, with zeros between them), an optional block of
/// statistics, and the footer.
///
/// ## Layout
///
/// ### HEADER
///
/// | offset | size | type  | field     | rule                                                             |
/// |-------:|-----:|-------|-----------|------------------------------------------------------------------|
/// |      0 |    8 | bytes | magic     | `A2PACK\0\0`                                                     |
/// |      8 |    4 | u32   | version   | 1                                                                |
/// |     12 |    4 | u32   | flags     | 0x10: names follow the index; other bits refused                 |
/// |     16 |    8 | u64   | count     | index and footer fit in the file                                 |
/// |     24 |    4 | u32   | headerCrc | CRC of bytes 0 to 23                                             |
///
/// ### ENTRY
///
/// | offset | size | type  | field     | rule                                                             |
/// |-------:|-----:|-------|-----------|------------------------------------------------------------------|
/// |      0 |    8 | u64   | offset    | from the start of the file; after the index                      |
/// |      8 |    4 | u32   | size      | stored bytes; the record ends before the footer                  |
/// |     12 |    2 | u16   | kind      | 0 bytes; others by `RecordFamily`, unknown ones refused if asked |
/// |     14 |    2 | u16   | flags     | 0 as it is, 0x10 zstd, 0x20 lz4; others refused                  |
/// |     16 |    4 | u32   | crc       | CRC of the stored bytes; 0 means not stored                      |
/// |     20 |    4 | u32   | rawSize   | expanded bytes when there is a codec; otherwise zero, a warning  |
/// |     24 |    8 | bytes | reserved  | zero, a warning                                                  |
///
/// Bit 0x40 of an entry's flags is reserved for a dictionary and is refused today like every unknown bit; the low
/// four bits of all flags are left to the original program. A record of kind 0 and size 0 is empty. A record of
/// another kind and size 0 is a tombstone: it keeps its index and is skipped by a scan. The original program has
/// the kinds 1 and 2, its two versions of runs.
///
/// ### FOOTER
///
/// | offset | size | type  | field     | rule                                                             |
/// |-------:|-----:|-------|-----------|------------------------------------------------------------------|
/// |      0 |    8 | u64   | dataEnd   | where the last record ends; 0 when there is none                 |
/// |      8 |    4 | u32   | indexCrc  | CRC of all entries                                               |
/// |     12 |    4 | u32   | dataCrc   | written as 0; otherwise the CRC of all data, a warning           |
/// |     16 |    8 | u64   | statsAt   | 0, or where the statistics are; out of bounds is a warning       |
/// |     24 |    4 | u32   | footerCrc | CRC of the 24 bytes before                                       |
/// |     28 |    4 | bytes | reserved  | zero, a warning                                                  |
///
/// ### NAMES
///
/// The block of names directly follows the index. After its head come `count + 1` u64 starts into the text, the
/// first 0 and the last the size of the text; the text, UTF-8 paths with `/` as the separator; and a u32 CRC of
/// all bytes of the block before it.
///
/// | offset | size | type  | field     | rule                                                             |
/// |-------:|-----:|-------|-----------|------------------------------------------------------------------|
/// |      0 |    8 | bytes | magic     | `PSNAMES\0`                                                      |
/// |      8 |    8 | u64   | blockSize | head, starts, text and CRC; ends before the first record         |
///
/// The statistics are a u32 length and that number of bytes, which the pack does not interpret.
///
/// ## Example
///
/// The header of a pack of three records, the first entry (a run v1 of 75 bytes at byte 124) and the footer:
///
/// ```
/// 41 32 50 41 43 4b 00 00  01 00 00 00  00 00 00 00  03 00 00 00 00 00 00 00  dd c6 0c 9d
/// 7c 00 00 00 00 00 00 00  4b 00 00 00  01 00  00 00  c7 4b 67 48  00 00 00 00  00 00 00 00 00 00 00 00
/// 76 01 00 00 00 00 00 00  e0 d8 b2 d4  00 00 00 00  76 01 00 00 00 00 00 00  40 ff 4e 82  00 00 00 00
/// ```
///
/// ## Invariants
///
/// - A record may be stored anywhere between index and footer; order, gaps and overlaps are not errors of the
///   format. Our writer stores records in index order, without gaps beyond the alignment, except after the index
///   if there are fewer records than were announced with [PackWriter#reserve].
/// - A pack is never changed: it is published complete, by [dev.penstock.file.NewFile].
///
/// ## Limits
///
/// - A record has at most 4,294,967,295 stored bytes, because its size is a u32.
/// - A compressed record has at most [#COMPRESSED_RAW_SIZE_MAX] raw bytes, and no more than its codec can produce
///   from the stored bytes, so that a wrong index cannot cause a huge allocation.
/// - [PackBuilder] stores records above [PackBuilder#BUFFERED_SIZE_MAX] uncompressed, so that its memory is
///   bounded.
///
/// ## Where it differs from the design text
///
/// - Entries are 32 bytes with 8 reserved ones and footers 32 with 4, where the text's fields add up to 24 and 28.
/// - Offsets count from the start of the file and not from the start of the data.
/// - Kind 0, names, codecs and raw sizes are our extensions. Readers of the original program skip names and refuse
///   records of kind 0. They would take compressed bytes for raw ones, so packs for them must be written with
///   codec `none`.
/// - Names and codecs are in the places that the text reserves for such extensions ("OptionalExtra", flags,
///   reserved).
public final class PackFormat {
    static final byte[] MAGIC = "A2PACK\0\0".getBytes(StandardCharsets.US_ASCII);
    static final byte[] NAMES_MAGIC = "PSNAMES\0".getBytes(StandardCharsets.US_ASCII);
    public static final int VERSION = 1;

    static final StructLayout HEADER = MemoryLayout.structLayout(
            MemoryLayout.sequenceLayout(8, U8).withName("magic"),
            U32.withName("version"),
            U32.withName("flags"),
            U64.withName("count"),
            U32.withName("headerCrc"));
    static final StructLayout ENTRY = MemoryLayout.structLayout(
            U64.withName("offset"),
            U32.withName("size"),
            U16.withName("kind"),
            U16.withName("flags"),
            U32.withName("crc"),
            U32.withName("rawSize"),
            MemoryLayout.sequenceLayout(8, U8).withName("reserved"));
    static final StructLayout FOOTER = MemoryLayout.structLayout(
            U64.withName("dataEnd"),
            U32.withName("indexCrc"),
            U32.withName("dataCrc"),
            U64.withName("statsAt"),
            U32.withName("footerCrc"),
            MemoryLayout.sequenceLayout(4, U8).withName("reserved"));
    static final StructLayout NAMES =
            MemoryLayout.structLayout(MemoryLayout.sequenceLayout(8, U8).withName("magic"), U64.withName("blockSize"));

    static final long HEADER_SIZE = HEADER.byteSize();
    static final long ENTRY_SIZE = ENTRY.byteSize();
    static final long FOOTER_SIZE = FOOTER.byteSize();
    static final long NAMES_HEAD_SIZE = NAMES.byteSize();
    static final long CRC_SIZE = 4;

    static final int HEADER_FLAG_NAMES = 0x10;

    /// The alignment of the original program, which puts each record on separate pages. The file does not store
    /// the alignment: the writer chooses it, and it may differ from record to record.
    public static final long ALIGNMENT_DEFAULT = 4096;
    /// A compressed record is decompressed as a whole, so this limits the allocation that a malicious index can
    /// cause.
    public static final long COMPRESSED_RAW_SIZE_MAX = 64L << 20;
    /// Sizes of records are unsigned 32-bit numbers.
    public static final long RECORD_SIZE_MAX = 0xFFFF_FFFFL;

    private PackFormat() {}

    /// The magic number at the start of every pack.
    public static byte[] magic() {
        return MAGIC.clone();
    }

    /// The end of the index.
    static long indexEnd(long count) {
        return HEADER_SIZE + count * ENTRY_SIZE;
    }
}
