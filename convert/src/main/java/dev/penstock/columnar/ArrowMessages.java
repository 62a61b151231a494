// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.Reason;
import dev.penstock.file.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.flatbuf.Block;
import org.apache.arrow.flatbuf.Footer;
import org.apache.arrow.flatbuf.Message;

/// The messages of an Arrow file or stream: the schema, dictionaries and record batches.
///
/// A file has a footer with the places of the messages. A stream is read from message to message.
final class ArrowMessages {
    static final byte[] MAGIC = "ARROW1".getBytes(StandardCharsets.US_ASCII);
    private static final int CONTINUATION = -1;
    private static final int PREFIX_SIZE = 8;
    private static final int MESSAGE_SIZE_MAX = 1 << 28;
    private static final int BLOCK_COUNT_MAX = 1 << 24;

    private final Disk.Readable file;
    private final long size;
    private final List<Long> blocks;
    private int nextBlock;
    private long offset;

    /// A message.
    ///
    /// @param offset   its offset in the file
    /// @param body     the offset of its body
    /// @param bodySize the size of its body
    record Entry(Message message, long offset, long body, long bodySize) {}

    private ArrowMessages(Disk.Readable file, long size, List<Long> blocks, long offset) {
        this.file = file;
        this.size = size;
        this.blocks = blocks;
        this.offset = offset;
    }

    /// Begins with the first message, which is the schema.
    ///
    /// @throws Damage when the bytes are not those of a file or stream
    static ArrowMessages open(Disk.Readable file) throws IOException {
        long size = file.size();
        byte[] head = ParquetFooter.bytes(file, 0, (int) Math.min(size, PREFIX_SIZE));
        boolean isFile = head.length == PREFIX_SIZE && Arrays.equals(head, 0, MAGIC.length, MAGIC, 0, MAGIC.length);
        return isFile
                ? new ArrowMessages(file, size, blocks(file, size), PREFIX_SIZE)
                : new ArrowMessages(file, size, null, 0);
    }

    private static List<Long> blocks(Disk.Readable file, long size) throws IOException {
        int tailSize = Integer.BYTES + MAGIC.length;
        Damage.require(size >= PREFIX_SIZE + tailSize, Reason.TRUNCATED, "the file is cut off");
        byte[] tail = ParquetFooter.bytes(file, size - tailSize, tailSize);
        int footerSize = (int) Dense.INT.get(tail, 0);
        boolean isWhole = Arrays.equals(tail, Integer.BYTES, tailSize, MAGIC, 0, MAGIC.length)
                && footerSize > 0
                && footerSize <= size - tailSize - PREFIX_SIZE
                && footerSize <= MESSAGE_SIZE_MAX;
        Damage.require(
                isWhole,
                Reason.TRUNCATED,
                "it does not end with the footer of an Arrow file: the file is cut off, or is still being written");
        Footer footer = Footer.getRootAsFooter(
                ByteBuffer.wrap(ParquetFooter.bytes(file, size - tailSize - footerSize, footerSize))
                        .order(ByteOrder.LITTLE_ENDIAN));
        List<Long> blocks = new ArrayList<>();
        int dictionaries = footer.dictionariesLength();
        int batches = footer.recordBatchesLength();
        boolean isCount = dictionaries >= 0 && batches >= 0 && (long) dictionaries + batches <= BLOCK_COUNT_MAX;
        Damage.require(isCount, Reason.OUT_OF_RANGE, "it has too many messages");
        for (int i = 0; i < dictionaries; i++) {
            blocks.add(offset(footer.dictionaries(i), size));
        }
        for (int i = 0; i < batches; i++) {
            blocks.add(offset(footer.recordBatches(i), size));
        }
        return blocks;
    }

    private static long offset(Block block, long size) {
        boolean isInside = block.offset() >= PREFIX_SIZE && block.offset() < size;
        Damage.require(isInside, Reason.OUT_OF_RANGE, "the footer names a message outside of the file");
        return block.offset();
    }

    /// The offset behind the last message that was read.
    long offset() {
        return offset;
    }

    /// The next message, or null when there are no more.
    Entry next() throws IOException {
        if (blocks != null && nextBlock > 0) {
            if (nextBlock > blocks.size()) {
                return null;
            }
            offset = blocks.get(nextBlock - 1);
        }
        nextBlock++;
        return message();
    }

    private Entry message() throws IOException {
        long start = offset;
        if (size - start < Integer.BYTES) {
            Damage.require(start == size && start > 0, Reason.TRUNCATED, "the stream is cut off");
            return null;
        }
        byte[] prefix = ParquetFooter.bytes(file, start, (int) Math.min(PREFIX_SIZE, size - start));
        int length = (int) Dense.INT.get(prefix, 0);
        long at = start + Integer.BYTES;
        if (length == CONTINUATION) {
            Damage.require(prefix.length == PREFIX_SIZE, Reason.TRUNCATED, "the stream is cut off");
            length = (int) Dense.INT.get(prefix, Integer.BYTES);
            at = start + PREFIX_SIZE;
        }
        if (length == 0) {
            return null;
        }
        Damage.require(
                length > 0 && length <= MESSAGE_SIZE_MAX, Reason.OUT_OF_RANGE, "a message of " + length + " bytes");
        Damage.require(length <= size - at, Reason.TRUNCATED, "a message is cut off");
        Message message = Message.getRootAsMessage(
                ByteBuffer.wrap(ParquetFooter.bytes(file, at, length)).order(ByteOrder.LITTLE_ENDIAN));
        long body = at + length;
        long bodySize = message.bodyLength();
        Damage.require(bodySize >= 0 && bodySize <= size - body, Reason.TRUNCATED, "the body of a message is cut off");
        offset = body + bodySize;
        return new Entry(message, start, body, bodySize);
    }
}
