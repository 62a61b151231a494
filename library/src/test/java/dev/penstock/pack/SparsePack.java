// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import dev.penstock.file.Crc32c;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// Packs that are large on paper and small on disk: records of zeros that begin with their number, in a file with
/// holes.
final class SparsePack {
    /// Beyond this only records with a checksum have a head, since each head takes a block of the disk.
    private static final int HEADS_MAX = 1000;

    private SparsePack() {}

    /// Writes header, index, the heads of the records, and footer.
    ///
    /// @param stride bytes from one record to the next
    static void write(Path file, int count, long recordSize, long stride) throws IOException {
        MemorySegment entries = MemorySegment.ofArray(new byte[Math.toIntExact(count * PackFormat.ENTRY_SIZE)]);
        long dataStart = PackFormat.indexEnd(count);
        long dataEnd = dataStart + (count - 1) * stride + recordSize;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            Crc32c crc = new Crc32c();
            MemorySegment zeros = MemorySegment.ofArray(new byte[1 << 20]);
            for (int i = 0; i < count; i++) {
                long offset = dataStart + i * stride;
                byte[] head = head(i);
                // The checksum of the zeros takes long, so only few records have one.
                boolean hasCrc = i % 100 == 0 && recordSize < 1 << 20;
                int recordCrc = hasCrc ? crcOf(crc, head, zeros.asSlice(0, recordSize - head.length)) : 0;
                new PackEntry(offset, recordSize, 0, 0, recordCrc, 0).write(entries, i * PackFormat.ENTRY_SIZE);
                if (hasCrc || count < HEADS_MAX) {
                    channel.write(ByteBuffer.wrap(head), offset);
                }
            }
            channel.write(new PackHeader(false, count).write().asByteBuffer(), 0);
            channel.write(entries.asByteBuffer(), PackFormat.HEADER_SIZE);
            PackFooter footer = new PackFooter(dataEnd, Crc32c.of(entries), 0, 0, 0);
            channel.write(footer.write().asByteBuffer(), dataEnd);
        }
    }

    /// The first bytes of the record at an index.
    static byte[] head(long index) {
        return String.format("record %08d", index).getBytes(StandardCharsets.US_ASCII);
    }

    private static int crcOf(Crc32c crc, byte[] head, MemorySegment zeros) {
        crc.reset();
        crc.update(MemorySegment.ofArray(head));
        crc.update(zeros);
        return crc.value();
    }
}
