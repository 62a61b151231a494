// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static dev.penstock.file.Layouts.U32;
import static dev.penstock.file.Layouts.U64;

import dev.penstock.file.Layouts;
import java.lang.foreign.MemorySegment;

/// The place of a value, as stored in a slot of a table. [StoreFormat] describes the layout.
///
/// @param chunk  the id of the chunk, as an unsigned number
/// @param offset the offset of the stored bytes in the chunk
/// @param size   the number of stored bytes
record StoreEntry(long chunk, long offset, long size) {
    /// The value of the field is missing.
    static final StoreEntry MISSING = new StoreEntry(0, 0, 0);
    /// The value is empty.
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

    void write(MemorySegment bytes, long at) {
        bytes.set(U32, at + CHUNK_OFFSET, (int) chunk);
        bytes.set(U64, at + OFFSET_OFFSET, offset);
        bytes.set(U32, at + SIZE_OFFSET, (int) size);
    }

    /// Creates an entry from the two numbers that represent it in memory: [#chunkAndSize] and its offset.
    static StoreEntry of(long chunkAndSize, long offset) {
        return new StoreEntry(chunkAndSize >>> Integer.SIZE, offset, chunkAndSize & 0xFFFF_FFFFL);
    }

    /// Chunk and size in one number, the chunk in the upper half.
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

    /// Whether readers see no value.
    boolean isMissing() {
        return size == 0 && chunk != EMPTY.chunk;
    }
}
