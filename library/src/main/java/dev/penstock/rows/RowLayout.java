// SPDX-License-Identifier: Apache-2.0
package dev.penstock.rows;

import dev.penstock.memory.OpenFile;
import dev.penstock.memory.RangeReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// Where the rows of one file lie in it, as its header says.
public interface RowLayout {
    /// Number of rows.
    long rowCount();

    /// Bytes of one row.
    long rowSize();

    /// Where the first row begins, if the rows lie one after another, otherwise -1.
    long offset();

    /// Copies consecutive rows to the beginning of a target.
    ///
    /// @param firstRow counted from the beginning of the file
    void read(OpenFile file, long firstRow, long rowCount, MemorySegment target) throws IOException;

    /// Copies bytes of one row, beginning at `offsetInRow`, until the target is full.
    /// The file carries the reads out at once or collects them.
    void readPart(RangeReader file, long row, long offsetInRow, MemorySegment target) throws IOException;

    /// Rows that lie one after another.
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

    /// Whether the rows lie one after another.
    default boolean isContiguous() {
        return offset() >= 0;
    }
}
