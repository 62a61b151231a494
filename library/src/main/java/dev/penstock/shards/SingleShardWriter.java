// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.ElementType;
import dev.penstock.file.Disk;
import dev.penstock.file.NewFile;
import dev.penstock.rows.NewRowFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;

/// Writes one shard of a corpus that several processes write together. A [ShardWriter] writes a whole corpus.
///
/// **Lifecycle.** [#finish] puts the shard on disk under its name. [#close] without it leaves nothing.
///
/// **Threads.** One thread at a time. Any number of shards can be written at the same time.
public final class SingleShardWriter implements AutoCloseable {
    private final NewRowFile file;
    private final long rowSize;

    private SingleShardWriter(NewRowFile file, long rowSize) {
        this.file = file;
        this.rowSize = rowSize;
    }

    /// Creates a shard.
    ///
    /// @param width the number of values in a row
    /// @param type  the type of the stored values
    /// @throws FileAlreadyExistsException when there is such a file
    /// @throws IllegalArgumentException   when a shard cannot have such rows
    public static SingleShardWriter create(Path path, long width, ElementType type, Disk disk) throws IOException {
        long rowSize = ShardHeader.of(1, width, type).rowSize();
        NewFile file = NewFile.createAt(disk, path, false);
        return new SingleShardWriter(
                new NewRowFile(
                        file, rowSize, rows -> ShardHeader.of(rows, width, type).write()),
                rowSize);
    }

    /// The number of rows so far.
    public long rowCount() {
        return file.rowCount();
    }

    /// The size of the file so far.
    public long size() {
        return file.size();
    }

    /// Appends whole rows of stored values.
    ///
    /// @throws IllegalArgumentException when the size is not a multiple of the row size
    public void append(MemorySegment rows) throws IOException {
        if (rows.byteSize() % rowSize != 0) {
            throw new IllegalArgumentException(
                    rows.byteSize() + " bytes are not a whole number of rows of " + rowSize + " bytes");
        }
        file.append(rows, rows.byteSize() / rowSize);
    }

    /// Completes the shard and puts it on stable storage.
    public void finish() throws IOException {
        file.publish();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
