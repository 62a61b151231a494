// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.file.ChecksummedJson;
import dev.penstock.file.Crc32c;
import dev.penstock.file.Disk;
import dev.penstock.file.NewFile;
import dev.penstock.file.StagedWrites;
import dev.penstock.table.TableFormat;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Writes rows to `steps.npy`, or to shards of a given number of rows. A file appears when it is complete.
///
/// **Threads.** One thread at a time.
final class StepsWriter implements AutoCloseable {
    private static final long STAGE_SIZE = 1L << 20;

    private final Disk disk;
    private final Path folder;
    private final boolean isWide;
    private final int rowSize;
    /// The number of rows of a shard, or 0 for a single file.
    private final long shardRows;

    private final String singleName;
    private final List<Part> parts = new ArrayList<>();
    private StepsShard nextShard;
    private Open open;

    /// A complete file.
    ///
    /// @param crc the CRC-32C of the whole file as eight hexadecimal digits, or null when it is not known
    record Part(String file, long rows, long bytes, String crc) {
        Map<String, Object> json() {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("file", file);
            json.put("rows", rows);
            json.put("bytes", bytes);
            json.put("crc32c", crc);
            return json;
        }
    }

    /// A file that is being written.
    private static final class Open {
        final NewFile file;
        final StagedWrites stage;
        final Crc32c crc = new Crc32c();
        long rows;

        Open(NewFile file) {
            this.file = file;
            this.stage = new StagedWrites(file, STAGE_SIZE);
        }
    }

    /// @param shardRows the number of rows of a shard, or 0 for a single file
    /// @param nextShard the first shard to write
    StepsWriter(Disk disk, Path folder, boolean isWide, long shardRows, StepsShard nextShard) {
        this(disk, folder, isWide, shardRows, nextShard, StepsFormat.FILE);
    }

    /// Writes a single file of any name, which it replaces.
    static StepsWriter ofFile(Disk disk, Path file, boolean isWide) {
        return new StepsWriter(
                disk, file.getParent(), isWide, 0, null, file.getFileName().toString());
    }

    private StepsWriter(
            Disk disk, Path folder, boolean isWide, long shardRows, StepsShard nextShard, String singleName) {
        this.singleName = singleName;
        this.disk = disk;
        this.folder = folder;
        this.isWide = isWide;
        this.rowSize = StepsFormat.rowSize(isWide);
        this.shardRows = shardRows;
        this.nextShard = nextShard;
    }

    /// The offset of the rows. The header of fewer than ten rows is shorter; [#publish] then moves the rows.
    private long dataOffset() {
        return StepsFormat.header(isWide, 10).length;
    }

    void append(MemorySegment rows) throws IOException {
        long done = 0;
        while (done < rows.byteSize()) {
            if (open == null) {
                begin();
            }
            long room = shardRows == 0 ? Long.MAX_VALUE / rowSize : shardRows - open.rows;
            long count = Math.min(room, (rows.byteSize() - done) / rowSize);
            MemorySegment piece = rows.asSlice(done, count * rowSize);
            open.stage.write(piece, dataOffset() + open.rows * rowSize);
            open.crc.update(piece);
            open.rows += count;
            done += count * rowSize;
            if (open.rows == shardRows) {
                publish();
            }
        }
    }

    private void begin() throws IOException {
        String name = singleName;
        if (shardRows > 0) {
            name = nextShard.file();
            nextShard = nextShard.next();
        }
        open = new Open(NewFile.createLike(disk, folder.resolve(name), folder.resolve(TableFormat.MANIFEST), true));
    }

    /// Completes the last file and returns all files in order. There is at least one.
    List<Part> finish() throws IOException {
        if (open == null && parts.isEmpty()) {
            begin();
        }
        if (open != null) {
            publish();
        }
        return parts;
    }

    private void publish() throws IOException {
        open.stage.flush();
        byte[] header = StepsFormat.header(isWide, open.rows);
        if (header.length < dataOffset()) {
            rewriteSmall(header);
            return;
        }
        open.file.write(MemorySegment.ofArray(header), 0);
        publish(header);
    }

    /// A few rows have a shorter header, and files are never shortened, so the rows are written to a new file.
    private void rewriteSmall(byte[] header) throws IOException {
        byte[] rows = new byte[(int) (open.rows * rowSize)];
        open.file.read(dataOffset(), MemorySegment.ofArray(rows));
        Open before = open;
        open = null;
        before.stage.close();
        before.file.close();
        Open again =
                new Open(NewFile.createLike(disk, before.file.target(), folder.resolve(TableFormat.MANIFEST), true));
        open = again;
        again.file.write(MemorySegment.ofArray(header), 0);
        again.file.write(MemorySegment.ofArray(rows), header.length);
        again.crc.update(MemorySegment.ofArray(rows));
        again.rows = before.rows;
        publish(header);
    }

    private void publish(byte[] header) throws IOException {
        long dataBytes = open.rows * rowSize;
        int whole = Crc32c.combine(Crc32c.of(MemorySegment.ofArray(header)), open.crc.value(), dataBytes);
        open.file.publish();
        parts.add(new Part(
                open.file.target().getFileName().toString(),
                open.rows,
                header.length + dataBytes,
                ChecksummedJson.hex(whole)));
        open.stage.close();
        open = null;
    }

    /// Discards an incomplete file.
    @Override
    public void close() throws IOException {
        if (open != null) {
            Open last = open;
            open = null;
            last.stage.close();
            last.file.close();
        }
    }
}
