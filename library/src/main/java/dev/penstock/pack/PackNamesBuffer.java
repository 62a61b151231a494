// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import static dev.penstock.file.Layouts.U32;
import static dev.penstock.file.Layouts.U64;

import dev.penstock.Buffer;
import dev.penstock.file.Crc32c;
import dev.penstock.file.NewFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/// The names of a pack that is being written, in growing off-heap buffers.
final class PackNamesBuffer implements AutoCloseable {
    private final Buffer starts = new Buffer();
    private final Buffer text = new Buffer();
    private long count;
    private long textBytes;

    boolean isEmpty() {
        return count == 0;
    }

    void add(String name) {
        MemorySegment bytes = MemorySegment.ofArray(name.getBytes(StandardCharsets.UTF_8));
        MemorySegment.copy(bytes, 0, text.extend(textBytes + bytes.byteSize()), textBytes, bytes.byteSize());
        textBytes += bytes.byteSize();
        count++;
        starts.extend((count + 1) * U64.byteSize()).set(U64, count * U64.byteSize(), textBytes);
    }

    /// The size of the block in bytes, or 0 when there are no names.
    long blockSize() {
        return isEmpty() ? 0 : PackNames.sizeOf(count, textBytes);
    }

    /// Writes the block, if there are names.
    void write(NewFile file, long offset) throws IOException {
        if (isEmpty()) {
            return;
        }
        MemorySegment head = MemorySegment.ofArray(new byte[(int) PackFormat.NAMES_HEAD_SIZE]);
        head.copyFrom(MemorySegment.ofArray(PackFormat.NAMES_MAGIC));
        head.set(U64, PackNames.BLOCK_SIZE_OFFSET, blockSize());
        starts.segment().set(U64, 0, 0L);
        MemorySegment[] parts = {
            head,
            starts.segment().asSlice(0, (count + 1) * U64.byteSize()),
            text.segment().asSlice(0, textBytes)
        };
        Crc32c crc = new Crc32c();
        long end = offset;
        for (MemorySegment part : parts) {
            crc.update(part);
            file.write(part, end);
            end += part.byteSize();
        }
        MemorySegment tail = MemorySegment.ofArray(new byte[(int) PackFormat.CRC_SIZE]);
        tail.set(U32, 0, crc.value());
        file.write(tail, end);
    }

    @Override
    public void close() {
        starts.close();
        text.close();
    }
}
