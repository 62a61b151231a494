// SPDX-License-Identifier: Apache-2.0
package dev.penstock.rows;

import dev.penstock.file.ChecksummedJson;
import dev.penstock.file.Crc32c;
import dev.penstock.file.JsonObject;
import dev.penstock.file.NewFile;
import dev.penstock.file.StagedWrites;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/// A file of a header and rows that is written row by row and published when it is complete.
///
/// The header has the same size for every number of rows, so it is written last, into reserved space.
///
/// **Threads.** One thread at a time.
public final class NewRowFile implements RowFileWriter {
    private static final long STAGE_SIZE = 1L << 20;

    /// A published file, as manifests list it.
    ///
    /// @param name  the name of the file in its folder
    /// @param bytes the size of the file
    /// @param crc   the CRC-32C of the file as eight hexadecimal digits, or null when the file is older than the
    ///              manifest
    public record Published(String name, long rows, long bytes, String crc) {
        private static final Pattern CRC = Pattern.compile("[0-9a-f]{8}");

        /// Reads an entry of a manifest.
        ///
        /// @param isName whether a name is possible; it must not lead out of the folder
        /// @throws IllegalArgumentException when a value is invalid
        public static Published read(JsonObject entry, Predicate<String> isName) {
            String name = entry.text("file");
            JsonObject.require(isName.test(name), "name of a shard");
            long rows = entry.whole("rows");
            long bytes = entry.whole("bytes");
            JsonObject.require(rows >= 0 && bytes >= 0, "size of a shard");
            String crc = entry.values().get("crc32c") == null ? null : entry.text("crc32c");
            JsonObject.require(crc == null || CRC.matcher(crc).matches(), "checksum of a shard");
            return new Published(name, rows, bytes, crc);
        }

        /// The entry of a manifest.
        public Map<String, Object> values() {
            Map<String, Object> values = new LinkedHashMap<>();
            values.put("file", name);
            values.put("rows", rows);
            values.put("bytes", bytes);
            values.put("crc32c", crc);
            return values;
        }
    }

    private final NewFile file;
    private final long rowSize;
    private final LongFunction<byte[]> header;
    private final long dataOffset;
    private final StagedWrites stage;
    private final Crc32c crc = new Crc32c();
    private long rowCount;

    /// @param file   a new and empty file, owned from now on
    /// @param header the bytes of the header for a number of rows; always of the same size
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

    /// Completes the file and publishes it durably.
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
