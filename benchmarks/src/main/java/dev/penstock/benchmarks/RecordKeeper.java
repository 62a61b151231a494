// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// One way to keep records of one size on disk by their index.
///
/// Every change is durable when the call has returned.
interface RecordKeeper extends AutoCloseable {
    /// Appends records and commits them together.
    ///
    /// @param records one behind another, in memory outside the heap
    void append(MemorySegment records, int count) throws Exception;

    /// Replaces records and commits the changes together.
    ///
    /// @param records those of the indices, one behind another
    void update(long[] indices, MemorySegment records) throws Exception;

    /// Copies records, one behind another.
    void gather(long[] indices, MemorySegment target) throws Exception;

    /// How many records there are.
    long count() throws Exception;

    @Override
    void close() throws IOException;
}
