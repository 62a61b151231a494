// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.Reason;
import dev.penstock.file.Crc32c;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Reads and writes runs of version 1. [RunFormat] describes the layout.
final class RunV1Codec {
    private static final int VERSION_OFFSET = 4;
    private static final int ENDIANNESS_OFFSET = 5;
    private static final int STEPS_OFFSET = 6;
    private static final int START_OFFSET = 10;
    private static final int ELAPSED_OFFSET = 18;
    private static final int SCORE_OFFSET = 22;
    private static final int TILE_OFFSET = 30;
    private static final int ENGINE_SIZE_OFFSET = 34;

    private RunV1Codec() {}

    static boolean hasMagic(byte[] bytes, int limit) {
        return limit >= Integer.BYTES && (int) RunBytes.U32.get(bytes, 0) == RunFormat.V1_MAGIC;
    }

    /// The parts of a run whose structure has been checked.
    ///
    /// @param statesOffset the offset of the boards
    record Parts(RunMeta meta, int stepCount, int statesOffset) {
        int movesOffset() {
            return statesOffset + RunFormat.BOARD_SIZE * (stepCount + 1);
        }
    }

    /// Checks everything except the moves, in the order of the original program.
    static Parts parts(RunBytes in) {
        byte[] bytes = in.bytes;
        int limit = in.limit;
        if (limit < RunFormat.V1_HEADER_SIZE + RunFormat.CRC_SIZE) {
            throw in.corrupt(
                    Reason.TRUNCATED, limit, "a run of version 1 has at least 48 bytes, but this has " + limit);
        }
        int crcOffset = limit - RunFormat.CRC_SIZE;
        if (crc(bytes, crcOffset) != (int) RunBytes.U32.get(bytes, crcOffset)) {
            throw in.corrupt(Reason.CHECKSUM, crcOffset, "checksum mismatch: the run is damaged or truncated");
        }
        requireVersion(in);
        long steps = Integer.toUnsignedLong((int) RunBytes.U32.get(bytes, STEPS_OFFSET));
        int engineSize = (short) RunBytes.U16.get(bytes, ENGINE_SIZE_OFFSET) & 0xFFFF;
        long size =
                RunFormat.V1_HEADER_SIZE + engineSize + RunFormat.BOARD_SIZE * (steps + 1) + steps + RunFormat.CRC_SIZE;
        if (size > limit) {
            throw in.corrupt(
                    Reason.TRUNCATED,
                    STEPS_OFFSET,
                    "a run of " + steps + " steps takes " + size + " bytes, but this has " + limit);
        }
        if (size < limit) {
            in.deviate(
                    Reason.TRAILING_BYTES,
                    (int) size - RunFormat.CRC_SIZE,
                    (limit - size) + " extra bytes between the moves and the checksum");
        }
        RunMeta meta = new RunMeta(
                steps,
                (long) RunBytes.U64.get(bytes, START_OFFSET),
                (int) RunBytes.U32.get(bytes, ELAPSED_OFFSET),
                (long) RunBytes.U64.get(bytes, SCORE_OFFSET),
                Integer.toUnsignedLong((int) RunBytes.U32.get(bytes, TILE_OFFSET)),
                engine(in, engineSize));
        return new Parts(meta, (int) steps, RunFormat.V1_HEADER_SIZE + engineSize);
    }

    private static void requireVersion(RunBytes in) {
        int version = in.bytes[VERSION_OFFSET] & 0xFF;
        if (!hasMagic(in.bytes, in.limit) || version != 1) {
            throw in.corrupt(
                    Reason.UNSUPPORTED_VERSION,
                    VERSION_OFFSET,
                    "invalid magic or version: " + version + " instead of 1");
        }
        int endianness = in.bytes[ENDIANNESS_OFFSET] & 0xFF;
        if (endianness != 0) {
            throw in.corrupt(
                    Reason.UNSUPPORTED_VERSION,
                    ENDIANNESS_OFFSET,
                    "unsupported endianness " + endianness + ": only little-endian runs (0) exist");
        }
    }

    private static String engine(RunBytes in, int engineSize) {
        if (engineSize == 0) {
            return null;
        }
        in.position = RunFormat.V1_HEADER_SIZE;
        String engine = in.utf8(engineSize);
        if (engine == null) {
            in.deviate(Reason.NOT_UTF8, RunFormat.V1_HEADER_SIZE, "the engine's name is not UTF-8 and is ignored");
        }
        return engine;
    }

    private static int crc(byte[] bytes, int limit) {
        return Crc32c.of(MemorySegment.ofArray(bytes).asSlice(0, limit));
    }

