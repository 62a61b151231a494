// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import dev.penstock.file.Location;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/// A dataset whose records are fixed-width rows of one type, which can also be copied in their stored form.
///
/// Operations that only some formats support are interfaces: [StoredRows], [StoredRecords]. The bridge and the
/// command line do not depend on the readers of single formats.
public interface StoredRows extends Dataset {
    /// The type of an item of a row, as written in a NumPy header.
    String itemType();

    /// The shape of a row; empty when a row is a single item.
    List<Long> rowShape();

    /// The size of a row in bytes.
    long rowSize();

    /// The NumPy files that hold the rows, in order. The list is empty when the rows are stored in another way, or
    /// when files must not be read without this dataset.
    List<Location> arrayFiles();

    /// The offset of the array in its file. It is 0 unless the file is an archive that contains the array.
    default long arrayOffset() {
        return 0;
    }

    /// Whether the files hold rows only, without a header that describes them.
    default boolean isRaw() {
        return false;
    }

    /// Whether the array has no dimensions, as written by `np.save(file, 3.5)`. It is read as one row.
    default boolean isScalar() {
        return false;
    }

    /// Copies many rows in their stored form, one after another.
    ///
    /// @param indices as for [#gather]
    /// @param target  memory for [#rowSize] bytes for each row
    /// @throws IndexOutOfBoundsException when an index is out of range
    void read(MemorySegment indices, MemorySegment target) throws IOException;

    /// Copies ranges of consecutive rows in their stored form, one after another.
    ///
    /// @param firstRows the first row of each range
    /// @param length    the number of rows of each range
    /// @param target    memory for `length` rows of each range
    /// @throws IndexOutOfBoundsException when a row is out of range
    default void readRanges(MemorySegment firstRows, long length, MemorySegment target) throws IOException {
        try (Buffer buffer = new Buffer()) {
            read(Indices.ofRanges(firstRows, length, buffer), target);
        }
    }

    /// Copies ranges of consecutive rows into a batch. Each range becomes one record, with the fields of
    /// [Field#inRanges]. A dataset that has no faster way than row by row
    /// does nothing and returns false.
    ///
    /// @return whether the batch was filled
    /// @throws IndexOutOfBoundsException when a row is out of range
    default boolean gatherRanges(MemorySegment firstRows, long length, Batch batch) throws IOException {
        return false;
    }
}
