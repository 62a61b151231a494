// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.Batch;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// The row group that is being written: for each column the pages of the batches so far, with their headers.
///
/// **Threads.** One thread at a time.
final class ParquetGroup {
    private static final int PLAIN = 0;
    private static final int RLE = 3;
    private static final long ROWS_MAX = 1 << 20;
    private static final long BYTES_MAX = 64L << 20;

    private final List<ParquetOutputColumn> columns;
    private final List<Chunk> chunks = new ArrayList<>();
    private long rowCount;
    private long rawSize;

    /// The pages of a column. All have the codec that made the first page smaller.
    static final class Chunk {
        private final ByteArrayOutputStream pages = new ByteArrayOutputStream();
        private int codec = -1;
        private long valueCount;
        private long rawSize;

        int codec() {
            return codec;
        }

        long valueCount() {
            return valueCount;
        }

        /// The size of the pages before they were compressed, with their headers.
        long rawSize() {
            return rawSize;
        }

        byte[] bytes() {
            return pages.toByteArray();
        }

        private void add(ParquetOutputColumn.Page page) {
            byte[] raw = page.bytes();
            byte[] packed = codec == 0 ? raw : ParquetOutputColumn.compressed(raw);
            if (codec < 0) {
                codec = packed.length < raw.length ? ParquetOutputColumn.ZSTD : 0;
            }
            byte[] body = codec == 0 ? raw : packed;
            byte[] header = new ThriftOutput()
                    .i32(1, 0)
                    .i32(2, raw.length)
                    .i32(3, body.length)
                    .struct(5)
                    .i32(1, Math.toIntExact(page.valueCount()))
                    .i32(2, PLAIN)
                    .i32(3, RLE)
                    .i32(4, RLE)
                    .close()
                    .bytes();
            pages.writeBytes(header);
            pages.writeBytes(body);
            valueCount += page.valueCount();
            rawSize += (long) header.length + raw.length;
        }
    }

    ParquetGroup(List<ParquetOutputColumn> columns) {
        this.columns = columns;
        columns.forEach(column -> chunks.add(new Chunk()));
    }

    /// Adds a page for each column.
    void add(Batch batch) throws IOException {
        rawSize = 0;
        for (int i = 0; i < columns.size(); i++) {
            chunks.get(i).add(columns.get(i).page(batch.column(i), batch.rowCount()));
            rawSize += chunks.get(i).rawSize;
        }
        rowCount += batch.rowCount();
    }

    List<Chunk> chunks() {
        return chunks;
    }

    long rowCount() {
        return rowCount;
    }

    boolean isFull() {
        return rowCount >= ROWS_MAX || rawSize >= BYTES_MAX;
    }
}
