// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.ElementType;
import dev.penstock.file.ReaderOptions;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/// A source of floating-point rows of one width, to be written to shards.
///
/// **Threads.** One thread at a time.
public interface RowInput extends AutoCloseable {
    /// The name in messages.
    String name();

    /// The number of values in a row.
    long width();

    /// The type of the values, which are little-endian.
    ElementType type();

    /// The number of rows.
    long rowCount();

    /// Copies consecutive rows to the beginning of a target.
    void read(long firstRow, long rowCount, MemorySegment target) throws IOException;

    @Override
    void close() throws IOException;

    /// Opens a file of f32 numbers without a header.
    ///
    /// @throws dev.penstock.DatasetException when the size is not a whole number of rows
    static RowInput raw(Path file, long width, ReaderOptions options) throws IOException {
        return FileRows.raw(file, width, ElementType.F32, options);
    }
}
