// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.Reason;
import java.nio.charset.StandardCharsets;

/// Reads and writes runs of version 2. [RunFormat] describes the layout.
final class RunV2Codec {
    /// The largest size of a step, including the bytes that are read past it.
    private static final int FAST_STEP_SIZE = 48;

    /// The offset of every 64th step is recorded, so that a single step is found quickly.
    static final int BLOCK_STEPS = 64;

    private static final long CONTINUATION_BITS = 0x8080_8080_8080_8080L;

    private RunV2Codec() {}

    static RunMeta meta(RunBytes in) {
        long steps = in.varint32("the number of steps");
        long start = in.varint64("the start time");
        int elapsedBits = in.f32("the duration");
        long maxScore = in.varint64("the highest score");
        long highestTile = in.varint32("the highest tile");
        return new RunMeta(steps, start, elapsedBits, maxScore, highestTile, engine(in));
    }

    private static String engine(RunBytes in) {
        if (!in.tag("the tag of the engine's name")) {
            return null;
        }
        long size = in.varint64("the size of the engine's name");
        int offset = in.position;
        if (size < 0 || size > in.remaining()) {
            throw in.corrupt(Reason.TRUNCATED, offset, "the run ends inside the engine's name");
        }
        String engine = in.utf8((int) size);
        if (engine == null) {
            throw in.corrupt(Reason.NOT_UTF8, offset, "the engine's name is not UTF-8");
        }
        return engine;
    }

    static void decode(RunBytes in, RunColumns target) {
        RunMeta meta = meta(in);
        int count = count(in);
        target.reserve(count);
        for (int start = 0; start < count; start += BLOCK_STEPS) {
            target.blockOffsets[start / BLOCK_STEPS] = in.position;
            decodeSteps(in, target, start, Math.min(count, start + BLOCK_STEPS));
        }
        target.blockOffsets[Math.ceilDiv(count, BLOCK_STEPS)] = in.position;
        in.step = -1;
        long finalBoard = in.varint64("the final board");
        if (in.remaining() > 0) {
            String what = in.remaining() + " extra bytes after the run";
            if (count == 0) {
                throw in.corrupt(Reason.TRAILING_BYTES, in.position, what + ", so this is probably not a run");
            }
            in.deviate(Reason.TRAILING_BYTES, in.position, what);
        }
        if (count != meta.steps()) {
            in.deviate(
                    Reason.COUNT_MISMATCH, 0, "the metadata says " + meta.steps() + " steps, but there are " + count);
        }
        target.version = RunVersion.V2;
        target.stepCount = count;
        target.end(meta, finalBoard);
    }

    /// Decodes steps from the current position into the columns `start` to `limit - 1`.
    static void decodeSteps(RunBytes in, RunColumns target, int start, int limit) {
        for (int i = start; i < limit; i++) {
            i = decodeFast(in, target, i, limit);
            if (i < limit) {
                decodeStep(in, target, i);
            }
        }
    }

    private static int count(RunBytes in) {
        int offset = in.position;
        long count = in.varint64("the count of steps");
        if (count < 0 || count > in.remaining() / RunFormat.STEP_SIZE_MIN) {
            throw in.corrupt(
                    Reason.TRUNCATED,
                    offset,
                    "the run has " + in.remaining() + " bytes left, which is not enough for "
                            + Long.toUnsignedString(count) + " steps");
        }
        return (int) count;
    }

    private static void decodeStep(RunBytes in, RunColumns target, int index) {
        in.step = index;
        target.boards[index] = in.varint64("the board");
        target.moves[index] = (byte) in.choice(Move.COUNT, GameReason.BAD_MOVE, "the move");
        int first = index * Move.COUNT;
        int flags = in.tag("the tag of the branches") ? RunColumns.HAS_BRANCHES : 0;
        for (int move = 0; move < Move.COUNT; move++) {
            int bits = 0;
            if (flags != 0 && in.choice(2, Reason.BAD_TAG, "the tag of branch " + move) == 0) {
                flags |= 1 << move;
                bits = in.f32("the value of branch " + move);
            }
            target.branchBits[first + move] = bits;
        }
        target.flags[index] = (byte) flags;
    }

