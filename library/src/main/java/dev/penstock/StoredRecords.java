// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.util.Optional;

/// A dataset of byte records that are stored in one file, [Dataset#location]. Other programs can map uncompressed
/// records directly.
public interface StoredRecords extends Dataset {
    /// The position of a record in the file.
    ///
    /// @param offset bytes from the start of the file
    record Place(long offset, long size) {}

    /// The position of a record, or empty when the record is compressed.
    ///
    /// @throws IndexOutOfBoundsException when the index is out of range
    Optional<Place> place(long index);
}
