// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import static dev.penstock.file.Layouts.U32;
import static dev.penstock.file.Layouts.U64;
import static dev.penstock.file.Layouts.U8;

import dev.penstock.ElementType;
import dev.penstock.file.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.nio.charset.StandardCharsets;

/// A shard is a header of 32 bytes and rows of floating-point numbers of one width. A corpus is an ordered list of
/// shards.
///
/// All numbers are little-endian. The format is GAMSAE01. Everything that its original reader accepts can be read
/// here, some of it only by a lenient reader.
///
/// ## Layout
///
/// ### HEADER
///
/// | offset | size | type  | field    | rule                                                                |
/// |-------:|-----:|-------|----------|---------------------------------------------------------------------|
/// |      0 |    8 | bytes | magic    | `GAMSAE01`; the last two digits are the version                     |
/// |      8 |    8 | u64   | rowCount | at most 2^63 - 1; may be 0                                          |
/// |     16 |    8 | u64   | width    | numbers in a row, at least 1; the same in all shards of a corpus    |
/// |     24 |    4 | u32   | dtype    | one of the tags below                                               |
/// |     28 |    4 | u32   | reserved | 0                                                                   |
///
/// The rows follow, `rowCount * width` numbers row by row, and end with the file. Row `r` begins at byte
/// `32 + r * width * size of the type`.
///
/// The dtype tags are 0 for f32, 1 for bf16, 2 for f16 and 3 for f64. Writers use f32 by default, because the
/// original reader rejects all other types (`BadDtype`).
///
/// ## Order
///
/// A folder is a corpus of all its entries whose extension is exactly `shard`, ordered by the UTF-8 bytes of their
/// names: `shard_10.shard` comes before `shard_2.shard`, so writers pad numbers with zeros. A list of files keeps
/// its order. The id of a row is the number of rows before it. It does not depend on batches, threads or how the
/// files are read, and it changes when files are renamed, added or removed.
///
/// ## Files beside the shards
///
/// `corpus.json` ([ShardManifest]) is optional and lists the shards with their rows, bytes and checksums;
/// `stats.json` ([ShardStats]) stores statistics. The original reader ignores both.
///
/// ## Example
///
/// A shard of three rows of three numbers is 68 bytes:
///
/// ```
/// 47 41 4d 53 41 45 30 31  03 00 00 00 00 00 00 00  03 00 00 00 00 00 00 00  00 00 00 00  00 00 00 00
/// 00 00 80 3f 00 00 00 40 00 00 40 40 ...
/// ```
///
/// ## Invariants
///
/// - With type f32 our files are byte for byte those of the original writer.
/// - A published shard is never changed.
///
/// ## Limits
///
/// - The size that a header announces, and the number of all rows, fit in 63 bits; otherwise `HEADER_OVERFLOW`.
/// - More than 2,048 shards are mapped on demand, some at a time.
/// - A shard has at most 2^20 rows of width 0, which only a lenient reader accepts. Such rows take no bytes, so a
///   file of 32 bytes could announce any number of them and keep every pass over the rows busy for years.
///
/// ## Leniency
///
/// The original reader accepts bytes after the last row, a reserved field that is not 0, and rows of width 0. They
/// are errors here (`TRAILING_BYTES`, `NONZERO_PADDING`, `ZERO_WIDTH`) unless the reader is lenient. Headers whose
/// size overflows 2^64, which crash the original reader, are always rejected.
public final class ShardFormat {
    /// The extension of shard files, with its dot.
    public static final String EXTENSION = ".shard";

    /// Rows of width 0 that a shard may have.
    static final long EMPTY_ROWS_MAX = 1L << 20;

    /// The file that lists the shards of a folder.
    public static final String MANIFEST = "corpus.json";

    /// The file that keeps the statistics of a folder.
    public static final String STATS = "stats.json";

    /// The largest number of rows in a batch, as in the original program.
    public static final long BATCH_ROWS_MAX = 1024;

    static final StructLayout HEADER = MemoryLayout.structLayout(
            MemoryLayout.sequenceLayout(8, U8).withName("magic"),
            U64.withName("rowCount"),
            U64.withName("width"),
            U32.withName("dtype"),
            U32.withName("reserved"));

    /// The size of the header, which is the offset of the first row.
    public static final long HEADER_SIZE = HEADER.byteSize();

    static final long ROW_COUNT_OFFSET = Layouts.offset(HEADER, "rowCount");
    static final long WIDTH_OFFSET = Layouts.offset(HEADER, "width");
    static final long DTYPE_OFFSET = Layouts.offset(HEADER, "dtype");
    static final long RESERVED_OFFSET = Layouts.offset(HEADER, "reserved");

    private ShardFormat() {}

    /// The magic number at the start of every file.
    public static byte[] magic() {
        return "GAMSAE01".getBytes(StandardCharsets.US_ASCII);
    }

    /// The common start of the magic numbers of all versions.
    public static byte[] family() {
        return "GAMSAE".getBytes(StandardCharsets.US_ASCII);
    }

    /// The type of a tag, or null when the tag is unknown.
    static ElementType type(long tag) {
        return switch ((int) Math.min(tag, Integer.MAX_VALUE)) {
            case 0 -> ElementType.F32;
            case 1 -> ElementType.BF16;
            case 2 -> ElementType.F16;
            case 3 -> ElementType.F64;
            default -> null;
        };
    }

    /// The tag of a type.
    ///
    /// @throws IllegalArgumentException when shards do not support the type
    static int tag(ElementType type) {
        return switch (type) {
            case F32 -> 0;
            case BF16 -> 1;
            case F16 -> 2;
            case F64 -> 3;
            default -> throw new IllegalArgumentException("shards support f32, bf16, f16 and f64, but not " + type);
        };
    }
}
