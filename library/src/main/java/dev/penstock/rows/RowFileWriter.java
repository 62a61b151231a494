// SPDX-License-Identifier: Apache-2.0
package dev.penstock.rows;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// One file of rows that is being written, as a format writes it.
public interface RowFileWriter extends AutoCloseable {
    /// Adds whole rows.
    void append(MemorySegment rows, long rowCount) throws IOException;

    /// Rows so far.
    long rowCount();

    /// Bytes so far, the header included.
    long size();

    /// Gives the file up unless it was published.
    @Override
    void close() throws IOException;
}
