// SPDX-License-Identifier: Apache-2.0
package dev.penstock.doctor;

/// The indices of the rows of a batch: those in the dataset, or the number of the record in its source.
///
/// @param indices the index of each row, or null
/// @param first   the number of the first row, if there are no indices
record RecordIds(long[] indices, long first) {
    long of(long row) {
        return indices == null ? first + row : indices[(int) row];
    }
}
