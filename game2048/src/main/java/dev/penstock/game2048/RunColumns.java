// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import java.util.Arrays;
import java.util.Objects;

/// The steps of a run as arrays of numbers, one for each part of a step. Columns are created once and refilled for
/// each run.
///
/// Runs are decoded into arrays of plain numbers, and a [Run] is a view over them. One object
/// for each step would cost more than decoding it.
///
/// **Ownership.** The caller owns the columns. Arrays may be longer than the run and are overwritten by the next
/// run.
///
/// **Threads.** One thread at a time.
public final class RunColumns {
    /// The bit of [#flags] for a step that has branch values.
    public static final int HAS_BRANCHES = 16;

    /// The bits of [#flags] for the legal moves.
    public static final int LEGAL = 15;

    private static final int CAPACITY_MIN = 16;

    RunVersion version = RunVersion.V2;
    RunMeta meta;
    int stepCount;
    long finalBoard;
    long[] boards = new long[0];
    byte[] moves = new byte[0];
    int[] branchBits = new int[0];
    byte[] flags = new byte[0];
    /// For a decoded run of version 2, the byte offset of each block of steps, followed by the end of the last
    /// block.
    int[] blockOffsets = new int[1];

    /// Returns the actual number of steps, whatever the metadata says.
    public int stepCount() {
        return stepCount;
    }

    /// Returns the board before each step.
    public long[] boards() {
        return boards;
    }

    /// Returns the number of the chosen move of each step.
    public byte[] moves() {
        return moves;
    }

    /// Returns the bits of four branch values for each step; 0 if a branch is illegal or not known.
    public int[] branchBits() {
        return branchBits;
    }

    /// Returns the legality bits of each step, with [#HAS_BRANCHES] if there are branch values. A step without
    /// branch values has no legality bits either.
    public byte[] flags() {
        return flags;
    }

    /// Returns a view of the run, which changes with these columns.
    public Run run() {
        return new Run(this);
    }

    void reserve(int capacity) {
        if (boards.length < capacity) {
            boards = new long[capacity];
            moves = new byte[capacity];
            branchBits = new int[capacity * Move.COUNT];
            flags = new byte[capacity];
            blockOffsets = new int[Math.ceilDiv(capacity, RunV2Codec.BLOCK_STEPS) + 1];
        }
    }

    int[] copyBlockOffsets() {
        return Arrays.copyOf(blockOffsets, Math.ceilDiv(stepCount, RunV2Codec.BLOCK_STEPS) + 1);
    }

    /// Starts a run that is recorded step by step.
    void begin() {
        stepCount = 0;
        version = RunVersion.V2;
    }

    /// Adds a step and returns its index. The caller fills in its four values.
    int add(long preBoard, int move, int stepFlags) {
        if (stepCount == boards.length) {
            int capacity = Math.max(CAPACITY_MIN, Math.multiplyExact(stepCount, 2));
            boards = Arrays.copyOf(boards, capacity);
            moves = Arrays.copyOf(moves, capacity);
            branchBits = Arrays.copyOf(branchBits, Math.multiplyExact(capacity, Move.COUNT));
            flags = Arrays.copyOf(flags, capacity);
        }
        boards[stepCount] = preBoard;
        moves[stepCount] = (byte) move;
        flags[stepCount] = (byte) stepFlags;
        return stepCount++;
    }

    void end(RunMeta meta, long finalBoard) {
        this.meta = meta;
        this.finalBoard = finalBoard;
    }

    Step step(int stepIndex) {
        Objects.checkIndex(stepIndex, stepCount);
        Branches branches = null;
        if ((flags[stepIndex] & HAS_BRANCHES) != 0) {
            int from = stepIndex * Move.COUNT;
            branches = new Branches(flags[stepIndex] & LEGAL, Arrays.copyOfRange(branchBits, from, from + Move.COUNT));
        }
        return new Step(boards[stepIndex], Move.of(moves[stepIndex]), branches);
    }
}
