// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

/// The result of moving each of the 65,536 possible lines of four tiles.
///
/// A line is 16 bits, the first cell in the highest four. Merging two tiles of exponent 15 gives exponent 16,
/// which does not fit: the cell becomes empty. Such boards only occur inside a search; [Board#shift] rejects the
/// move.
final class Lines {
    static final int COUNT = 1 << 16;

    /// The line after a move towards its first cell.
    static final char[] TO_FIRST = new char[COUNT];
    /// The line after a move towards its last cell.
    static final char[] TO_LAST = new char[COUNT];
    /// Whether a move along the line, in either direction, merges two tiles of exponent 15.
    private static final long[] OVERFLOWS_TO_FIRST = new long[COUNT / Long.SIZE];

    private static final long[] OVERFLOWS_TO_LAST = new long[COUNT / Long.SIZE];

    private static final int CELLS = 4;
    private static final int EXPONENT_MAX = 15;

    static {
        for (int line = 0; line < COUNT; line++) {
            int[] cells = cells(line);
            int[] first = slide(cells);
            TO_FIRST[line] = pack(first);
            int[] last = reversed(slide(reversed(cells)));
            TO_LAST[line] = pack(last);
            mark(OVERFLOWS_TO_FIRST, line, first);
            mark(OVERFLOWS_TO_LAST, line, last);
        }
    }

    private Lines() {}

    static boolean overflowsToFirst(int line) {
        return (OVERFLOWS_TO_FIRST[line >>> 6] >>> line & 1) != 0;
    }

    static boolean overflowsToLast(int line) {
        return (OVERFLOWS_TO_LAST[line >>> 6] >>> line & 1) != 0;
    }

    private static void mark(long[] bits, int line, int[] cells) {
        for (int cell : cells) {
            if (cell > EXPONENT_MAX) {
                bits[line >>> 6] |= 1L << line;
            }
        }
    }

    static int[] cells(int line) {
        return new int[] {line >>> 12 & 15, line >>> 8 & 15, line >>> 4 & 15, line & 15};
    }

    private static char pack(int[] cells) {
        return (char) ((cells[0] & 15) << 12 | (cells[1] & 15) << 8 | (cells[2] & 15) << 4 | cells[3] & 15);
    }

    private static int[] reversed(int[] cells) {
        return new int[] {cells[3], cells[2], cells[1], cells[0]};
    }

    /// Moves all tiles to the front. Equal neighbours merge once, beginning at the front.
    private static int[] slide(int[] cells) {
        int[] result = new int[CELLS];
        int count = 0;
        boolean canMerge = false;
        for (int exponent : cells) {
            if (exponent == 0) {
                continue;
            }
            if (canMerge && result[count - 1] == exponent) {
                result[count - 1]++;
                canMerge = false;
            } else {
                result[count++] = exponent;
                canMerge = true;
            }
        }
        return result;
    }
}
