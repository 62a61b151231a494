// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.file.Codec;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.Map;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/// Decompresses stored bytes, with decompressors that are created once.
///
/// **Ownership.** Owns native memory of a decompressor. **Threads.** One thread at a time.
public final class ValueUnpacker implements AutoCloseable {
    private static final int PIECE_SIZE = 1 << 16;

    private final Map<StoreCompression, Codec.Unpacker> unpackers = new EnumMap<>(StoreCompression.class);
    private Inflater inflater;

    /// Decompresses stored bytes to exactly the size of the target.
    ///
    /// @param stored private memory, because native code must not read a mapped file
    /// @return whether the bytes are valid and fill the target exactly
    public boolean unpack(StoreCompression compression, MemorySegment stored, MemorySegment target) {
        if (target.byteSize() > compression.rawSizeMax(stored.byteSize())) {
            return false;
        }
        return switch (compression) {
            case RAW -> {
                boolean isWhole = stored.byteSize() == target.byteSize();
                if (isWhole) {
                    target.copyFrom(stored);
                }
                yield isWhole;
            }
            case FLATE -> inflate(stored.asByteBuffer(), target.asByteBuffer());
            case ZSTD, LZ4 ->
                unpackers
                        .computeIfAbsent(compression, wanted -> wanted.codec().unpacker())
                        .unpack(stored, target);
        };
    }

    private Inflater inflater(ByteBuffer stored) {
        if (inflater == null) {
            inflater = new Inflater(true);
        }
        inflater.reset();
        inflater.setInput(stored);
        return inflater;
    }

    private boolean inflate(ByteBuffer stored, ByteBuffer target) {
        Inflater source = inflater(stored);
        try {
            while (target.hasRemaining()) {
                if (source.inflate(target) == 0) {
                    return false;
                }
            }
            // There must be no further byte, and the end must be reached.
            return source.inflate(new byte[1]) == 0 && source.finished() && source.getRemaining() == 0;
        } catch (DataFormatException e) {
            return false;
        }
    }

    /// Decompresses Deflate bytes whose size is not stored, as in chunks of other programs.
    ///
    /// @param sizeMax the largest size
    /// @return null when the bytes are not valid, or larger
    byte[] inflate(MemorySegment stored, long sizeMax) {
        Inflater source = inflater(stored.asByteBuffer());
        ByteArrayOutputStream target = new ByteArrayOutputStream();
        byte[] piece = new byte[PIECE_SIZE];
        try {
            while (!source.finished()) {
                int size = source.inflate(piece);
                if (size == 0 && !source.finished() || target.size() + (long) size > sizeMax) {
                    return null;
                }
                target.write(piece, 0, size);
            }
            return source.getRemaining() == 0 ? target.toByteArray() : null;
        } catch (DataFormatException e) {
            return null;
        }
    }

    @Override
    public void close() {
        if (inflater != null) {
            inflater.end();
        }
    }
}
