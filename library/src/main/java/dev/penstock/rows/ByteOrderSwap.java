// SPDX-License-Identifier: Apache-2.0
package dev.penstock.rows;

import static dev.penstock.file.Layouts.U16;
import static dev.penstock.file.Layouts.U32;
import static dev.penstock.file.Layouts.U64;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Swaps the byte order of words.
final class ByteOrderSwap {
    private ByteOrderSwap() {}

    /// Reverses the bytes of each word.
    static void swap(MemorySegment segment, long wordSize) {
        for (long at = 0; at < segment.byteSize(); at += wordSize) {
            if (wordSize == 2) {
                segment.set(U16, at, Short.reverseBytes(segment.get(U16, at)));
            } else if (wordSize == 4) {
                segment.set(U32, at, Integer.reverseBytes(segment.get(U32, at)));
            } else if (wordSize == 8) {
                segment.set(U64, at, Long.reverseBytes(segment.get(U64, at)));
            } else {
                swapBytes(segment.asSlice(at, wordSize));
            }
        }
    }

    /// For the floats of twelve and sixteen bytes of some machines.
    private static void swapBytes(MemorySegment word) {
        byte[] bytes = word.toArray(ValueLayout.JAVA_BYTE);
        for (int i = 0; i < bytes.length; i++) {
            word.set(ValueLayout.JAVA_BYTE, i, bytes[bytes.length - 1 - i]);
        }
    }
}
