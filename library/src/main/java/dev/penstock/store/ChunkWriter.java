// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static dev.penstock.file.Layouts.U32;
import static dev.penstock.file.Layouts.U8;

import dev.penstock.Buffer;
import dev.penstock.file.Crc32c;
import dev.penstock.file.Layouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Set;

/// Compresses values and places them in a chunk of its own, and starts a new chunk when it is full.
///
/// Values are buffered in memory and written together.
///
/// **Ownership.** Owns the buffer and the compressors. **Threads.** One thread at a time, which [ChunkWriters]
/// ensures.
final class ChunkWriter implements AutoCloseable {
    /// The size to which the buffer grows by doubling.
    private static final long STAGE_SIZE = 1L << 20;

    private static final long STAGE_SIZE_MIN = 16L << 10;

    private final ChunkWriters chunks;
    private final long rowsMax;
    private final long bytesMax;
    private final ValuePacker packer = new ValuePacker();
    private ChunkFile file;
    /// The offset of the buffered bytes in the chunk.
    private long position;

    private long rows;
    private final Buffer stage = new Buffer();
    /// The memory of the buffer, and the same memory for the checksum: a view for each value would be an object.
    private MemorySegment staged;

    /// Null if the memory is too large for it.
    private ByteBuffer bytes;
    private long stagedBytes;
    private final Crc32c crc = new Crc32c();

    ChunkWriter(ChunkWriters chunks, long rowsMax, long bytesMax) {
        this.chunks = chunks;
        this.rowsMax = rowsMax;
        this.bytesMax = bytesMax;
    }

    /// Continues a chunk that the previous writer closed properly.
    void adopt(StoreMeta.OpenChunk open, ChunkFile openFile) {
        file = openFile;
        position = Layouts.alignUp(open.position(), StoreFormat.ALIGNMENT);
        rows = open.rows();
    }

    /// The chunk that can be continued after the written bytes, or null.
    StoreMeta.OpenChunk open() {
        return file == null ? null : new StoreMeta.OpenChunk(file.id(), position, rows);
    }

    /// The place of a value.
    record Placed(StoreEntry entry, int crc) {}

    /// Starts a row: all its values go to the same chunk.
    void beginRow() throws IOException {
        if (file != null && (rows >= rowsMax || position + stagedBytes >= bytesMax)) {
            flush();
            seal();
        }
        if (file == null) {
            file = chunks.create();
            position = 0;
            rows = 0;
        }
        rows++;
    }

    /// Compresses a value and places it.
    ///
    /// @param value memory that is not mapped
    Placed pack(StoreCompression compression, MemorySegment value) throws IOException {
        return place(packer.pack(compression, value), value.byteSize());
    }

    /// Places stored bytes with their prefix.
    ///
    /// @param stored memory that is not mapped
    Placed place(MemorySegment stored, long rawSize) throws IOException {
        long size = stored.byteSize();
        long allSize = Layouts.alignUp(StoreFormat.PREFIX_SIZE + size, StoreFormat.ALIGNMENT);
        if (stagedBytes > 0 && stagedBytes + allSize > STAGE_SIZE) {
            flush();
        }
        MemorySegment all = room(stagedBytes + allSize);
        all.set(U32, stagedBytes + StoreValues.SIZE_OFFSET, (int) rawSize);
        long start = stagedBytes + StoreFormat.PREFIX_SIZE;
        MemorySegment.copy(stored, 0, all, start, size);
        for (long at = start + size; at < stagedBytes + allSize; at++) {
            all.set(U8, at, (byte) 0);
        }
        int checksum = checksum(all, stagedBytes + StoreValues.SIZE_OFFSET, U32.byteSize() + size);
        all.set(U32, stagedBytes + StoreValues.CRC_OFFSET, checksum);
        StoreEntry entry = new StoreEntry(file.id(), position + stagedBytes + StoreFormat.PREFIX_SIZE, size);
        stagedBytes += allSize;
        return new Placed(entry, checksum);
    }

    private int checksum(MemorySegment all, long start, long byteCount) {
        if (bytes == null) {
            crc.reset();
            crc.update(all.asSlice(start, byteCount));
            return crc.value();
        }
        return crc.of(bytes, (int) start, (int) byteCount);
    }

    private MemorySegment room(long byteCount) {
        MemorySegment room = stage.extend(Math.max(byteCount, STAGE_SIZE_MIN));
        if (room != staged) {
            staged = room;
            bytes = room.byteSize() <= Integer.MAX_VALUE ? room.asByteBuffer() : null;
        }
        return room;
    }

    /// Writes the buffered bytes.
    void flush() throws IOException {
        if (stagedBytes > 0) {
            file.write(stage.segment().asSlice(0, stagedBytes), position);
            position += stagedBytes;
            stagedBytes = 0;
            if (stage.size() > 2 * STAGE_SIZE) {
                stage.trim();
            }
        }
    }

    /// Continues in a new chunk if the open one is among these.
    void seal(Set<Long> ids) throws IOException {
        if (file != null && ids.contains(file.id())) {
            flush();
            seal();
        }
    }

    /// A full chunk is forced at once, so that each writer has only one open chunk.
    private void seal() throws IOException {
        file.force();
        chunks.close(file);
        file = null;
    }

    /// Abandons the chunk after a failed write: the buffered bytes are garbage.
    void discard() throws IOException {
        stagedBytes = 0;
        ChunkFile broken = file;
        file = null;
        if (broken != null) {
            chunks.giveUp(broken);
        }
    }

    @Override
    public void close() {
        stage.close();
        packer.close();
    }
}
