// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// One program that stores records of one size by their index.
///
/// Every change is durable when the call returns.
interface RecordKeeper extends AutoCloseable {
    /// Appends records and commits them together.
    ///
    /// @param records the records one after another, off the heap
    void append(MemorySegment records, int count) throws Exception;

    /// Replaces records and commits the changes together.
    ///
    /// @param records the new records of the indices, one after another
    void update(long[] indices, MemorySegment records) throws Exception;

    /// Copies records, one after another.
    void gather(long[] indices, MemorySegment target) throws Exception;

    /// The number of records.
    long count() throws Exception;

    @Override
    void close() throws IOException;
}
