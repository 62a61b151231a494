// SPDX-License-Identifier: Apache-2.0
package dev.penstock.rows;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// A file of rows that is being written by a format.
public interface RowFileWriter extends AutoCloseable {
    /// Appends whole rows.
    void append(MemorySegment rows, long rowCount) throws IOException;

    /// The number of rows so far.
    long rowCount();

    /// The size so far, including the header.
    long size();

    /// Discards the file unless it was published.
    @Override
    void close() throws IOException;
}
