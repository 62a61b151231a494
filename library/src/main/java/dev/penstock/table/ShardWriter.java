// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.memory.ChecksummedJson;
import dev.penstock.memory.Crc32c;
import dev.penstock.memory.Disk;
import dev.penstock.memory.NewFile;
import dev.penstock.memory.StagedWrites;
import dev.penstock.rows.RowFileWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/// One NumPy file that grows row by row and appears when it is published.
///
/// The header has the same size for every count of rows, so it is written last, into the room kept for it.
final class ShardWriter implements RowFileWriter {
    private static final long STAGE_SIZE = 1L << 20;

    private final RowType rowType;
    private final NewFile file;
    private final StagedWrites stage;
    private final Crc32c crc = new Crc32c();
    private final long dataOffset;
    private long rowCount;

    private ShardWriter(RowType rowType, NewFile file) {
        this.rowType = rowType;
        this.file = file;
        this.stage = new StagedWrites(file, STAGE_SIZE);
        this.dataOffset = TableHeader.write(rowType, 0).length;
    }

    static ShardWriter create(Disk disk, Path path, RowType rowType, boolean isReplacing) throws IOException {
        return new ShardWriter(rowType, NewFile.create(disk, path, isReplacing));
    }

    /// Begins a file that goes on with the rows of the one it replaces; see [NewFile#createAlone].
    static ShardWriter createAlone(Disk disk, Path path, RowType rowType) throws IOException {
        return new ShardWriter(rowType, NewFile.createAlone(disk, path, path));
    }

    @Override
    public long rowCount() {
        return rowCount;
    }

    @Override
    public long size() {
        return dataOffset + rowCount * rowType.size();
    }

    @Override
    public void append(MemorySegment rows, long count) throws IOException {
        stage.write(rows, size());
        crc.update(rows);
        rowCount = Math.addExact(rowCount, count);
    }

    /// Completes the file and gives it its name, durably.
    TableManifest.Shard publish() throws IOException {
        stage.flush();
        MemorySegment header = MemorySegment.ofArray(TableHeader.write(rowType, rowCount));
        file.write(header, 0);
        file.publish();
        int whole = Crc32c.combine(Crc32c.of(header), crc.value(), size() - dataOffset);
        return new TableManifest.Shard(
                file.target().getFileName().toString(), rowCount, size(), ChecksummedJson.hex(whole));
    }

    @Override
    public void close() throws IOException {
        stage.close();
        file.close();
    }
}
