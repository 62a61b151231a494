// SPDX-License-Identifier: Apache-2.0
package dev.penstock.doctor;

/// Whether bytes are UTF-8 text.
final class Utf8 {
    private Utf8() {}

    /// Whether the bytes are valid UTF-8.
    static boolean isValid(byte[] bytes, int size) {
        int i = 0;
        while (i < size) {
            int first = bytes[i++];
            if (first >= 0) {
                continue;
            }
            int more = first >> 5 == -2 ? 1 : first >> 4 == -2 ? 2 : first >> 3 == -2 ? 3 : -1;
            if (more < 0 || size - i < more || !isContinued(bytes, i, more) || !isShortest(first, bytes[i], more)) {
                return false;
            }
            i += more;
        }
        return true;
    }

    private static boolean isContinued(byte[] bytes, int start, int count) {
        for (int i = start; i < start + count; i++) {
            if (bytes[i] >> 6 != -2) {
                return false;
            }
        }
        return true;
    }

    /// Whether no shorter form exists, and the code point is neither a surrogate nor above the last one.
    private static boolean isShortest(int first, int second, int more) {
        int next = second & 0x3F;
        return switch (more) {
            case 1 -> (first & 0x1E) != 0;
            case 2 -> ((first & 0x0F) != 0 || next >= 0x20) && ((first & 0x0F) != 0x0D || next < 0x20);
            default ->
                ((first & 0x07) != 0 || next >= 0x10) && (first & 0x07) <= 4 && ((first & 0x07) != 4 || next < 0x10);
        };
    }

    /// Whether the first bytes have control characters, which text has not.
    static boolean isBinary(byte[] bytes, int size) {
        for (int i = 0; i < Math.min(size, 256); i++) {
            int one = bytes[i];
            if (one >= 0 && one < 0x20 && one != '\n' && one != '\r' && one != '\t' && one != '\f' && one != 0x1B) {
                return true;
            }
        }
        return false;
    }
}