    /// Fills columns. A move above 3 is a deviation and becomes up, as in the original program.
    static void decode(RunBytes in, RunColumns target) {
        Parts parts = parts(in);
        int count = parts.stepCount();
        target.reserve(count);
        int offset = parts.statesOffset();
        for (int i = 0; i < count; i++) {
            target.boards[i] = (long) RunBytes.U64.get(in.bytes, offset + i * RunFormat.BOARD_SIZE);
        }
        long last = (long) RunBytes.U64.get(in.bytes, offset + count * RunFormat.BOARD_SIZE);
        int movesOffset = parts.movesOffset();
        for (int i = 0; i < count; i++) {
            int move = in.bytes[movesOffset + i] & 0xFF;
            if (move >= Move.COUNT) {
                in.step = i;
                in.deviate(GameReason.BAD_MOVE, movesOffset + i, "move " + move + " does not exist and is read as up");
                in.step = -1;
                move = 0;
            }
            target.moves[i] = (byte) move;
        }
        Arrays.fill(target.flags, 0, count, (byte) 0);
        Arrays.fill(target.branchBits, 0, count * Move.COUNT, 0);
        target.version = RunVersion.V1;
        target.stepCount = count;
        target.end(parts.meta(), last);
    }

    /// Reads a run in its stored form, including invalid moves.
    static RunV1 read(RunBytes in) {
        Parts parts = parts(in);
        long[] states = new long[parts.stepCount() + 1];
        for (int i = 0; i < states.length; i++) {
            states[i] = (long) RunBytes.U64.get(in.bytes, parts.statesOffset() + i * RunFormat.BOARD_SIZE);
        }
        int movesOffset = parts.movesOffset();
        return new RunV1(
                parts.meta(), states, Arrays.copyOfRange(in.bytes, movesOffset, movesOffset + parts.stepCount()));
    }

    /// @throws IllegalArgumentException when the engine's name is too long, or the metadata has another number of
    ///                                  steps
    static byte[] encode(RunV1 run) {
        RunMeta meta = run.meta();
        byte[] engine = meta.engine() == null ? new byte[0] : meta.engine().getBytes(StandardCharsets.UTF_8);
        int stepCount = run.moves().length;
        if (engine.length > RunFormat.V1_ENGINE_SIZE_MAX) {
            throw new IllegalArgumentException("an engine's name of " + engine.length
                    + " bytes is too long for version 1: at most " + RunFormat.V1_ENGINE_SIZE_MAX);
        }
        if (meta.steps() != stepCount) {
            throw new IllegalArgumentException("the metadata says " + meta.steps() + " steps, but there are "
                    + stepCount + ", which version 1 cannot store");
        }
        int statesOffset = RunFormat.V1_HEADER_SIZE + engine.length;
        int movesOffset = statesOffset + RunFormat.BOARD_SIZE * (stepCount + 1);
        byte[] bytes = new byte[movesOffset + stepCount + RunFormat.CRC_SIZE];
        RunBytes.U32.set(bytes, 0, RunFormat.V1_MAGIC);
        bytes[VERSION_OFFSET] = 1;
        RunBytes.U32.set(bytes, STEPS_OFFSET, stepCount);
        RunBytes.U64.set(bytes, START_OFFSET, meta.startUnixS());
        RunBytes.U32.set(bytes, ELAPSED_OFFSET, meta.elapsedBits());
        RunBytes.U64.set(bytes, SCORE_OFFSET, meta.maxScore());
        RunBytes.U32.set(bytes, TILE_OFFSET, (int) meta.highestTile());
        RunBytes.U16.set(bytes, ENGINE_SIZE_OFFSET, (short) engine.length);
        System.arraycopy(engine, 0, bytes, RunFormat.V1_HEADER_SIZE, engine.length);
        for (int i = 0; i <= stepCount; i++) {
            RunBytes.U64.set(bytes, statesOffset + i * RunFormat.BOARD_SIZE, run.states()[i]);
        }
        System.arraycopy(run.moves(), 0, bytes, movesOffset, stepCount);
        int crcOffset = movesOffset + stepCount;
        RunBytes.U32.set(bytes, crcOffset, crc(bytes, crcOffset));
        return bytes;
    }

    /// Returns the run without its branch values.
    static RunV1 downgrade(Run run) {
        RunColumns columns = run.columns();
        long[] states = Arrays.copyOf(columns.boards, columns.stepCount + 1);
        states[columns.stepCount] = columns.finalBoard;
        return new RunV1(run.meta(), states, Arrays.copyOf(columns.moves, columns.stepCount));
    }
}
