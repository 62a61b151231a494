// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loaderx;

import static dev.penstock.file.Layouts.U16;
import static dev.penstock.file.Layouts.U32;
import static dev.penstock.file.Layouts.U64;
import static dev.penstock.file.Layouts.U8;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;

/// The layouts of the stores written by loaderx 0.5.0 to 0.5.4, and 2.3.3 and later.
///
/// A store is a folder with a `meta.zr` and payload files. It has one field. All integers are little-endian. There
/// are no checksums.
///
/// ## Releases 0.5.0 to 0.5.4
///
/// `meta.zr` is a HEADER_05 followed by an ENTRY_05 for each record. `0.zr`, `1.zr` and so on have the payload. An
/// optional `schema.json` gives the `dtype` and `shape` of all records. Files are sparse and usually much longer
/// than their content.
///
/// ### HEADER_05
///
/// | offset | size | type  | field       | rule                                                             |
/// |-------:|-----:|-------|-------------|------------------------------------------------------------------|
/// |      0 |    4 | bytes | magic       | `ZREC`                                                           |
/// |      4 |    2 | u16   | version     | 1; 3 belongs to releases 0.7.3 to 0.9.17                         |
/// |      6 |    2 | u16   | tail_chunk  | the payload file that was written last                           |
/// |      8 |    4 | u32   | tail_offset | where the payload of that file ends                              |
/// |     12 |    4 | u32   | length      | records; `meta.zr` has an entry for each                         |
///
/// ### ENTRY_05
///
/// | offset | size | type  | field       | rule                                                             |
/// |-------:|-----:|-------|-------------|------------------------------------------------------------------|
/// |      0 |    4 | u32   | offset      | of the stored bytes in their file                                |
/// |      4 |    4 | u32   | phys_length | stored bytes, which end within the payload                       |
/// |      8 |    4 | u32   | logic_length | bytes of the record when it is expanded                         |
/// |     12 |    2 | u16   | chunk_id    | at most tail_chunk                                               |
/// |     14 |    1 | u8    | codec       | 0 as it is, 1 raw Deflate                                        |
/// |     15 |    1 | u8    | reserved    | ignored                                                          |
///
/// Release 1.0.0 has the same magic number and version, but codec 1 is Zstandard there. It is recognised by a
/// `schema.msgpack` or `dict.zr` in the folder, or by a Zstandard frame, whose first bytes no Deflate stream has.
/// Releases 1.1.0 to 1.4.2 have version 2 in one byte and the codec of the whole store in the next.
///
/// ## Releases 2.3.3 and later
///
/// `meta.zr` is one page of [#PAGE_SIZE] bytes with a HEADER_23, then 255 times a u64 with the end of the payload
/// in each data file, and from byte [#SCHEMA_OFFSET] the schema. After the page is an ENTRY_23 for each record.
/// Record i lies in `data_K.zr` with K = i mod data_shards.
///
/// The schema is a map with `dtype` and either `item_shape`, the shape of all records, or only `ndim`: then each
/// record begins with its shape. It is MsgPack with shapes of u64 up to release 2.8.12, and JSON with shapes of
/// u32 from 2.8.18 on. A record fits only one of the two widths, so the record tells the width.
///
/// ### HEADER_23
///
/// | offset | size | type  | field       | rule                                                             |
/// |-------:|-----:|-------|-------------|------------------------------------------------------------------|
/// |      0 |    8 | u64   | length      | records; `meta.zr` has an entry for each                         |
/// |      8 |    2 | u16   | schema_length | bytes of the schema, within the page                           |
/// |     10 |    1 | u8    | data_shards | data files, at least 1                                           |
/// |     11 |    1 | u8    | codec       | 0 as it is, 1 a Zstandard frame for each record, 2 with a dictionary |
/// |     12 |    4 | bytes | zero        | zero                                                             |
///
/// ### ENTRY_23
///
/// | offset | size | type  | field       | rule                                                             |
/// |-------:|-----:|-------|-------------|------------------------------------------------------------------|
/// |      0 |    8 | u64   | offset      | of the stored bytes in their file                                |
/// |      8 |    4 | u32   | phys_length | stored bytes, which end within the payload                       |
/// |     12 |    4 | u32   | logic_length | bytes of the record when it is expanded                         |
///
/// ## Limits
///
/// - A record has at most [dev.penstock.store.StoreFormat#VALUE_SIZE_MAX] bytes, which is the limit for a value of
///   a store.
/// - Codec 2 is rejected, because decompression with dictionaries is not supported here.
public final class LoaderxFormat {
    static final StructLayout HEADER_05 = MemoryLayout.structLayout(
            MemoryLayout.sequenceLayout(4, U8).withName("magic"),
            U16.withName("version"),
            U16.withName("tail_chunk"),
            U32.withName("tail_offset"),
            U32.withName("length"));
    static final StructLayout ENTRY_05 = MemoryLayout.structLayout(
            U32.withName("offset"),
            U32.withName("phys_length"),
            U32.withName("logic_length"),
            U16.withName("chunk_id"),
            U8.withName("codec"),
            U8.withName("reserved"));
    static final StructLayout HEADER_23 = MemoryLayout.structLayout(
            U64.withName("length"),
            U16.withName("schema_length"),
            U8.withName("data_shards"),
            U8.withName("codec"),
            MemoryLayout.sequenceLayout(4, U8).withName("zero"));
    static final StructLayout ENTRY_23 = MemoryLayout.structLayout(
            U64.withName("offset"), U32.withName("phys_length"), U32.withName("logic_length"));

    /// Both kinds of entries have this size.
    static final long ENTRY_SIZE = ENTRY_23.byteSize();

    static final String META = "meta.zr";
    static final String SCHEMA = "schema.json";

    /// `ZREC` as a little-endian number.
    static final int MAGIC = 0x4345525A;

    /// The first bytes of a Zstandard frame, as a little-endian number.
    static final int ZSTD_MAGIC = 0xFD2FB528;

    static final int VERSION_05 = 1;

    /// The size of `meta.zr` before the entries, from release 2.3.3 on.
    public static final long PAGE_SIZE = 4096;

    /// The offset of the ends of the data files.
    static final long ENDS_OFFSET = HEADER_23.byteSize();

    private static final int SHARD_COUNT_MAX = 255;

    /// The offset of the schema.
    public static final long SCHEMA_OFFSET = ENDS_OFFSET + SHARD_COUNT_MAX * 8;

    /// The largest size of a `schema.json`.
    static final long SCHEMA_SIZE_MAX = 1 << 16;

    private LoaderxFormat() {}
}
