// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.file.Disk;
import dev.penstock.table.RowType;
import dev.penstock.table.ShardName;
import dev.penstock.table.TableShard;
import dev.penstock.table.TableShardWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;

/// Writes rows to `steps.npy`, or to shards of a given number of rows, as files of a table with the header of
/// the original program. A file appears when it is complete.
///
/// The header of a few rows is shorter, so a file is begun when its first rows are known.
///
/// **Threads.** One thread at a time.
final class StepsWriter implements AutoCloseable {
    private final Disk disk;
    private final Path folder;
    private final boolean isWide;
    private final RowType rowType;
    private final long rowSize;
    /// The number of rows of a file.
    private final long rowsMax;

    private final List<TableShard> shards = new ArrayList<>();
    /// The name of the next shard, or null for a single file.
    private ShardName nextShard;

    private final String singleName;
    /// The rows before the next file is begun.
    private final MemorySegment first;

    private long firstCount;
    private TableShardWriter file;

    /// @param shardRows the number of rows of a shard, or 0 for a single file
    /// @param nextShard the first shard to write
    StepsWriter(Disk disk, Path folder, boolean isWide, long shardRows, ShardName nextShard) {
        this(disk, folder, isWide, shardRows, nextShard, StepsFormat.FILE);
    }

    /// Writes a single file of any name, which it replaces.
    static StepsWriter ofFile(Disk disk, Path file, boolean isWide) {
        return new StepsWriter(
                disk, file.getParent(), isWide, 0, null, file.getFileName().toString());
    }

    private StepsWriter(
            Disk disk, Path folder, boolean isWide, long shardRows, ShardName nextShard, String singleName) {
        this.disk = disk;
        this.folder = folder;
        this.isWide = isWide;
        this.rowType = StepsFormat.rowType(isWide);
        this.rowSize = rowType.size();
        this.rowsMax = shardRows == 0 ? Long.MAX_VALUE : shardRows;
        this.nextShard = shardRows == 0 ? null : nextShard;
        this.singleName = singleName;
        this.first = MemorySegment.ofArray(new byte[(int) (Math.min(StepsFormat.LONG_HEADER_ROWS, rowsMax) * rowSize)]);
    }

    void append(MemorySegment rows) throws IOException {
        long rowCount = rows.byteSize() / rowSize;
        long done = 0;
        while (done < rowCount) {
            long room = file == null ? first.byteSize() / rowSize - firstCount : rowsMax - file.rowCount();
            long here = Math.min(room, rowCount - done);
            MemorySegment part = rows.asSlice(done * rowSize, here * rowSize);
            if (file == null) {
                hold(part, here);
            } else {
                file.append(part);
            }
            if (file != null && file.rowCount() == rowsMax) {
                complete();
            }
            done += here;
        }
    }

    private void hold(MemorySegment rows, long count) throws IOException {
        MemorySegment.copy(rows, 0, first, firstCount * rowSize, rows.byteSize());
        firstCount += count;
        if (firstCount * rowSize == first.byteSize()) {
            begin();
        }
    }

    /// Begins a file with the rows that are held.
    private void begin() throws IOException {
        String name = nextShard == null ? singleName : nextShard.file();
        nextShard = nextShard == null ? null : nextShard.next();
        long least = firstCount;
        LongFunction<byte[]> header = rowCount -> StepsFormat.header(isWide, Math.max(least, rowCount));
        file = TableShardWriter.create(folder.resolve(name), rowType, header, true, disk);
        file.append(first.asSlice(0, firstCount * rowSize));
        firstCount = 0;
    }

    private void complete() throws IOException {
        shards.add(file.finish());
        file.close();
        file = null;
    }

    /// Completes the last file and returns all files in order. There is at least one.
    List<TableShard> finish() throws IOException {
        if (file == null && (firstCount > 0 || shards.isEmpty())) {
            begin();
        }
        if (file != null) {
            complete();
        }
        return shards;
    }

    /// Discards an incomplete file.
    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }
}
