// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.memory.Codec;
import java.util.Locale;

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

    /// The codec of [#ZSTD] and [#LZ4].
    Codec codec() {
        return this == ZSTD ? Codec.ZSTD : Codec.LZ4;
    }

    /// The most bytes that so many stored bytes can honestly expand to: the check before memory is set aside for
    /// them.
    public long rawSizeMax(long storedSize) {
        long sizeMax = switch (this) {
            case RAW -> storedSize;
            case FLATE -> storedSize * FLATE_RATIO_MAX;
            case ZSTD, LZ4 -> codec().rawSizeMax(storedSize);
        };
        return Math.min(sizeMax, StoreFormat.VALUE_SIZE_MAX);
    }
}
