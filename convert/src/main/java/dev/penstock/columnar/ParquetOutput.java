// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Field;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Writes batches as a Parquet file: one row group for each batch, with one page for each column.
///
/// Values are in Parquet's plain encoding. Pages are compressed with zstd if that makes them smaller. Fields are
/// optional; a field with a shape is a list, or a list of lists.
///
/// **Threads.** One thread at a time.
///
/// Parquet files are written by our own code, Arrow files with Arrow's flatbuffer classes only
/// ([ArrowOutput]). The usual Parquet library is 20 MB with stubs of Hadoop; plain pages with zstd need 400
/// lines, and pyarrow reads them.
public final class ParquetOutput implements AutoCloseable {
    private static final byte[] MAGIC = "PAR1".getBytes(StandardCharsets.US_ASCII);
    private static final int PLAIN = 0;
    private static final int RLE = 3;

    private final OutputStream out;
    private final List<ParquetOutputColumn> columns;
    private final List<RowGroup> rowGroups = new ArrayList<>();
    private long position;
    private long rowCount;

    /// A written page.
    private record Chunk(long offset, long valueCount, long rawSize, long size, int codec) {}

    private record RowGroup(List<Chunk> chunks, long rows) {}

    /// Begins a file. The stream stays the caller's.
    public ParquetOutput(OutputStream out, List<Field> fields) throws IOException {
        this.out = out;
        this.columns = fields.stream().map(ParquetOutputColumn::new).toList();
        write(MAGIC);
    }

    private void write(byte[] bytes) throws IOException {
        out.write(bytes);
        position += bytes.length;
    }

    /// Writes the rows of a batch, which has a column for each field.
    public void append(Batch batch) throws IOException {
        List<Chunk> chunks = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            Column column = batch.column(i);
            chunks.add(write(columns.get(i).page(column, batch.rowCount())));
        }
        rowGroups.add(new RowGroup(chunks, batch.rowCount()));
        rowCount += batch.rowCount();
    }

    private Chunk write(ParquetOutputColumn.Page page) throws IOException {
        byte[] stored = ParquetOutputColumn.compressed(page.bytes());
        boolean isCompressed = stored.length < page.bytes().length;
        byte[] body = isCompressed ? stored : page.bytes();
        int codec = isCompressed ? ParquetOutputColumn.ZSTD : 0;
        // The chunk stores its codec, so a page that does not get smaller is stored uncompressed.
        byte[] header = new ThriftOutput()
                .i32(1, 0)
                .i32(2, page.bytes().length)
                .i32(3, body.length)
                .struct(5)
                .i32(1, Math.toIntExact(page.valueCount()))
                .i32(2, PLAIN)
                .i32(3, RLE)
                .i32(4, RLE)
                .close()
                .bytes();
        long offset = position;
        write(header);
        write(body);
        return new Chunk(
                offset,
                page.valueCount(),
                (long) header.length + page.bytes().length,
                (long) header.length + body.length,
                codec);
    }

    private byte[] footer() {
        ThriftOutput thrift = new ThriftOutput().i32(1, 1);
        int elementCount =
                1 + columns.stream().mapToInt(ParquetOutputColumn::elementCount).sum();
        thrift.structs(2, elementCount);
        thrift.open().text(4, "schema").i32(5, columns.size()).close();
        columns.forEach(column -> column.describe(thrift));
        thrift.i64(3, rowCount).structs(4, rowGroups.size());
        for (RowGroup group : rowGroups) {
            thrift.open().structs(1, columns.size());
            long size = 0;
            for (int i = 0; i < columns.size(); i++) {
                Chunk chunk = group.chunks.get(i);
                describe(thrift, columns.get(i), chunk);
                size += chunk.rawSize;
            }
            thrift.i64(2, size).i64(3, group.rows).close();
        }
        return thrift.text(6, "penstock").bytes();
    }

    private static void describe(ThriftOutput thrift, ParquetOutputColumn column, Chunk chunk) {
        List<String> path = column.path();
        thrift.open()
                .i64(2, chunk.offset)
                .struct(3)
                .i32(1, column.physicalType())
                .numbers(2, PLAIN, RLE)
                .texts(3, path, path.size())
                .i32(4, chunk.codec)
                .i64(5, chunk.valueCount)
                .i64(6, chunk.rawSize)
                .i64(7, chunk.size)
                .i64(9, chunk.offset)
                .close()
                .close();
    }

    /// Writes the footer. The stream stays open.
    @Override
    public void close() throws IOException {
        byte[] footer = footer();
        write(footer);
        write(ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(footer.length)
                .array());
        write(MAGIC);
    }
}
