// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import static dev.penstock.file.Layouts.U16;
import static dev.penstock.file.Layouts.U32;
import static dev.penstock.file.Layouts.U8;

import dev.penstock.file.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;

/// A table is rows of fixed width in NumPy's file format, versions 1.0 to 3.0: one file, or a folder of files.
///
/// A file is a head, a text that describes the array, and the items of the array in row order. All integers of
/// the head are little-endian. Version 1 has a two-byte length and a Latin-1 text, version 2 a four-byte length
/// and a Latin-1 text, version 3 a four-byte length and a UTF-8 text.
///
/// ## Layout
///
/// ### HEAD_1
///
/// | offset | size | type  | field      | rule                                                            |
/// |-------:|-----:|-------|------------|-----------------------------------------------------------------|
/// |      0 |    6 | bytes | magic      | `\x93NUMPY`                                                     |
/// |      6 |    1 | u8    | major      | 1                                                               |
/// |      7 |    1 | u8    | minor      | 0                                                               |
/// |      8 |    2 | u16   | textSize   | text and padding, up to the first row                           |
///
/// ### HEAD_2
///
/// | offset | size | type  | field      | rule                                                            |
/// |-------:|-----:|-------|------------|-----------------------------------------------------------------|
/// |      0 |    6 | bytes | magic      | `\x93NUMPY`                                                     |
/// |      6 |    1 | u8    | major      | 2 or 3                                                          |
/// |      7 |    1 | u8    | minor      | 0                                                               |
/// |      8 |    4 | u32   | textSize   | at most [#TEXT_SIZE_MAX]                                        |
///
/// ## The text
///
/// A Python dictionary with exactly the keys `descr`, `fortran_order` and `shape`. It is parsed by [LiteralParser]
/// and never evaluated. `shape` is a tuple: the first length is the number of rows, the others are the shape of
/// one row. `descr` is the type of an item:
///
/// | descr                        | values                                    | field type                |
/// |------------------------------|-------------------------------------------|---------------------------|
/// | `'\|b1'`                     | truth, one byte                           | bool                      |
/// | `'<i4'`, `'>u8'`, `'\|u1'`   | whole numbers of 1, 2, 4, 8 bytes         | i8 to i64, u8 to u64      |
/// | `'<f2'`, `'<f4'`, `'<f8'`    | floats                                    | f16, f32, f64             |
/// | `'<V2'`                      | bfloat16, as its NumPy extension says it  | bf16                      |
/// | `'<c8'`, `'<c16'`            | two floats                                | c64, c128                 |
/// | `'\|S5'`                     | five bytes of text, padded with zeros     | utf8                      |
/// | `'<U5'`                      | five code points of four bytes each       | utf32                     |
/// | `'\|V5'`, `'<f16'`, `'<c32'` | bytes without a meaning shared by all     | bytes                     |
/// | `'<M8[ns]'`, `'<m8[s]'`      | dates and durations; the least is no date | i64                       |
/// | `[(name, descr), ...]`       | a record                                  | a field for each          |
/// | `'\|O'`                      | Python objects                            | refused                   |
///
/// `<` is little-endian, `>` big-endian; `=`, no sign, type names and C letters are read as NumPy reads them. A
/// field of a record is `(name, descr)` or `(name, descr, shape)`, and a name may be `(title, name)`. Unnamed `V`
/// fields are padding. The fields of a nested record are named `outer.inner`. Batches and views are little-endian
/// whatever the byte order of the file.
///
/// ## Folders
///
/// A folder is a table when it, or a folder `shards` in it, holds files `NAME-00000.npy` or `NAME_00000.npy` of
/// one NAME, with five or six digits. They are read in the order of their numbers as one table. Several
/// NAMEs are several tables, opened as `FOLDER/NAME`.
///
/// [TableWriter] adds a `manifest.json` with the keys `format` ("penstock table"), `version` (1), `dtype` and
/// `shape` of a row, `rows`, `shards` (each with `file`, `rows`, `bytes` and `crc32c`, the CRC-32C of the file in
/// hex), `created`, `metadata`, and last `crc32c`, the checksum of all bytes before its key. Other keys are
/// ignored. The manifest is the commit: only the files that it lists belong to the table, so that an interrupted
/// append of several shards stays invisible. A manifest that is damaged, has a newer version, or lists a missing
/// file is refused; a lenient reader ignores it, reads all shard files of the folder and adds a remark. In a
/// folder without a manifest, or with a manifest of another program, all shard files belong to the table. Our
/// manifests begin with the key `format`.
///
/// ## Archives
///
/// An `.npz` file is a zip archive of `.npy` files ([ZipFormat]). Each array in it is a table that is opened as
/// `FILE.npz/NAME` and mapped inside the archive. Compressed arrays are refused.
///
/// ## Example
///
/// The head and text of three 32-bit floats; 128 bytes, some of the spaces are omitted here:
///
/// ```
/// 93 4e 55 4d 50 59 01 00  76 00  {'descr': '<f4', 'fortran_order': False, 'shape': (3,), }  ...  0a
/// ```
///
/// ## Invariants
///
/// - Our files are byte for byte those that `np.save` writes for the array. NumPy reserves space for the digits of
///   any count, so that the header of a growing file keeps its size. Field names with very new Unicode characters
///   may be escaped by an older Python and not by us.
/// - A published file is never changed: appending writes a new shard, or replaces the whole file.
///
/// ## Limits
///
/// - The text has at most [#TEXT_SIZE_MAX] bytes, a hundred times NumPy's default limit; our parser takes linear
///   time.
/// - An item has at most 2,147,483,647 bytes and an array at most [#DIMENSIONS_MAX] dimensions, as in NumPy.
/// - Rows of no bytes, as in an array of shape `(3, 0)`, can be read but not written.
/// - The digits in the names of shards limit their number. More than 2,048 shards are mapped on demand.
/// - Brackets are nested at most [LiteralParser#DEPTH_MAX] levels deep.
///
/// ## Leniency
///
/// - Bytes after the last row are ignored, as in NumPy, and reported by `verify` as a warning.
/// - Arrays in Fortran order can be read, but slowly, because the items of a row are scattered over the file.
///   Written and appended arrays are always in C order.
/// - Duplicate keys and records without fields, which NumPy accepts, are refused.
public final class TableFormat {
    /// The name of the file that lists the shards of a folder.
    public static final String MANIFEST = "manifest.json";

