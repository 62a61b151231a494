// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

/// A player that searches ahead: for every move it averages over the tiles that may be spawned, then takes the
/// best next move, and so on. At the end of its depth it uses the [Heuristic].
///
/// The values are those of the original program's sequential search, bit for bit.
///
/// **Threads.** One thread at a time.
public final class Expectimax {
    /// Boards with a lower probability are not searched.
    public static final float PROBABILITY_CUTOFF = 1e-4f;

    /// The smallest depth of an unlimited search. Otherwise the depth is two less than the number of different
    /// tiles.
    private static final int DEPTH_MIN = 3;

    private static final int DEPTH_MAX = 64;

    private final int depthCap;
    private final float cutoff;
    private final SearchCache cache = new SearchCache();
    private final double[] values = new double[Move.COUNT];
    private int legalBits;
    private long nodeCount;

    /// Creates a player.
    ///
    /// @param depthCap the largest search depth; at most 64
    public Expectimax(int depthCap) {
        this(depthCap, PROBABILITY_CUTOFF);
    }

    /// Creates a player with a given probability cutoff.
    public Expectimax(int depthCap, float cutoff) {
        if (depthCap < 0 || depthCap > DEPTH_MAX) {
            throw new IllegalArgumentException("the depth must be between 0 and " + DEPTH_MAX + ", got " + depthCap);
        }
        this.depthCap = depthCap;
        this.cutoff = cutoff;
    }

    /// Evaluates all moves of a board.
    public void evaluate(long board) {
        int depth = Math.min(depth(board), depthCap);
        nodeCount = 0;
        legalBits = 0;
        if (depth > 1) {
            cache.clear();
        }
        for (int move = 0; move < Move.COUNT; move++) {
            long moved = Board.slide(board, move);
            values[move] = 0;
            if (moved != board) {
                legalBits |= 1 << move;
                values[move] = chance(moved, depth, 1);
            }
        }
    }

    private static int depth(long board) {
        int exponents = 0;
        for (long rest = board; rest != 0; rest >>>= 4) {
            exponents |= 1 << (rest & 15);
        }
        return Math.max(DEPTH_MIN, Integer.bitCount(exponents & ~1) - 2);
    }

    /// Returns the legality bits of the board that was evaluated last.
    public int legalBits() {
        return legalBits;
    }

    /// Returns the values of the four moves; 0 if a move is illegal. The next evaluation overwrites them.
    public double[] values() {
        return values;
    }

    /// Returns the number of boards that the evaluation visited, including cached ones.
    public long nodeCount() {
        return nodeCount;
    }

    /// Returns the move of the original program's sequential player: the first of the best moves, or null when all
    /// values are 0. That happens shortly before the end, although moves are legal.
    public Move firstBest() {
        Move best = null;
        double highest = 0;
        for (int move = 0; move < Move.COUNT; move++) {
            if ((legalBits >>> move & 1) != 0 && values[move] > highest) {
                highest = values[move];
                best = Move.of(move);
            }
        }
        return best;
    }

    /// Returns the move of the original recorder: the last of the best moves, or null when no move is legal.
    public Move lastBest() {
        int best = -1;
        for (int move = 0; move < Move.COUNT; move++) {
            if ((legalBits >>> move & 1) != 0 && (best < 0 || values[move] >= values[best])) {
                best = move;
            }
        }
        return best < 0 ? null : Move.of(best);
    }

    /// The average over all tiles that may be spawned.
    private double chance(long board, int depth, float probability) {
        nodeCount++;
        if (depth == 0 || probability < cutoff) {
            return Heuristic.of(board);
        }
        boolean isCaching = depth > 1 || depthCap > 1;
        if (isCaching) {
            double known = cache.get(board, depth);
            if (!Double.isNaN(known)) {
                return known;
            }
        }
        int count = Board.emptyCount(board);
        float share = probability / count;
        double sum = 0;
        for (long free = Board.emptyCells(board); free != 0; free &= free - 1) {
            long cell = free & -free;
            double with2;
            double with4;
            if (depth == 1) {
                with2 = bestHeuristic(board | cell);
                with4 = bestHeuristic(board | cell << 1);
            } else {
                with2 = best(board | cell, depth - 1, share * 0.9f);
                with4 = best(board | cell << 1, depth - 1, share * 0.1f);
            }
            sum += 0.9 * with2;
            sum += 0.1 * with4;
        }
        double value = sum / count;
        if (isCaching) {
            cache.put(board, depth, value);
        }
        return value;
    }

    private double best(long board, int depth, float probability) {
        nodeCount++;
        double best = 0;
        for (int move = 0; move < Move.COUNT; move++) {
            long moved = Board.slide(board, move);
            if (moved != board) {
                best = Math.max(best, chance(moved, depth, probability));
            }
        }
        return best;
    }

    /// [#best] for depth 0. A search spends most of its time here.
    private double bestHeuristic(long board) {
        long columns = Board.transpose(board);
        long up = Board.toFirst(columns);
        long down = Board.toLast(columns);
        long left = Board.toFirst(board);
        long right = Board.toLast(board);
        double best = 0;
        int count = 1;
        if (up != columns) {
            best = Math.max(best, Heuristic.of(Board.transpose(up), up));
            count++;
        }
        if (down != columns) {
            best = Math.max(best, Heuristic.of(Board.transpose(down), down));
            count++;
        }
        if (left != board) {
            best = Math.max(best, Heuristic.of(left, Board.transpose(left)));
            count++;
        }
        if (right != board) {
            best = Math.max(best, Heuristic.of(right, Board.transpose(right)));
            count++;
        }
        nodeCount += count;
        return best;
    }
}
