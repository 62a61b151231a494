// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static dev.penstock.file.Layouts.U64;
import static dev.penstock.file.Layouts.U8;

import dev.penstock.file.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.nio.charset.StandardCharsets;

/// A tree is one file with a trie that maps byte paths to unsigned 64-bit values: ACTree03, the Arena Compact
/// Tree.
///
/// All integers are little-endian; nothing is aligned. The file consists of the header, the arena of nodes and
/// line data, and 8 zeros, in this order. There is no table of contents: everything is found from the root, and
/// every reference is a distance backwards, so children always precede their parents and a file cannot contain a
/// loop.
///
/// ## Layout
///
/// ### HEADER
///
/// | offset | size | type  | field | rule                                                                     |
/// |-------:|-----:|-------|-------|--------------------------------------------------------------------------|
/// |      0 |    8 | bytes | magic | `ACTree03`; `ACTree01` and `ACTree02` are refused as older versions      |
/// |      8 |    8 | u64   | root  | offset of the root node, at least 16 and inside the file                 |
///
/// ### TRAILER
///
/// A program that merges into a tree appends to the file and ends it with this trailer instead of the zeros. The
/// last eight bytes of a file that was never merged into are zero, which means "no previous root".
///
/// | offset | size | type  | field          | rule                                                            |
/// |-------:|-----:|-------|----------------|-----------------------------------------------------------------|
/// |      0 |    8 | u64   | previousSuffix | offset of the trailer before, or 0; before this one             |
/// |      8 |    8 | u64   | previousRoot   | at least 16, and before the root                                |
///
/// ## Numbers
///
/// Values, distances and lengths are *varints*: 0 to 247 are one byte; a first byte 247 + n is followed by the n
/// low bytes of the number, n as small as possible.
///
/// | number          | bytes                        |
/// |-----------------|------------------------------|
/// | 100             | `64`                         |
/// | 247             | `f7`                         |
/// | 248             | `f8 f8`                      |
/// | 1,000           | `f9 e8 03`                   |
/// | 2<sup>64</sup>-1 | `ff ff ff ff ff ff ff ff ff` |
///
/// ## Nodes
///
/// A **branch** (bit 7 of the first byte is 0) is a place where paths part, carry a value or end:
///
/// | part     | there when    | what                                                                           |
/// |----------|---------------|--------------------------------------------------------------------------------|
/// | head     | always        | bit 6: has a value; bits 0 to 5: c, the smaller of 32 and the number of children; above
/// 32 refused |
/// | value    | bit 6         | varint                                                                         |
/// | distance | c > 0         | varint, at least 1: offset of this node minus that of its first child           |
/// | bytes    | 0 < c < 32    | the c bytes that lead to the children, strictly ascending                       |
/// | mask     | c = 32        | 32 bytes; child b is there if bit b mod 8 of byte b / 8 is set; at least 32 bits |
///
/// The children of a branch are a **run**: contiguous nodes in the order of their bytes. Only its start is stored;
/// the k-th child is found by stepping over k nodes. A run ends at or before its parent.
///
/// A **line** (bit 7 is 1) is a segment of a path without branches:
///
/// | part     | there when | what                                                                              |
/// |----------|------------|-----------------------------------------------------------------------------------|
/// | head     | always     | bit 6: has a value; bit 0: has a child, never both; bits 1 to 5 zero               |
/// | value    | bit 6      | varint; that of the end of the line                                               |
/// | distance | bit 0      | varint, at least 1, to the node at the end of the line                            |
/// | data     | always     | varint, at least 1: offset of this node minus that of its line data               |
///
/// **Line data** is a varint length of at least 1 and that number of bytes, which end at or before the node. Any
/// number of lines may share it. A node with neither value nor child is a path that exists and has no value.
///
/// ## Example
///
/// The paths `ace`, `acf`, `adg`, `adh`, `bjk`, all with value 0; the root is at byte 42:
///
/// ```
/// 41 43 54 72 65 65 30 33  2a 00 00 00 00 00 00 00
/// 40 00 40 00 40 00 40 00  02 08 65 66  02 08 67 68      leaves e f g h, branches "ac" "ad"
/// 02 6a 6b  02 0b 63 64  c0 00 07                        line data "jk", the run of "a" and "b"
/// 02 07 61 62  00 00 00 00 00 00 00 00                   the root, zeros
/// ```
///
/// ## Invariants
///
/// - A finished tree is never changed: it is published complete, by [dev.penstock.file.NewFile].
/// - By default the output of [TreeWriter] is *canonical*: the same map gives the same bytes, those of the
///   original writer. Line data of equal content is stored once, subtrees are not shared.
/// - Runs that several parents share, lines that lead to lines, branches with one child and unreferenced bytes are
///   legal and can be read.
///
/// ## Limits
///
/// - A path has at most [#KEY_SIZE_MAX] bytes, so that lines which share their data cannot cause a larger
///   allocation than a reader has memory for.
/// - Scans, counting and verifying follow at most 4,194,304 nodes on one path, because they keep each of
///   them in memory; a scan drops nodes without further children.
/// - A file has at most 2<sup>63</sup>-1 bytes.
///
/// ## Strict and lenient
///
/// A strict reader rejects everything that the rules above exclude as soon as it finds it. A lenient reader
/// accepts what the original reader accepts: varints that are longer than needed, unused bits of a line, a mask of
/// few children, a line with value and child (whose value is found by a lookup and not by iteration), and any last
/// 8 bytes. Neither reads outside the file, and neither follows a reference that does not lead backwards.
///
/// ## Where it differs from the design text
///
/// - The root offset counts from the start of the file. Child and line references are varint distances and not
///   eight-byte offsets; there is one reference to the first child and no array of them.
/// - Line data is never embedded in a node and always has a length; the header of a line has no length.
/// - The varint is the one above and does not use prefix bits as in UTF-8.
/// - Segments end where paths diverge, have a value or end; a separator has no meaning.
public final class TreeFormat {
    static final String MAGIC = "ACTree03";
    /// The common start of the magic numbers of all versions; two digits follow.
    static final String MAGIC_FAMILY = "ACTree";

