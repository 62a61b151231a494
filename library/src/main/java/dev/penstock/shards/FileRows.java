// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Reason;
import dev.penstock.file.OpenFile;
import dev.penstock.file.ReaderOptions;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/// Contiguous rows in a part of a file.
///
/// @param name   the name in messages
/// @param offset the offset of the first row in the file
record FileRows(String name, OpenFile file, long offset, long width, ElementType type, long rowCount)
        implements RowInput {
    /// Opens a file of numbers without a header.
    ///
    /// @throws DatasetException when the size is not a whole number of rows
    static FileRows raw(Path path, long width, ElementType type, ReaderOptions options) throws IOException {
        OpenFile file = OpenFile.open(path, options);
        long rowSize = Math.multiplyExact(width, type.size());
        if (file.size() % rowSize != 0) {
            long size = file.size();
            file.close();
            throw new DatasetException.Corrupt(
                    path,
                    size,
                    Reason.TRUNCATED,
                    size + " bytes are not a whole number of rows of " + width + " " + type);
        }
        return new FileRows(path.toString(), file, 0, width, type, file.size() / rowSize);
    }

    @Override
    public void read(long firstRow, long rowCount, MemorySegment target) throws IOException {
        long rowSize = width * type.size();
        file.read(offset + firstRow * rowSize, target.asSlice(0, rowCount * rowSize));
    }

    @Override
    public void close() {
        file.close();
    }
}
