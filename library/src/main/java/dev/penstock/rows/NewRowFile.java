// SPDX-License-Identifier: Apache-2.0
package dev.penstock.rows;

import dev.penstock.memory.ChecksummedJson;
import dev.penstock.memory.Crc32c;
import dev.penstock.memory.NewFile;
import dev.penstock.memory.StagedWrites;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.function.LongFunction;

/// A header and rows behind it, in one file that grows row by row and appears when it is published.
///
/// The header has the same size for every count of rows, so it is written last, into the room kept for it.
///
/// **Threads.** One at a time.
public final class NewRowFile implements RowFileWriter {
    private static final long STAGE_SIZE = 1L << 20;

    /// A file that was published.
    ///
    /// @param name  of the file in its folder
    /// @param bytes of the file
    /// @param crc   the CRC-32C of the file, as it is written in lists of files
    public record Published(String name, long rows, long bytes, String crc) {}

    private final NewFile file;
    private final long rowSize;
    private final LongFunction<byte[]> header;
    private final long dataOffset;
    private final StagedWrites stage;
    private final Crc32c crc = new Crc32c();
    private long rowCount;

    /// @param file   new and empty, owned from now on
    /// @param header the bytes of the header for a count of rows; always as many
    public NewRowFile(NewFile file, long rowSize, LongFunction<byte[]> header) {
        this.file = file;
        this.rowSize = rowSize;
        this.header = header;
        this.dataOffset = header.apply(0).length;
        this.stage = new StagedWrites(file, STAGE_SIZE);
    }

    @Override
    public long rowCount() {
        return rowCount;
    }

    @Override
    public long size() {
        return dataOffset + rowCount * rowSize;
    }

    @Override
    public void append(MemorySegment rows, long count) throws IOException {
        stage.write(rows, size());
        crc.update(rows);
        rowCount = Math.addExact(rowCount, count);
    }

    /// Completes the file and gives it its name, durably.
    public Published publish() throws IOException {
        stage.flush();
        MemorySegment bytes = MemorySegment.ofArray(header.apply(rowCount));
        file.write(bytes, 0);
        file.publish();
        int whole = Crc32c.combine(Crc32c.of(bytes), crc.value(), size() - dataOffset);
        return new Published(file.target().getFileName().toString(), rowCount, size(), ChecksummedJson.hex(whole));
    }

    @Override
    public void close() throws IOException {
        stage.close();
        file.close();
    }
}
