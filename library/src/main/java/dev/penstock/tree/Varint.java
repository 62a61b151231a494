// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static dev.penstock.file.Layouts.WORDS;

/// The variable-length numbers of a tree: one byte up to 247, else 247 plus the number of bytes that follow.
final class Varint {
    static final int SIZE_MAX = 9;
    static final int SINGLE_MAX = 247;

    private Varint() {}

    /// The size of a number that begins with this byte.
    static int sizeFrom(int first) {
        return 1 + Math.max(0, first - SINGLE_MAX);
    }

    /// The size of an unsigned number.
    static int sizeOf(long value) {
        return value >= 0 && value <= SINGLE_MAX ? 1 : 1 + payload(value);
    }

    /// Writes a number, possibly followed by zeros.
    ///
    /// @param target has space for [#SIZE_MAX] bytes
    /// @return the end position
    static int write(byte[] target, int at, long value) {
        if (value >= 0 && value <= SINGLE_MAX) {
            target[at] = (byte) value;
            return at + 1;
        }
        int count = payload(value);
        target[at] = (byte) (SINGLE_MAX + count);
        // Extra bytes are overwritten by what follows.
        WORDS.set(target, at + 1, value);
        return at + 1 + count;
    }

    /// Whether a number with `payload` following bytes needed all of them.
    static boolean isMinimal(int payload, long value) {
        return payload == 1 ? value > SINGLE_MAX : value >>> (8 * (payload - 1)) != 0;
    }

    private static int payload(long value) {
        return (Long.SIZE + 7 - Long.numberOfLeadingZeros(value)) / 8;
    }
}
