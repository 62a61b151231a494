// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import static dev.penstock.file.Layouts.U16;
import static dev.penstock.file.Layouts.U32;
import static dev.penstock.file.Layouts.U64;
import static dev.penstock.file.Layouts.U8;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;

/// A run is one recorded game of 2048: metadata, the board before each move, the move, and the player's values of
/// the four moves. There are two versions, which a reader recognises by their content.
///
/// All fixed integers are little-endian and not aligned. CRC is CRC-32C. A board is a u64 as [Board] describes
/// it; a move is 0 up, 1 down, 2 left, 3 right.
///
/// ## Layout of version 1
///
/// The header, the engine's name in UTF-8, `steps + 1` boards (the one at the start and the one after each move),
/// one byte for each move, and a u32 CRC of everything before it. The file has exactly that many bytes.
///
/// ### V1_HEADER
///
/// | offset | size | type  | field       | rule                                                           |
/// |-------:|-----:|-------|-------------|----------------------------------------------------------------|
/// |      0 |    4 | bytes | magic       | `A2T1`                                                         |
/// |      4 |    1 | u8    | version     | 1                                                              |
/// |      5 |    1 | u8    | endianness  | 0, which means little-endian                                   |
/// |      6 |    4 | u32   | steps       | fits the size of the file exactly                              |
/// |     10 |    8 | u64   | startUnixS  | any; 0 means unknown                                           |
/// |     18 |    4 | u32   | elapsedBits | a 32-bit float, any bits                                       |
/// |     22 |    8 | u64   | maxScore    | any                                                            |
/// |     30 |    4 | u32   | highestTile | any                                                            |
/// |     34 |    2 | u16   | engineSize  | bytes of the engine's name; 0 means that there is none         |
///
/// ## Layout of version 2
///
/// The encoding of the Rust library postcard: no magic number, no checksum. A varint has seven bits in each byte,
/// the lowest first, and bit 0x80 in every byte except the last; writers use only the shortest form.
///
/// ```
/// run      = meta  count:varint64  step * count  finalBoard:varint64
/// meta     = steps:varint32 startUnixS:varint64 elapsedS:f32 maxScore:varint64 highestTile:varint32 engine
/// engine   = 00 | 01 size:varint64 utf8
/// step     = preBoard:varint64 move:varint32 branches
/// branches = 00 | 01 branch branch branch branch        (up, down, left, right)
/// branch   = 00 value:f32 | 01                          (legal with a value, or illegal)
/// ```
///
/// ## Example
///
/// A run of version 2 with one step and no branch values: 1 step, started at 1700000000, 1.0 seconds, score 100,
/// tile 4, no engine, one step (`0x1000000000000000`, up), final board `0x2000000000000000`.
///
/// ```
/// 01 80e2cfaa06 0000803f 64 04 00  01 80808080808080801000 00  808080808080808020
/// ```
///
/// ## Invariants
///
/// - Encoding a decoded run gives the same bytes, unless the reader reported a [Deviation].
/// - A strict reader rejects deviations: bytes after the run, a wrong number of steps in the metadata, varints
///   that are not the shortest, moves above 3 and an engine name that is not UTF-8 in version 1. A lenient reader
///   accepts everything that the original program accepts and reports each deviation.
/// - Bytes after a run of no steps are always rejected, because almost any file would pass as such a run.
///
/// ## Limits
///
/// - A run has at most [#SIZE_MAX] bytes, a hundred times the size of the longest known game. It is decoded as a
///   whole.
/// - A step takes at least [#STEP_SIZE_MIN] bytes, so a wrong count cannot cause a larger allocation than the file
///   justifies.
public final class RunFormat {
    static final int V1_MAGIC = 0x3154_3241;

    static final StructLayout V1_HEADER = MemoryLayout.structLayout(
            MemoryLayout.sequenceLayout(4, U8).withName("magic"),
            U8.withName("version"),
            U8.withName("endianness"),
            U32.withName("steps"),
            U64.withName("startUnixS"),
            U32.withName("elapsedBits"),
            U64.withName("maxScore"),
            U32.withName("highestTile"),
            U16.withName("engineSize"));

    static final int V1_HEADER_SIZE = Math.toIntExact(V1_HEADER.byteSize());
    static final int CRC_SIZE = 4;
    static final int BOARD_SIZE = 8;

    /// The largest size of a run that can be read or written.
    public static final int SIZE_MAX = 64 << 20;

    /// The smallest size of a step of version 2: a board, a move and the tag for no branches.
    public static final int STEP_SIZE_MIN = 3;

    /// The largest size of an engine name in version 1.
    static final int V1_ENGINE_SIZE_MAX = 0xFFFF;

    private RunFormat() {}
}
