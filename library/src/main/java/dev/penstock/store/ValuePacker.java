// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.file.Codec;
import dev.penstock.file.Crc32c;
import dev.penstock.file.Layouts;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.zip.Deflater;

/// Compresses values, with compressors that are created once.
///
/// **Ownership.** Owns native memory of a compressor. **Threads.** One thread at a time.
final class ValuePacker implements AutoCloseable {
    private static final int ROOM = 64;

    private final Map<StoreCompression, Codec.Packer> packers = new EnumMap<>(StoreCompression.class);
    private Deflater deflater;
    private byte[] target = new byte[0];

    /// Returns the stored form of a value.
    ///
    /// @param value memory that is not mapped
    /// @return memory that is valid until the next call
    MemorySegment pack(StoreCompression compression, MemorySegment value) {
        return switch (compression) {
            case RAW -> value;
            case FLATE -> deflate(value);
            case ZSTD, LZ4 -> {
                Codec.Packer packer = packers.computeIfAbsent(
                        compression, wanted -> wanted.codec().packer(0));
                MemorySegment room = room(packer.sizeMax(value.byteSize()));
                yield room.asSlice(0, packer.pack(value, room));
            }
        };
    }

    /// Returns the stored form of a value with its prefix, as in a chunk.
    MemorySegment packWithPrefix(StoreCompression compression, MemorySegment value) {
        MemorySegment packed = pack(compression, value);
        long allSize = StoreFormat.PREFIX_SIZE + packed.byteSize();
        MemorySegment all = MemorySegment.ofArray(new byte[Math.toIntExact(allSize)]);
        all.set(Layouts.U32, StoreValues.SIZE_OFFSET, (int) value.byteSize());
        MemorySegment.copy(packed, 0, all, StoreFormat.PREFIX_SIZE, packed.byteSize());
        Crc32c crc = new Crc32c();
        crc.update(all.asSlice(StoreValues.SIZE_OFFSET));
        all.set(Layouts.U32, StoreValues.CRC_OFFSET, crc.value());
        return all;
    }

    private MemorySegment deflate(MemorySegment value) {
        if (deflater == null) {
            deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
        }
        deflater.reset();
        deflater.setInput(value.asByteBuffer());
        deflater.finish();
        room(value.byteSize() / 2 + ROOM);
        int size = 0;
        while (!deflater.finished()) {
            if (size == target.length) {
                // Twice the largest value would be more than an array can have.
                target = Arrays.copyOf(target, (int) Math.min(2L * target.length, StoreFormat.STORED_SIZE_MAX + ROOM));
            }
            size += deflater.deflate(target, size, target.length - size);
        }
        return MemorySegment.ofArray(target).asSlice(0, size);
    }

    private MemorySegment room(long byteCount) {
        if (target.length < byteCount) {
            target = new byte[Math.toIntExact(byteCount)];
        }
        return MemorySegment.ofArray(target);
    }

    @Override
    public void close() {
        if (deflater != null) {
            deflater.end();
        }
    }
}
