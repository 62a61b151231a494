// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static dev.penstock.memory.Layouts.U32;
import static dev.penstock.memory.Layouts.U64;

import dev.penstock.memory.Layouts;
import java.lang.foreign.MemorySegment;

/// Where a value is, as a slot of a table says it; [StoreFormat] has the layout.
///
/// @param chunk  id of the chunk, as an unsigned number
/// @param offset of the stored bytes in the chunk
/// @param size   stored bytes
record StoreEntry(long chunk, long offset, long size) {
    /// The record has no value in the field.
    static final StoreEntry MISSING = new StoreEntry(0, 0, 0);
    /// The value has no bytes.
    static final StoreEntry EMPTY = new StoreEntry(0xFFFF_FFFFL, 0, 0);
    /// The record was deleted.
    static final StoreEntry DELETED = new StoreEntry(0xFFFF_FFFEL, 0, 0);

    private static final long CHUNK_OFFSET = Layouts.offset(StoreFormat.ENTRY, "chunk");
    private static final long OFFSET_OFFSET = Layouts.offset(StoreFormat.ENTRY, "offset");
    private static final long SIZE_OFFSET = Layouts.offset(StoreFormat.ENTRY, "size");

    static StoreEntry read(MemorySegment bytes, long at) {
        return new StoreEntry(
                Layouts.u32(bytes, at + CHUNK_OFFSET),
                bytes.get(U64, at + OFFSET_OFFSET),
                Layouts.u32(bytes, at + SIZE_OFFSET));
    }

    /// [#chunkAndSize] of an entry.
    static long chunkAndSizeOf(MemorySegment bytes, long at) {
        return Layouts.u32(bytes, at + CHUNK_OFFSET) << Integer.SIZE | Layouts.u32(bytes, at + SIZE_OFFSET);
    }

    /// The offset of an entry.
    static long offsetOf(MemorySegment bytes, long at) {
        return bytes.get(U64, at + OFFSET_OFFSET);
    }

    void write(MemorySegment bytes, long at) {
        bytes.set(U32, at + CHUNK_OFFSET, (int) chunk);
        bytes.set(U64, at + OFFSET_OFFSET, offset);
        bytes.set(U32, at + SIZE_OFFSET, (int) size);
    }

    /// An entry out of the two numbers that stand for it in memory: [#chunkAndSize] and its offset.
    static StoreEntry of(long chunkAndSize, long offset) {
        return new StoreEntry(chunkAndSize >>> Integer.SIZE, offset, chunkAndSize & 0xFFFF_FFFFL);
    }

    /// Chunk and size in one number, the chunk in its upper half.
    long chunkAndSize() {
        return chunk << Integer.SIZE | size;
    }

    /// Whether there are stored bytes.
    boolean hasBytes() {
        return size > 0;
    }

    boolean isDeleted() {
        return size == 0 && chunk == DELETED.chunk;
    }

    /// Whether a reader is to see no value.
    boolean isMissing() {
        return size == 0 && chunk != EMPTY.chunk;
    }
}
