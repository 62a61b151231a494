// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.ElementType;
import dev.penstock.memory.ReaderOptions;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/// Rows of floating-point numbers of one width that come from elsewhere, on their way into shards.
///
/// **Threads.** One at a time.
public interface RowInput extends AutoCloseable {
    /// What messages call it.
    String name();

    /// Numbers in a row.
    long width();

    /// The type of the numbers, which are little-endian.
    ElementType type();

    /// Number of rows.
    long rowCount();

    /// Copies consecutive rows to the beginning of a target.
    void read(long firstRow, long rowCount, MemorySegment target) throws IOException;

    @Override
    void close() throws IOException;

    /// The rows of a file of f32 numbers without a header.
    ///
    /// @throws dev.penstock.DatasetException when the file has no whole number of rows
    static RowInput raw(Path file, long width, ReaderOptions options) throws IOException {
        return FileRows.raw(file, width, ElementType.F32, options);
    }
}
