// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file.cache;

import dev.penstock.file.Crc32c;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// A file with one block of a remote object: a header of [#HEADER_SIZE] bytes, then the bytes of the block.
///
/// A file is written under another name, renamed, and never changed. It is not forced: after a power failure its
/// checksum tells whether its bytes arrived.
///
/// | offset | size | type | field | rule |
/// |---|---|---|---|---|
/// | 0 | 8 | u64 | magic | [#MAGIC] |
/// | 8 | 16 | u64 x 2 | key | the key of the object and its version |
/// | 24 | 8 | u64 | object_size | the size of the object |
/// | 32 | 8 | u64 | block | the index of the block |
/// | 40 | 4 | u32 | size | the number of bytes that follow the header |
/// | 44 | 4 | u32 | crc | CRC-32C of these bytes |
/// | 48 | 4 | u32 | header_crc | CRC-32C of the 48 bytes before |
/// | 52 | 12 | | zero | |
final class BlockFile {
    static final int HEADER_SIZE = 64;

    /// `PNSTKBL1`.
    static final long MAGIC = 0x314c424b54534e50L;

    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int KEY_OFFSET = 8;
    private static final int OBJECT_SIZE_OFFSET = 24;
    private static final int BLOCK_OFFSET = 32;
    private static final int SIZE_OFFSET = 40;
    private static final int CRC_OFFSET = 44;
    private static final int HEADER_CRC_OFFSET = 48;

    private BlockFile() {}

    /// Makes the header of a block.
    static MemorySegment header(ObjectKey key, long blockIndex, MemorySegment bytes) {
        MemorySegment header = MemorySegment.ofArray(new byte[HEADER_SIZE]);
        header.set(U64, 0, MAGIC);
        header.set(U64, KEY_OFFSET, key.high());
        header.set(U64, KEY_OFFSET + 8, key.low());
        header.set(U64, OBJECT_SIZE_OFFSET, key.size());
        header.set(U64, BLOCK_OFFSET, blockIndex);
        header.set(U32, SIZE_OFFSET, Math.toIntExact(bytes.byteSize()));
        header.set(U32, CRC_OFFSET, Crc32c.of(bytes));
        header.set(U32, HEADER_CRC_OFFSET, Crc32c.of(header.asSlice(0, HEADER_CRC_OFFSET)));
        return header;
    }

    /// Whether a header and the bytes behind it are those of a block.
    ///
    /// @param file the whole file, in private memory
    static boolean isBlock(MemorySegment file, ObjectKey key, long blockIndex) {
        return file.byteSize() == HEADER_SIZE + key.blockSize(blockIndex)
                && file.get(U64, 0) == MAGIC
                && file.get(U64, KEY_OFFSET) == key.high()
                && file.get(U64, KEY_OFFSET + 8) == key.low()
                && file.get(U64, OBJECT_SIZE_OFFSET) == key.size()
                && file.get(U64, BLOCK_OFFSET) == blockIndex
                && file.get(U32, SIZE_OFFSET) == key.blockSize(blockIndex)
                && file.get(U32, HEADER_CRC_OFFSET) == Crc32c.of(file.asSlice(0, HEADER_CRC_OFFSET))
                && file.get(U32, CRC_OFFSET) == Crc32c.of(file.asSlice(HEADER_SIZE));
    }
}
