// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

/// Where the stored bytes of records are in the files of a dataset.
public interface RecordRanges {
    /// The number of records.
    long count();

    /// Reports the ranges of consecutive records, in their order.
    void forEach(long firstRecord, long recordCount, Visitor visitor);

    /// Receives ranges.
    @FunctionalInterface
    interface Visitor {
        /// A range of a file.
        void at(OpenFile file, long offset, long byteCount);
    }
}