    /// Decodes steps while they have the usual form and are far from the end. It stops at the first step that does
    /// not, which [#decodeStep] then reads with every check.
    ///
    /// @return the index of the step where it stopped
    private static int decodeFast(RunBytes in, RunColumns target, int start, int count) {
        byte[] bytes = in.bytes;
        long[] boards = target.boards;
        byte[] moves = target.moves;
        int[] branchBits = target.branchBits;
        byte[] stepFlags = target.flags;
        int position = in.position;
        int index = start;
        for (int last = in.limit - FAST_STEP_SIZE; index < count && position <= last; index++) {
            long word = (long) RunBytes.U64.get(bytes, position);
            long ends = ~word & CONTINUATION_BITS;
            long board;
            int at;
            if (ends != 0) {
                int endBit = Long.numberOfTrailingZeros(ends);
                board = groups(word & -1L >>> 63 - endBit);
                at = position + (endBit >>> 3) + 1;
            } else {
                int ninth = bytes[position + 8];
                int tenth = ninth < 0 ? bytes[position + 9] : 0;
                board = groups(word) | (long) (ninth & 0x7F) << 56 | (long) tenth << 63;
                at = position + (ninth < 0 ? 10 : 9);
                if ((tenth & ~1) != 0) {
                    break;
                }
            }
            int move = bytes[at];
            int hasBranches = bytes[at + 1];
            if ((bytes[at - 1] == 0 && at - 1 > position) || (move & ~3) != 0 || (hasBranches & ~1) != 0) {
                break;
            }
            at += 2;
            int flags = 0;
            int first = index * Move.COUNT;
            if (hasBranches == 0) {
                branchBits[first] = 0;
                branchBits[first + 1] = 0;
                branchBits[first + 2] = 0;
                branchBits[first + 3] = 0;
            } else {
                int wrong = 0;
                flags = RunColumns.HAS_BRANCHES;
                for (int branch = 0; branch < Move.COUNT; branch++) {
                    int tag = bytes[at];
                    wrong |= tag;
                    boolean isLegal = tag == 0;
                    branchBits[first + branch] = isLegal ? (int) RunBytes.U32.get(bytes, at + 1) : 0;
                    flags |= isLegal ? 1 << branch : 0;
                    at += isLegal ? 5 : 1;
                }
                if ((wrong & ~1) != 0) {
                    break;
                }
            }
            boards[index] = board;
            moves[index] = (byte) move;
            stepFlags[index] = (byte) flags;
            position = at;
        }
        in.position = position;
        return index;
    }

    /// Joins the low seven bits of eight bytes.
    private static long groups(long word) {
        long pairs = word & 0x007F_007F_007F_007FL | (word & 0x7F00_7F00_7F00_7F00L) >>> 1;
        long quads = pairs & 0x0000_3FFF_0000_3FFFL | (pairs & 0x3FFF_0000_3FFF_0000L) >>> 2;
        return quads & 0x0FFF_FFFFL | (quads & 0x0FFF_FFFF_0000_0000L) >>> 4;
    }

    static byte[] encode(Run run) {
        RunColumns columns = run.columns();
        RunOutput out = new RunOutput(32 + columns.stepCount * 32L);
        RunMeta meta = run.meta();
        out.varint(meta.steps());
        out.varint(meta.startUnixS());
        out.u32(meta.elapsedBits());
        out.varint(meta.maxScore());
        out.varint(meta.highestTile());
        if (meta.engine() == null) {
            out.u8(0);
        } else {
            byte[] engine = meta.engine().getBytes(StandardCharsets.UTF_8);
            out.u8(1);
            out.varint(engine.length);
            out.bytes(engine);
        }
        out.varint(columns.stepCount);
        for (int i = 0; i < columns.stepCount; i++) {
            encodeStep(columns, i, out);
        }
        out.varint(columns.finalBoard);
        return out.toBytes();
    }

    private static void encodeStep(RunColumns columns, int index, RunOutput out) {
        out.varint(columns.boards[index]);
        out.u8(columns.moves[index]);
        int flags = columns.flags[index];
        if ((flags & RunColumns.HAS_BRANCHES) == 0) {
            out.u8(0);
            return;
        }
        out.u8(1);
        for (int move = 0; move < Move.COUNT; move++) {
            if ((flags >>> move & 1) != 0) {
                out.u8(0);
                out.u32(columns.branchBits[index * Move.COUNT + move]);
            } else {
                out.u8(1);
            }
        }
    }
}
