// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/// A dataset whose records are rows of one fixed type, which can also be copied as they are stored.
public interface StoredRows extends Dataset {
    /// The type of an item of a row, as NumPy writes it in the header of a file.
    String itemType();

    /// The shape of a row: empty for one item.
    List<Long> rowShape();

    /// Bytes of a row.
    long rowSize();

    /// The NumPy files that hold the rows, in their order; none when they are stored in another way.
    List<Location> arrayFiles();

    /// Where the array begins in its file. It is not 0 only when the file is an archive that holds the array.
    default long arrayOffset() {
        return 0;
    }

    /// Copies many rows as they are stored, one after another.
    ///
    /// @param indices as for [#gather]
    /// @param target  memory for [#rowSize] bytes a row
    /// @throws IndexOutOfBoundsException when an index has no row
    void read(MemorySegment indices, MemorySegment target) throws IOException;
}
