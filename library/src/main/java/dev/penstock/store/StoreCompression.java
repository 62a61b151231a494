// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.file.Codec;
import java.util.Locale;

/// The compression of the values of a field. The names are those of `compress` in `meta.json`.
public enum StoreCompression {
    /// Not compressed.
    RAW,
    /// Deflate without header (RFC 1951), which plain readers support.
    FLATE,
    /// A Zstandard frame; plain readers do not support it.
    ZSTD,
    /// An LZ4 block; plain readers do not support it.
    LZ4;

    /// The largest number of bytes that one byte of Deflate can stand for.
    private static final long FLATE_RATIO_MAX = 1032;

    /// The name in `meta.json`.
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /// The compression with a name.
    ///
    /// @throws IllegalArgumentException when the name is unknown
    public static StoreCompression of(String word) {
        for (StoreCompression compression : values()) {
            if (compression.word().equals(word)) {
                return compression;
            }
        }
        throw new IllegalArgumentException("compression " + word + " is not known; use raw, flate, zstd or lz4");
    }

    /// The codec of [#ZSTD] and [#LZ4].
    Codec codec() {
        return this == ZSTD ? Codec.ZSTD : Codec.LZ4;
    }

    /// The largest size that `storedSize` bytes can decompress to. It is checked before memory is allocated.
    public long rawSizeMax(long storedSize) {
        long sizeMax = switch (this) {
            case RAW -> storedSize;
            case FLATE -> storedSize * FLATE_RATIO_MAX;
            case ZSTD, LZ4 -> codec().rawSizeMax(storedSize);
        };
        return Math.min(sizeMax, StoreFormat.VALUE_SIZE_MAX);
    }
}
