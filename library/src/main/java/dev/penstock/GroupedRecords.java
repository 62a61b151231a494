// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

/// A dataset whose records come in groups of consecutive records, such as the rows of one document.
public interface GroupedRecords extends Dataset {
    /// The number of groups.
    long groupCount();

    /// The groups as a dataset with one record for each, in the order of their records. Its fields are the
    /// attributes of the groups. It needs no closing.
    Dataset groups();

    /// The range of records of a group.
    ///
    /// @throws IndexOutOfBoundsException when the group is out of range
    Range range(long group);

    /// The group of a record, or -1 when the record belongs to none.
    long groupOf(long index);

    /// Consecutive records.
    ///
    /// @param start the first record
    /// @param limit the exclusive end
    record Range(long start, long limit) {}

    /// Creates windows of consecutive records, each of which stays inside its group.
    ///
    /// @param length the number of records in a window
    /// @param stride the number of records from the start of a window to the start of the next
    Dataset windows(long length, long stride);
}
