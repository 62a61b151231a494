// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import com.google.flatbuffers.FlatBufferBuilder;
import dev.penstock.Batch;
import dev.penstock.Field;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flatbuf.Block;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.Endianness;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.Footer;
import org.apache.arrow.flatbuf.KeyValue;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.flatbuf.Schema;

/// Writes batches as an Arrow file (Feather version 2) or stream: the schema, and one record batch for each batch.
/// A file also has a footer with their offsets.
///
/// **Threads.** One thread at a time.
public final class ArrowOutput implements AutoCloseable {
    private static final byte[] MAGIC = "ARROW1".getBytes(StandardCharsets.US_ASCII);
    private static final int ALIGNMENT = 8;
    private static final int PREFIX_SIZE = 8;

    private final OutputStream out;
    private final List<Field> fields;
    private final boolean isStream;
    private final List<long[]> blocks = new ArrayList<>();
    private long position;

    /// Begins a file. The stream stays the caller's.
    public ArrowOutput(OutputStream out, List<Field> fields) throws IOException {
        this(out, fields, false, Map.of());
    }

    private ArrowOutput(OutputStream out, List<Field> fields, boolean isStream, Map<String, String> metadata)
            throws IOException {
        this.out = out;
        this.fields = fields;
        this.isStream = isStream;
        if (!isStream) {
            write(MAGIC);
            write(new byte[ALIGNMENT - MAGIC.length]);
        }
        write(schema(fields, metadata));
    }

    /// Begins a stream of Arrow, which has no footer.
    ///
    /// @param metadata what the schema says beside the fields
    static ArrowOutput stream(OutputStream out, List<Field> fields, Map<String, String> metadata) throws IOException {
        return new ArrowOutput(out, fields, true, metadata);
    }

    /// The message with the schema.
    static byte[] schema(List<Field> fields) {
        return schema(fields, Map.of());
    }

    private static byte[] schema(List<Field> fields, Map<String, String> metadata) {
        FlatBufferBuilder builder = new FlatBufferBuilder();
        return message(builder, MessageHeader.Schema, schema(builder, fields, metadata), 0);
    }

    /// The number of bytes so far.
    long size() {
        return position;
    }

    private static int schema(FlatBufferBuilder builder, List<Field> fields, Map<String, String> metadata) {
        int[] entries = metadata.entrySet().stream()
                .mapToInt(entry -> KeyValue.createKeyValue(
                        builder, builder.createString(entry.getKey()), builder.createString(entry.getValue())))
                .toArray();
        int notes = Schema.createCustomMetadataVector(builder, entries);
        int[] offsets = new int[fields.size()];
        for (int i = 0; i < offsets.length; i++) {
            offsets[i] = ArrowOutputColumn.field(builder, fields.get(i));
        }
        int vector = Schema.createFieldsVector(builder, offsets);
        Schema.startSchema(builder);
        Schema.addEndianness(builder, Endianness.Little);
        Schema.addFields(builder, vector);
        Schema.addCustomMetadata(builder, notes);
        return Schema.endSchema(builder);
    }

    /// Writes the rows of a batch, which has a column for each field.
    public void append(Batch batch) throws IOException {
        ArrowOutputColumn.Body body = new ArrowOutputColumn.Body();
        for (int i = 0; i < fields.size(); i++) {
            ArrowOutputColumn.add(body, batch.column(i), batch.rowCount());
        }
        FlatBufferBuilder builder = new FlatBufferBuilder();
        RecordBatch.startNodesVector(builder, body.nodes.size());
        for (long[] node : body.nodes.reversed()) {
            FieldNode.createFieldNode(builder, node[0], node[1]);
        }
        int nodes = builder.endVector();
        long bodySize = 0;
        List<Long> starts = new ArrayList<>();
        for (byte[] buffer : body.buffers) {
            starts.add(bodySize);
            bodySize += padded(buffer.length);
        }
        RecordBatch.startBuffersVector(builder, body.buffers.size());
        for (int i = body.buffers.size() - 1; i >= 0; i--) {
            Buffer.createBuffer(builder, starts.get(i), body.buffers.get(i).length);
        }
        int buffers = builder.endVector();
        RecordBatch.startRecordBatch(builder);
        RecordBatch.addLength(builder, batch.rowCount());
        RecordBatch.addNodes(builder, nodes);
        RecordBatch.addBuffers(builder, buffers);
        long start = position;
        write(message(builder, MessageHeader.RecordBatch, RecordBatch.endRecordBatch(builder), bodySize));
        blocks.add(new long[] {start, position - start, bodySize});
        for (byte[] buffer : body.buffers) {
            write(buffer);
            write(new byte[(int) (padded(buffer.length) - buffer.length)]);
        }
    }

    private static long padded(long size) {
        return Math.ceilDiv(size, ALIGNMENT) * ALIGNMENT;
    }

    private static byte[] message(FlatBufferBuilder builder, byte type, int header, long bodySize) {
        Message.startMessage(builder);
        Message.addVersion(builder, MetadataVersion.V5);
        Message.addHeaderType(builder, type);
        Message.addHeader(builder, header);
        Message.addBodyLength(builder, bodySize);
        builder.finish(Message.endMessage(builder));
        byte[] bytes = builder.sizedByteArray();
        int size = (int) padded(bytes.length);
        byte[] message = Arrays.copyOf(numbers(-1, size), PREFIX_SIZE + size);
        System.arraycopy(bytes, 0, message, PREFIX_SIZE, bytes.length);
        return message;
    }

    private static byte[] numbers(int first, int second) {
        return ByteBuffer.allocate(PREFIX_SIZE)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(first)
                .putInt(second)
                .array();
    }

    private void write(byte[] bytes) throws IOException {
        out.write(bytes);
        position += bytes.length;
    }

    /// Writes the end, with the footer of a file. The stream stays open.
    @Override
    public void close() throws IOException {
        write(numbers(-1, 0));
        if (isStream) {
            return;
        }
        FlatBufferBuilder builder = new FlatBufferBuilder();
        int schema = schema(builder, fields, Map.of());
        Footer.startRecordBatchesVector(builder, blocks.size());
        for (long[] block : blocks.reversed()) {
            Block.createBlock(builder, block[0], (int) block[1], block[2]);
        }
        int batches = builder.endVector();
        Footer.startDictionariesVector(builder, 0);
        int dictionaries = builder.endVector();
        Footer.startFooter(builder);
        Footer.addVersion(builder, MetadataVersion.V5);
        Footer.addSchema(builder, schema);
        Footer.addDictionaries(builder, dictionaries);
        Footer.addRecordBatches(builder, batches);
        builder.finish(Footer.endFooter(builder));
        byte[] footer = builder.sizedByteArray();
        write(footer);
        write(ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(footer.length)
                .array());
        write(MAGIC);
    }
}
