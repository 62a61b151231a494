// SPDX-License-Identifier: Apache-2.0
package dev.penstock.rows;

import dev.penstock.file.OpenFile;
import dev.penstock.file.RangeReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// The layout of the rows in one file, according to its header.
public interface RowLayout {
    /// The number of rows.
    long rowCount();

    /// The size of a row in bytes.
    long rowSize();

    /// The offset of the first row if the rows are contiguous, otherwise -1.
    long offset();

    /// Copies consecutive rows to the beginning of a target.
    ///
    /// @param firstRow the first row, counted from the beginning of the file
    void read(OpenFile file, long firstRow, long rowCount, MemorySegment target) throws IOException;

    /// Copies bytes of one row, beginning at `offsetInRow`, until the target is full.
    /// The file reads immediately or collects the ranges.
    void readPart(RangeReader file, long row, long offsetInRow, MemorySegment target) throws IOException;

    /// Contiguous rows.
    record Contiguous(long offset, long rowSize, long rowCount) implements RowLayout {
        @Override
        public void read(OpenFile file, long firstRow, long rowCount, MemorySegment target) throws IOException {
            file.read(offset + firstRow * rowSize, target.asSlice(0, rowCount * rowSize));
        }

        @Override
        public void readPart(RangeReader file, long row, long offsetInRow, MemorySegment target) throws IOException {
            file.read(offset + row * rowSize + offsetInRow, target);
        }
    }

    /// Whether the rows are contiguous.
    default boolean isContiguous() {
        return offset() >= 0;
    }
}
