// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.memory.Codec;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Locale;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/// How the values of a field are stored. The names are those of `compress` in `meta.json`.
public enum StoreCompression {
    /// As they are.
    RAW,
    /// Deflate without header (RFC 1951), which plain readers know.
    FLATE,
    /// A Zstandard frame; plain readers do not know it.
    ZSTD,
    /// An LZ4 block; plain readers do not know it.
    LZ4;

    /// A byte of Deflate stands for at most so many bytes.
    private static final long FLATE_RATIO_MAX = 1032;

    /// The name in `meta.json`.
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /// The compression of a name.
    ///
    /// @throws IllegalArgumentException when there is none
    public static StoreCompression of(String word) {
        for (StoreCompression compression : values()) {
            if (compression.word().equals(word)) {
                return compression;
            }
        }
        throw new IllegalArgumentException("compression " + word + " is not known; there are raw, flate, zstd and lz4");
    }

    private Codec codec() {
        return this == ZSTD ? Codec.ZSTD : Codec.LZ4;
    }

    /// The stored form of a value.
    byte[] pack(byte[] value) {
        return switch (this) {
            case RAW -> value;
            case FLATE -> deflate(value);
            case ZSTD, LZ4 -> {
                Codec.Packer packer = codec().packer(0);
                byte[] target = new byte[Math.toIntExact(packer.sizeMax(value.length))];
                long size = packer.pack(MemorySegment.ofArray(value), MemorySegment.ofArray(target));
                yield Arrays.copyOf(target, (int) size);
            }
        };
    }

    private static byte[] deflate(byte[] value) {
        Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
        try {
            deflater.setInput(value);
            deflater.finish();
            byte[] target = new byte[value.length / 2 + 64];
            int size = 0;
            while (!deflater.finished()) {
                size += deflater.deflate(target, size, target.length - size);
                target = deflater.finished() ? target : Arrays.copyOf(target, target.length * 2);
            }
            return Arrays.copyOf(target, size);
        } finally {
            deflater.end();
        }
    }

    /// Expands stored bytes, which are on the heap, to a size that is checked: neither fewer bytes nor more.
    ///
    /// @return null when the bytes do not expand to that size
    byte[] unpack(byte[] stored, long rawSize) {
        boolean isPossible = rawSize <= StoreFormat.VALUE_SIZE_MAX && rawSize <= rawSizeMax(stored.length);
        if (this == RAW) {
            return rawSize == stored.length ? stored : null;
        }
        if (!isPossible) {
            return null;
        }
        byte[] target = new byte[(int) rawSize];
        boolean isWhole = this == FLATE
                ? inflate(stored, target)
                : codec().unpacker().unpack(MemorySegment.ofArray(stored), MemorySegment.ofArray(target));
        return isWhole ? target : null;
    }

    private long rawSizeMax(long storedSize) {
        return this == FLATE ? storedSize * FLATE_RATIO_MAX : this == RAW ? storedSize : codec().rawSizeMax(storedSize);
    }

    private static boolean inflate(byte[] stored, byte[] target) {
        Inflater inflater = new Inflater(true);
        try {
            inflater.setInput(stored);
            int size = 0;
            while (size < target.length) {
                int more = inflater.inflate(target, size, target.length - size);
                if (more == 0) {
                    return false;
                }
                size += more;
            }
            // One more byte must not come, and the end must.
            return inflater.inflate(new byte[1]) == 0 && inflater.finished() && inflater.getRemaining() == 0;
        } catch (DataFormatException e) {
            return false;
        } finally {
            inflater.end();
        }
    }
}
