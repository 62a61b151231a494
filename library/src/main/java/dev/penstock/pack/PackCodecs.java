// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import dev.penstock.file.Codec;

/// The numbers of codecs in the flags of entries.
///
/// They are part of A2PACK. A codec that is added to [Codec] for another format gets no number here.
final class PackCodecs {
    private static final Codec[] BY_CODE = {Codec.NONE, Codec.ZSTD, Codec.LZ4};

    /// The number of codecs that a pack can use.
    static final int COUNT = BY_CODE.length;

    private PackCodecs() {}

    /// The number of a codec.
    ///
    /// @throws IllegalArgumentException when packs do not support the codec
    static int code(Codec codec) {
        return switch (codec) {
            case NONE -> 0;
            case ZSTD -> 1;
            case LZ4 -> 2;
            // A codec of another format.
            default -> throw new IllegalArgumentException("packs do not support the codec " + codec.word());
        };
    }

    /// The codec with a number below [#COUNT].
    static Codec codec(int code) {
        return BY_CODE[code];
    }
}
