// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Objects;

/// The checks of record indices and counts that datasets of every format share.
public final class Indices {
    static final ValueLayout.OfLong INDEX = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Indices() {}

    /// How many indices these bytes are.
    ///
    /// @throws IllegalArgumentException when they are no whole number of them
    public static long count(MemorySegment indices) {
        if (indices.byteSize() % INDEX.byteSize() != 0) {
            throw new IllegalArgumentException(indices.byteSize() + " bytes are no whole number of 8-byte indices");
        }
        return indices.byteSize() / INDEX.byteSize();
    }

    /// The index of a row of a batch.
    public static long at(MemorySegment indices, long row) {
        return indices.get(INDEX, row * INDEX.byteSize());
    }

    /// Counts the indices that a caller gave to [Dataset#gather].
    ///
    /// @throws IllegalArgumentException  when the bytes are no whole number of indices
    /// @throws IndexOutOfBoundsException when there is no such record
    public static long requireAll(MemorySegment indices, long recordCount) {
        long rowCount = count(indices);
        for (long row = 0; row < rowCount; row++) {
            Objects.checkIndex(at(indices, row), recordCount);
        }
        return rowCount;
    }

    /// Checks that a dataset has so many first records.
    ///
    /// @throws IndexOutOfBoundsException when it has fewer
    public static void requireFirst(Dataset dataset, long recordCount) {
        if (recordCount < 0 || recordCount > dataset.count()) {
            throw new IndexOutOfBoundsException(dataset.location() + " has " + dataset.count()
                    + " records and no first " + recordCount + " of them");
        }
    }
}
