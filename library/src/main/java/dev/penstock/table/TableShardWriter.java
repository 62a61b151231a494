// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.Batch;
import dev.penstock.Buffer;
import dev.penstock.file.Disk;
import dev.penstock.file.NewFile;
import dev.penstock.rows.NewRowFile;
import dev.penstock.rows.RowAssembly;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.function.LongFunction;

/// Writes one shard of a table that several processes write together. The rows belong to the table when
/// [TableCommit#commit] has listed the shard.
///
/// **Lifecycle.** [#finish] puts the shard on disk under its name. [#close] without it leaves nothing.
///
/// **Threads.** One thread at a time. Any number of shards can be written at the same time.
public final class TableShardWriter implements AutoCloseable {
    private final RowType rowType;
    private final NewRowFile file;
    private final RowAssembly assembly;
    private final Buffer rowBuffer = new Buffer();
    private TableShard finished;

    private TableShardWriter(RowType rowType, NewRowFile file) {
        this.rowType = rowType;
        this.file = file;
        this.assembly = new RowAssembly(rowType.fields(), rowType.size());
    }

    /// Creates a shard.
    ///
    /// @param path the path of the shard, whose name [TableCommit#shardName] has made
    /// @throws FileAlreadyExistsException when there is such a file
    /// @throws IllegalArgumentException   when the name is not one of a shard, or such rows cannot be written
    public static TableShardWriter create(Path path, RowType rowType, Disk disk) throws IOException {
        String name = path.getFileName().toString();
        if (!TableManifest.isName(name)) {
            throw new IllegalArgumentException(name + " is not a valid name of a shard");
        }
        TableWriter.requireWritable(rowType);
        return create(path, rowType, rows -> TableHeader.write(rowType, rows), false, disk);
    }

    /// Creates a file of any name with a header in the wording of another program.
    ///
    /// @param header      the header for a number of rows; always of the same size
    /// @param isReplacing whether an existing file is replaced
    /// @throws FileAlreadyExistsException when there is such a file that may not be replaced
    public static TableShardWriter create(
            Path path, RowType rowType, LongFunction<byte[]> header, boolean isReplacing, Disk disk)
            throws IOException {
        NewFile file = NewFile.createLike(disk, path, path.resolveSibling(TableFormat.MANIFEST), isReplacing);
        return new TableShardWriter(rowType, new NewRowFile(file, rowType.size(), header));
    }

    /// The number of rows so far.
    public long rowCount() {
        return file.rowCount();
    }

    /// The size of the file so far.
    public long size() {
        return file.size();
    }

    /// Appends rows in their stored form, one after another.
    ///
    /// @throws IllegalArgumentException when the size is not a multiple of the row size
    public void append(MemorySegment rows) throws IOException {
        if (rows.byteSize() % rowType.size() != 0) {
            throw new IllegalArgumentException(
                    rows.byteSize() + " bytes are not a whole number of rows of " + rowType.size() + " bytes");
        }
        file.append(rows, rows.byteSize() / rowType.size());
    }

    /// Appends the rows of a batch, which has a little-endian column for each field of the table.
    public void append(Batch batch) throws IOException {
        MemorySegment rows = rowBuffer.reserve(Math.multiplyExact(batch.rowCount(), rowType.size()));
        assembly.assemble(batch, rows);
        append(rows.asSlice(0, batch.rowCount() * rowType.size()));
    }

    /// Completes the shard and puts it on stable storage. A second call returns the same.
    public TableShard finish() throws IOException {
        if (finished == null) {
            finished = TableShard.of(file.publish());
        }
        return finished;
    }

    @Override
    public void close() throws IOException {
        rowBuffer.close();
        assembly.close();
        file.close();
    }
}