    /// The newest version that can be read.
    static final int VERSION_MAX = 3;

    /// Enough for ten thousand field names of a hundred letters.
    public static final long TEXT_SIZE_MAX = 1L << 20;

    /// The largest two-byte length.
    static final long TEXT_SIZE_MAX_1 = 0xFFFF;

    /// NumPy's limit.
    public static final int DIMENSIONS_MAX = 64;

    /// The number of digits of a count that NumPy reserves space for.
    static final int COUNT_DIGITS = 21;

    /// NumPy and we start the rows at a multiple of this.
    private static final int DATA_ALIGNMENT = 64;

    static final StructLayout HEAD_1 = MemoryLayout.structLayout(
            MemoryLayout.sequenceLayout(6, U8).withName("magic"),
            U8.withName("major"),
            U8.withName("minor"),
            U16.withName("textSize"));
    static final StructLayout HEAD_2 = MemoryLayout.structLayout(
            MemoryLayout.sequenceLayout(6, U8).withName("magic"),
            U8.withName("major"),
            U8.withName("minor"),
            U32.withName("textSize"));

    static final int VERSION_OFFSET = (int) Layouts.offset(HEAD_1, "major");
    /// The offset is the same in both heads.
    static final int LENGTH_OFFSET = (int) Layouts.offset(HEAD_1, "textSize");

    private TableFormat() {}

    /// The magic number at the start of every file.
    public static byte[] magic() {
        return new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};
    }

    /// The size of the length field in the head, in bytes.
    static int lengthSize(int version) {
        return (int) (version == 1 ? U16.byteSize() : U32.byteSize());
    }

    /// The size of the text with its padding and line end, computed as NumPy does: at least one space.
    static int textSize(int version, int encodedSize) {
        int end = LENGTH_OFFSET + lengthSize(version) + encodedSize + 1;
        return encodedSize + 1 + DATA_ALIGNMENT - end % DATA_ALIGNMENT;
    }
}
