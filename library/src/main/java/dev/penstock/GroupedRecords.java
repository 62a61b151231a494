// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

/// A dataset whose records come in groups of consecutive records, such as the rows of one document.
public interface GroupedRecords extends Dataset {
    /// The number of groups.
    long groupCount();

    /// Creates windows of consecutive records, each of which stays inside its group.
    ///
    /// @param length the number of records in a window
    /// @param stride the number of records from the start of a window to the start of the next
    Dataset windows(long length, long stride);
}
