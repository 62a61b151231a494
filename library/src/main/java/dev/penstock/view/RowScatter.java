// SPDX-License-Identifier: Apache-2.0
package dev.penstock.view;

import dev.penstock.Column;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Moves the rows of a column to arbitrary rows of another column.
///
/// Common item sizes have loops of their own: a general copy of a few bytes takes several times as long as a load
/// and a store.
final class RowScatter {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private RowScatter() {}

    /// Moves fixed items: row `r` of the column goes to row `targets[r]` of the values.
    static void items(Column column, MemorySegment targets, MemorySegment values) {
        long itemSize = column.field().itemSize();
        MemorySegment source = column.values();
        long rowCount = targets.byteSize() / LONG.byteSize();
        switch ((int) Math.min(itemSize, Integer.MAX_VALUE)) {
            case 0 -> {}
            case 1 -> bytes(source, rowCount, targets, values);
            case 2 -> shorts(source, rowCount, targets, values);
            case 4 -> ints(source, rowCount, targets, values);
            case 8 -> longs(source, rowCount, targets, values);
            default -> {
                for (long row = 0; row < rowCount; row++) {
                    long target = targets.getAtIndex(LONG, row);
                    MemorySegment.copy(source, row * itemSize, values, target * itemSize, itemSize);
                }
            }
        }
    }

    private static void bytes(MemorySegment source, long rowCount, MemorySegment targets, MemorySegment values) {
        for (long row = 0; row < rowCount; row++) {
            byte item = source.get(ValueLayout.JAVA_BYTE, row);
            values.set(ValueLayout.JAVA_BYTE, targets.getAtIndex(LONG, row), item);
        }
    }

    private static void shorts(MemorySegment source, long rowCount, MemorySegment targets, MemorySegment values) {
        for (long row = 0; row < rowCount; row++) {
            short item = source.getAtIndex(ValueLayout.JAVA_SHORT, row);
            values.setAtIndex(ValueLayout.JAVA_SHORT, targets.getAtIndex(LONG, row), item);
        }
    }

    private static void ints(MemorySegment source, long rowCount, MemorySegment targets, MemorySegment values) {
        for (long row = 0; row < rowCount; row++) {
            int item = source.getAtIndex(ValueLayout.JAVA_INT, row);
            values.setAtIndex(ValueLayout.JAVA_INT, targets.getAtIndex(LONG, row), item);
        }
    }

    private static void longs(MemorySegment source, long rowCount, MemorySegment targets, MemorySegment values) {
        for (long row = 0; row < rowCount; row++) {
            long item = source.getAtIndex(LONG, row);
            values.setAtIndex(LONG, targets.getAtIndex(LONG, row), item);
        }
    }

    /// Copies the mask of missing values, if there is one: row `r` of the column goes to row `targets[r]` of
    /// `other`.
    ///
    /// @param rowCount the number of rows of the other column
    static void missing(Column column, MemorySegment targets, Column other, long rowCount) {
        if (column.hasMissing()) {
            MemorySegment source = column.missing();
            MemorySegment mask = other.hasMissing() ? other.maskMemory() : other.reserveMissing(rowCount);
            bytes(source, source.byteSize(), targets, mask);
        }
    }

    /// Writes the size of variable row `r` to the offset that follows row `targets[r]`.
    static void sizes(Column column, MemorySegment targets, MemorySegment ends) {
        MemorySegment offsets = column.offsets();
        long rowCount = targets.byteSize() / LONG.byteSize();
        for (long row = 0; row < rowCount; row++) {
            long size = offsets.getAtIndex(LONG, row + 1) - offsets.getAtIndex(LONG, row);
            ends.setAtIndex(LONG, targets.getAtIndex(LONG, row) + 1, size);
        }
    }

    /// Moves variable row `r` to the offset of row `targets[r]`.
    static void values(Column column, MemorySegment targets, MemorySegment offsets, MemorySegment values) {
        MemorySegment source = column.values();
        MemorySegment starts = column.offsets();
        long rowCount = targets.byteSize() / LONG.byteSize();
        for (long row = 0; row < rowCount; row++) {
            long start = starts.getAtIndex(LONG, row);
            long size = starts.getAtIndex(LONG, row + 1) - start;
            MemorySegment.copy(source, start, values, offsets.getAtIndex(LONG, targets.getAtIndex(LONG, row)), size);
        }
    }
}
