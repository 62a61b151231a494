// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.Batch;
import dev.penstock.ElementType;
import dev.penstock.Field;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/// Writes batches as a Parquet file. A row group has up to a million rows or 64 MiB, in one page for each batch
/// and column.
///
/// Values are in Parquet's plain encoding. Pages are compressed with zstd if that makes them smaller. Fields are
/// optional; a field with a shape is a list, or a list of lists. The schema of Arrow under the key
/// `ARROW:schema` keeps the shapes.
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
    private final byte[] schema;
    private ParquetGroup group;
    private long position;
    private long rowCount;

    /// The written pages of a column.
    private record Chunk(long offset, long valueCount, long rawSize, long size, int codec) {}

    private record RowGroup(List<Chunk> chunks, long rows) {}

    /// Begins a file. The stream stays the caller's.
    public ParquetOutput(OutputStream out, List<Field> fields) throws IOException {
        this.out = out;
        this.columns = fields.stream().map(ParquetOutputColumn::new).toList();
        this.group = new ParquetGroup(columns);
        // Half floats are written as floats, because older readers do not know them.
        this.schema = ArrowOutput.schema(fields.stream()
                .map(field -> field.type() == ElementType.F16
                        ? new Field(field.name(), ElementType.F32, Float.BYTES, field.shape(), field.isVariable())
                        : field)
                .toList());
        write(MAGIC);
    }

    private void write(byte[] bytes) throws IOException {
        out.write(bytes);
        position += bytes.length;
    }

    /// Adds the rows of a batch, which has a column for each field, to the row group. A full group is written.
    public void append(Batch batch) throws IOException {
        group.add(batch);
        rowCount += batch.rowCount();
        if (group.isFull()) {
            flush();
        }
    }

    private void flush() throws IOException {
        List<Chunk> chunks = new ArrayList<>();
        for (ParquetGroup.Chunk chunk : group.chunks()) {
            byte[] pages = chunk.bytes();
            chunks.add(new Chunk(position, chunk.valueCount(), chunk.rawSize(), pages.length, chunk.codec()));
            write(pages);
        }
        rowGroups.add(new RowGroup(chunks, group.rowCount()));
        group = new ParquetGroup(columns);
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
        thrift.structs(5, 1)
                .open()
                .text(1, "ARROW:schema")
                .text(2, Base64.getEncoder().encodeToString(schema))
                .close();
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
        if (group.rowCount() > 0) {
            flush();
        }
        byte[] footer = footer();
        write(footer);
        write(ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(footer.length)
                .array());
        write(MAGIC);
    }
}
