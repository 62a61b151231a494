// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.ElementType;
import dev.penstock.Fingerprint;
import dev.penstock.file.OpenFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// Contiguous floating-point rows in a part of a file, such as a tensor.
///
/// **Ownership.** Owns the open file. **Threads.** Safe for any number of threads.
public final class FileRows implements AutoCloseable {
    private final String name;
    private final OpenFile file;
    private final long offset;
    private final long width;
    private final ElementType type;
    private final long rowCount;

    /// @param offset the offset of the first row in the file
    FileRows(String name, OpenFile file, long offset, long width, ElementType type, long rowCount) {
        this.name = name;
        this.file = file;
        this.offset = offset;
        this.width = width;
        this.type = type;
        this.rowCount = rowCount;
    }

    /// The name in messages.
    public String name() {
        return name;
    }

    /// The number of values in a row.
    public long width() {
        return width;
    }

    /// The type of the values, which are little-endian.
    public ElementType type() {
        return type;
    }

    /// The number of rows.
    public long rowCount() {
        return rowCount;
    }

    private long rowSize() {
        return width * type.size();
    }

    /// Copies consecutive rows to the beginning of a target.
    public void read(long firstRow, long rowCount, MemorySegment target) throws IOException {
        file.read(offset + firstRow * rowSize(), target.asSlice(0, rowCount * rowSize()));
    }

    /// A text that stays the same as long as the rows do.
    public String fingerprint() throws IOException {
        return new Fingerprint("rows 1")
                .add(type.toString())
                .add(width, rowCount)
                .addSample(rowCount * rowSize(), (start, target) -> file.read(offset + start, target))
                .text();
    }

    @Override
    public void close() {
        file.close();
    }
}
