// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import static dev.penstock.file.Layouts.U16;
import static dev.penstock.file.Layouts.U32;
import static dev.penstock.file.Layouts.U64;
import static dev.penstock.file.Layouts.U8;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;

/// The parts of a zip archive that are read to find the arrays of an `.npz` file, as written by `np.savez`.
///
/// An archive is its members, each a local header and the bytes of the member, then a directory with an entry for
/// each member, then an end record. All integers are little-endian. A 16-bit or 32-bit number with all bits set is
/// a placeholder for a 64-bit number. The 64-bit numbers of the end record are in a second end record (END_64),
/// which a locator before the end record points to. 64-bit numbers of other headers are in their extra field
/// with the number 1. NumPy writes this extra field in every local header.
///
/// ## Layout
///
/// ### END
///
/// A comment follows. The comment ends the file.
///
/// | offset | size | type  | field           | rule                                                       |
/// |-------:|-----:|-------|-----------------|------------------------------------------------------------|
/// |      0 |    4 | u32   | signature       | `PK\5\6`                                                   |
/// |      4 |    2 | u16   | disk            | 0                                                          |
/// |      6 |    2 | u16   | directoryDisk   | 0                                                          |
/// |      8 |    2 | u16   | diskCount       | as count                                                   |
/// |     10 |    2 | u16   | count           | the number of entries                                      |
/// |     12 |    4 | u32   | directoryBytes  | at most [#DIRECTORY_BYTES_MAX]                             |
/// |     16 |    4 | u32   | directoryOffset | the directory ends where the first end record begins       |
/// |     20 |    2 | u16   | commentSize     | up to the end of the file                                  |
///
/// ### LOCATOR
///
/// | offset | size | type  | field           | rule                                                       |
/// |-------:|-----:|-------|-----------------|------------------------------------------------------------|
/// |      0 |    4 | u32   | signature       | `PK\6\7`, directly before END                              |
/// |      4 |    4 | u32   | disk            | 0                                                          |
/// |      8 |    8 | u64   | endOffset       | where END_64 begins                                        |
/// |     16 |    4 | u32   | disks           | at most 1                                                  |
///
/// ### END_64
///
/// | offset | size | type  | field           | rule                                                       |
/// |-------:|-----:|-------|-----------------|------------------------------------------------------------|
/// |      0 |    4 | u32   | signature       | `PK\6\6`                                                   |
/// |      4 |    8 | u64   | recordSize      | bytes that follow this number, up to LOCATOR               |
/// |     12 |    4 | bytes | versions        | ignored                                                    |
/// |     16 |    4 | u32   | disk            | 0                                                          |
/// |     20 |    4 | u32   | directoryDisk   | 0                                                          |
/// |     24 |    8 | u64   | diskCount       | as count                                                   |
/// |     32 |    8 | u64   | count           | as in END, unless all bits are set there                   |
/// |     40 |    8 | u64   | directoryBytes  | as in END, unless all bits are set there                   |
/// |     48 |    8 | u64   | directoryOffset | as in END, unless all bits are set there                   |
///
/// ### ENTRY
///
/// The name, the extra fields and a comment follow.
///
/// | offset | size | type  | field           | rule                                                       |
/// |-------:|-----:|-------|-----------------|------------------------------------------------------------|
/// |      0 |    4 | u32   | signature       | `PK\1\2`                                                   |
/// |      4 |    4 | bytes | versions        | ignored                                                    |
/// |      8 |    2 | u16   | flags           | [#ENCRYPTED], [#UTF_8]; the others are ignored             |
/// |     10 |    2 | u16   | method          | 0 (stored) for an array that is opened                     |
/// |     12 |    4 | bytes | time            | ignored                                                    |
/// |     16 |    4 | u32   | crc             | the CRC-32 of the member, for `verify`                     |
/// |     20 |    4 | u32   | storedSize      | within the file, before the next member                    |
/// |     24 |    4 | u32   | memberSize      | as storedSize where the method is 0                        |
/// |     28 |    2 | u16   | nameSize        | within the directory; no name twice                        |
/// |     30 |    2 | u16   | extraSize       | within the directory                                       |
/// |     32 |    2 | u16   | commentSize     | within the directory                                       |
/// |     34 |    2 | u16   | disk            | 0                                                          |
/// |     36 |    6 | bytes | attributes      | ignored                                                    |
/// |     42 |    4 | u32   | localOffset     | before the directory                                       |
///
/// ### LOCAL
///
/// The name and the extra fields follow, then the bytes of the member.
///
/// | offset | size | type  | field           | rule                                                       |
/// |-------:|-----:|-------|-----------------|------------------------------------------------------------|
/// |      0 |    4 | u32   | signature       | `PK\3\4`                                                   |
/// |      4 |    2 | u16   | version         | ignored                                                    |
/// |      6 |    2 | u16   | flags           | [#ENCRYPTED] as in ENTRY                                   |
/// |      8 |    2 | u16   | method          | as in ENTRY                                                |
/// |     10 |    4 | bytes | time            | ignored                                                    |
/// |     14 |    4 | u32   | crc             | as in ENTRY, unless flags has [#SIZES_FOLLOW]              |
/// |     18 |    4 | u32   | storedSize      | as in ENTRY, unless flags has [#SIZES_FOLLOW]              |
/// |     22 |    4 | u32   | memberSize      | as in ENTRY, unless flags has [#SIZES_FOLLOW]              |
/// |     26 |    2 | u16   | nameSize        | the name is that of ENTRY                                  |
/// |     28 |    2 | u16   | extraSize       | before the next member                                     |
///
/// ## Limits
///
/// - The directory has at most [#DIRECTORY_BYTES_MAX] bytes, enough for a million members, because it is read into
///   memory.
final class ZipFormat {
    static final int END_SIGNATURE = 0x06054b50;
    static final int LOCATOR_SIGNATURE = 0x07064b50;
    static final int END_64_SIGNATURE = 0x06064b50;
    static final int ENTRY_SIGNATURE = 0x02014b50;
    static final int LOCAL_SIGNATURE = 0x04034b50;

