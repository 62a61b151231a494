// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import dev.penstock.memory.Codec;

/// The numbers that stand for codecs in the flags of a pack's entries.
///
/// They are part of A2PACK: a codec that is added to [Codec] for another format gets no number here and does not
/// change what a pack holds.
final class PackCodecs {
    private static final Codec[] BY_CODE = {Codec.NONE, Codec.ZSTD, Codec.LZ4};

    /// How many codecs a pack can name.
    static final int COUNT = BY_CODE.length;

    private PackCodecs() {}

    /// The number of a codec.
    ///
    /// @throws IllegalArgumentException when packs do not have it
    static int code(Codec codec) {
        return switch (codec) {
            case NONE -> 0;
            case ZSTD -> 1;
            case LZ4 -> 2;
            // A codec of another format, and none that packs know.
            default -> throw new IllegalArgumentException("records of packs cannot be stored as " + codec.word());
        };
    }

    /// The codec of a number below [#COUNT].
    static Codec codec(int code) {
        return BY_CODE[code];
    }
}
