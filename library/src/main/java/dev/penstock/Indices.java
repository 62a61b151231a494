// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Objects;

/// Checks of record indices and counts that all formats share.
public final class Indices {
    /// An index in memory.
    public static final ValueLayout.OfLong LAYOUT = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Indices() {}

    /// The number of indices in a segment.
    ///
    /// @throws IllegalArgumentException when the size is not a multiple of 8 bytes
    public static long count(MemorySegment indices) {
        if (indices.byteSize() % LAYOUT.byteSize() != 0) {
            throw new IllegalArgumentException(
                    indices.byteSize() + " bytes of indices: the size must be a multiple of 8 bytes");
        }
        return indices.byteSize() / LAYOUT.byteSize();
    }

    /// The index at a row.
    public static long at(MemorySegment indices, long row) {
        return indices.get(LAYOUT, row * LAYOUT.byteSize());
    }

    /// Writes the indices of all rows of ranges of consecutive rows to a buffer.
    ///
    /// @param firstRows the first row of each range
    /// @param length    the number of rows of each range
    public static MemorySegment ofRanges(MemorySegment firstRows, long length, Buffer buffer) {
        long rangeCount = count(firstRows);
        long byteCount = Math.multiplyExact(Math.multiplyExact(rangeCount, length), Long.BYTES);
        MemorySegment indices = buffer.reserve(byteCount).asSlice(0, byteCount);
        for (long i = 0; i < rangeCount; i++) {
            long first = at(firstRows, i);
            for (long j = 0; j < length; j++) {
                indices.setAtIndex(LAYOUT, i * length + j, first + j);
            }
        }
        return indices;
    }

    /// Checks the indices of a [Dataset#gather] and returns their number.
    ///
    /// @throws IllegalArgumentException  when the size is not a multiple of 8 bytes
    /// @throws IndexOutOfBoundsException when an index is out of range
    public static long requireAll(MemorySegment indices, long recordCount) {
        long rowCount = count(indices);
        for (long row = 0; row < rowCount; row++) {
            Objects.checkIndex(at(indices, row), recordCount);
        }
        return rowCount;
    }

    /// Checks that a dataset has at least `recordCount` records.
    ///
    /// @throws IndexOutOfBoundsException when it has fewer records
    public static void requireFirst(Dataset dataset, long recordCount) {
        if (recordCount < 0 || recordCount > dataset.count()) {
            throw new IndexOutOfBoundsException(dataset.location() + " has " + dataset.count()
                    + " records, fewer than the " + recordCount + " asked for");
        }
    }
}
