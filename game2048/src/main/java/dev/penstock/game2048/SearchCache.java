// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import java.util.Arrays;

/// The values of boards that a search has already evaluated, with the depth of the evaluation. It is emptied for
/// every decision.
final class SearchCache {
    private static final int CAPACITY_MIN = 1 << 10;
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private long[] boards = new long[CAPACITY_MIN];
    private double[] values = new double[CAPACITY_MIN];
    private byte[] depths = new byte[CAPACITY_MIN];
    /// The decision that an entry belongs to. Entries of earlier decisions count as empty.
    private int[] decisions = new int[CAPACITY_MIN];

    private int decision = 1;
    private int size;

    void clear() {
        size = 0;
        if (++decision == 0) {
            Arrays.fill(decisions, 0);
            decision = 1;
        }
    }

    /// The slot of a board, or the empty slot it would get.
    private int slot(long board) {
        int mask = boards.length - 1;
        int slot = (int) (board * SPREAD >>> 32) & mask;
        while (decisions[slot] == decision && boards[slot] != board) {
            slot = slot + 1 & mask;
        }
        return slot;
    }

    /// The value of a board that was evaluated at least to this depth, or NaN.
    double get(long board, int depth) {
        int slot = slot(board);
        return decisions[slot] == decision && depths[slot] >= depth ? values[slot] : Double.NaN;
    }

    void put(long board, int depth, double value) {
        int slot = slot(board);
        boolean isNew = decisions[slot] != decision;
        boards[slot] = board;
        values[slot] = value;
        depths[slot] = (byte) depth;
        decisions[slot] = decision;
        if (isNew && ++size > boards.length / 2) {
            grow();
        }
    }

    private void grow() {
        SearchCache larger = new SearchCache();
        int capacity = boards.length * 2;
        larger.boards = new long[capacity];
        larger.values = new double[capacity];
        larger.depths = new byte[capacity];
        larger.decisions = new int[capacity];
        larger.decision = decision;
        for (int i = 0; i < boards.length; i++) {
            if (decisions[i] == decision) {
                larger.put(boards[i], depths[i], values[i]);
            }
        }
        boards = larger.boards;
        values = larger.values;
        depths = larger.depths;
        decisions = larger.decisions;
    }
}
