// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.util.Optional;

/// A dataset of byte records that may lie as they are in its one file, [Dataset#location], so that another program
/// can map them there.
public interface StoredRecords extends Dataset {
    /// Where a record lies.
    ///
    /// @param offset bytes from the start of the file
    record Place(long offset, long size) {}

    /// The place of a record, if it is stored as it is and not compressed.
    ///
    /// @throws IndexOutOfBoundsException when there is no such record
    Optional<Place> place(long index);
}
