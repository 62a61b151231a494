// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import dev.penstock.Buffer;
import dev.penstock.file.Codec;
import dev.penstock.file.Crc32c;
import java.lang.foreign.MemorySegment;

/// Prepares records for a pack, on one thread: compresses them if that makes them smaller, and computes the
/// checksum.
final class PackCompressor implements AutoCloseable {
    private final Codec codec;
    private final Codec.Packer packer;
    private final Crc32c crc = new Crc32c();
    private final Buffer packed = new Buffer();

    PackCompressor(Codec codec, int level) {
        this.codec = codec;
        this.packer = codec == Codec.NONE ? null : codec.packer(level);
    }

    /// Returns the stored form. It refers to the record or to this compressor's memory, and is valid until the
    /// next call.
    StoredRecord store(MemorySegment record, boolean hasCrc) {
        MemorySegment stored = record;
        if (packer != null && record.byteSize() > 0 && record.byteSize() <= PackBuilder.BUFFERED_SIZE_MAX) {
            MemorySegment room = packed.reserve(packer.sizeMax(record.byteSize()));
            long packedSize = packer.pack(record, room);
            stored = packedSize < record.byteSize() ? room.asSlice(0, packedSize) : record;
        }
        boolean isPacked = stored != record;
        return new StoredRecord(
                stored,
                PackEntry.flags(isPacked ? codec : Codec.NONE),
                hasCrc ? crcOf(stored) : 0,
                isPacked ? record.byteSize() : 0);
    }

    private int crcOf(MemorySegment stored) {
        crc.reset();
        crc.update(stored);
        return crc.value();
    }

    @Override
    public void close() {
        packed.close();
    }
}