    /// The flags of members that are encrypted by any method.
    static final int ENCRYPTED = 1 | 1 << 6 | 1 << 13;

    /// The flag of members whose local header lacks their sizes and checksum.
    static final int SIZES_FOLLOW = 1 << 3;

    /// The flag of names in UTF-8.
    static final int UTF_8 = 1 << 11;

    /// The number of the extra field with 64-bit numbers.
    static final int EXTRA_64 = 1;

    static final long DIRECTORY_BYTES_MAX = 64L << 20;

    static final StructLayout END = MemoryLayout.structLayout(
            U32.withName("signature"),
            U16.withName("disk"),
            U16.withName("directoryDisk"),
            U16.withName("diskCount"),
            U16.withName("count"),
            U32.withName("directoryBytes"),
            U32.withName("directoryOffset"),
            U16.withName("commentSize"));
    static final StructLayout LOCATOR = MemoryLayout.structLayout(
            U32.withName("signature"), U32.withName("disk"), U64.withName("endOffset"), U32.withName("disks"));
    static final StructLayout END_64 = MemoryLayout.structLayout(
            U32.withName("signature"),
            U64.withName("recordSize"),
            MemoryLayout.sequenceLayout(4, U8).withName("versions"),
            U32.withName("disk"),
            U32.withName("directoryDisk"),
            U64.withName("diskCount"),
            U64.withName("count"),
            U64.withName("directoryBytes"),
            U64.withName("directoryOffset"));
    static final StructLayout ENTRY = MemoryLayout.structLayout(
            U32.withName("signature"),
            MemoryLayout.sequenceLayout(4, U8).withName("versions"),
            U16.withName("flags"),
            U16.withName("method"),
            MemoryLayout.sequenceLayout(4, U8).withName("time"),
            U32.withName("crc"),
            U32.withName("storedSize"),
            U32.withName("memberSize"),
            U16.withName("nameSize"),
            U16.withName("extraSize"),
            U16.withName("commentSize"),
            U16.withName("disk"),
            MemoryLayout.sequenceLayout(6, U8).withName("attributes"),
            U32.withName("localOffset"));
    static final StructLayout LOCAL = MemoryLayout.structLayout(
            U32.withName("signature"),
            U16.withName("version"),
            U16.withName("flags"),
            U16.withName("method"),
            MemoryLayout.sequenceLayout(4, U8).withName("time"),
            U32.withName("crc"),
            U32.withName("storedSize"),
            U32.withName("memberSize"),
            U16.withName("nameSize"),
            U16.withName("extraSize"));

    private ZipFormat() {}
}