    public static final int VERSION = 3;

    static final StructLayout HEADER =
            MemoryLayout.structLayout(MemoryLayout.sequenceLayout(8, U8).withName("magic"), U64.withName("root"));
    static final StructLayout TRAILER =
            MemoryLayout.structLayout(U64.withName("previousSuffix"), U64.withName("previousRoot"));

    static final long HEADER_SIZE = HEADER.byteSize();
    static final long TRAILER_SIZE = TRAILER.byteSize();
    static final long ROOT_OFFSET = Layouts.offset(HEADER, "root");
    static final long PREVIOUS_SUFFIX_OFFSET = Layouts.offset(TRAILER, "previousSuffix");
    static final long PREVIOUS_ROOT_OFFSET = Layouts.offset(TRAILER, "previousRoot");
    static final int PADDING_SIZE = 8;
    /// The size of an empty tree: header, one byte, padding.
    static final long FILE_SIZE_MIN = HEADER_SIZE + 1 + PADDING_SIZE;

    static final int LINE = 0x80;
    static final int VALUE = 0x40;
    static final int LINE_CHILD = 0x01;
    static final int LINE_UNUSED = 0x3E;
    static final int COUNT = 0x3F;
    /// From this number of children on, a mask is written.
    static final int MASK_COUNT = 32;

    static final int MASK_SIZE = 32;
    /// Head, value, distance, mask.
    static final int NODE_SIZE_MAX = 1 + Varint.SIZE_MAX + Varint.SIZE_MAX + MASK_SIZE;

    /// The longest path that can be written or visited.
    public static final int KEY_SIZE_MAX = 1 << 26;

    /// The largest number of nodes on one path that a walk remembers.
    static final int DEPTH_MAX = 1 << 22;

    private TreeFormat() {}

    /// @throws IllegalArgumentException when a path of this size is too long
    static void requireKeySize(int size) {
        if (size > KEY_SIZE_MAX) {
            throw new IllegalArgumentException(
                    "a path of " + size + " bytes is too long: at most " + KEY_SIZE_MAX + " bytes are allowed");
        }
    }

    /// The common start of the magic numbers of all versions.
    public static byte[] magic() {
        return MAGIC_FAMILY.getBytes(StandardCharsets.US_ASCII);
    }
}
