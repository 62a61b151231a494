// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.file.Layouts.U64;

import java.lang.foreign.MemorySegment;

/// The offsets of variable columns.
final class Offsets {
    private Offsets() {}

    /// Scales the offsets of rows when elements of one size have become elements of another.
    static void scale(MemorySegment from, MemorySegment to, long rowCount, long fromSize, long toSize) {
        for (long row = 0; row <= rowCount; row++) {
            to.setAtIndex(U64, row, from.getAtIndex(U64, row) / fromSize * toSize);
        }
    }

    /// Writes the offsets of rows of equal size.
    static void even(MemorySegment to, long rowCount, long rowSize) {
        for (long row = 0; row <= rowCount; row++) {
            to.setAtIndex(U64, row, row * rowSize);
        }
    }

    /// The size of the longest row in bytes.
    static long longest(MemorySegment offsets, long rowCount) {
        long longest = 0;
        for (long row = 0; row < rowCount; row++) {
            longest = Math.max(longest, offsets.getAtIndex(U64, row + 1) - offsets.getAtIndex(U64, row));
        }
        return longest;
    }
}
