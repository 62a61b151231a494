// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import java.util.Arrays;

/// Writes postcard encoding.
final class RunOutput {
    private static final int RESERVED_MAX = 1 << 20;
    private static final int ITEM_SIZE_MAX = 16;

    private byte[] bytes;
    private int size;

    RunOutput(long sizeHint) {
        bytes = new byte[(int) Math.min(sizeHint, RESERVED_MAX)];
    }

    private void reserve(int byteCount) {
        if (bytes.length - size < byteCount) {
            bytes = Arrays.copyOf(bytes, Math.addExact(Math.max(bytes.length * 2, ITEM_SIZE_MAX), byteCount));
        }
    }

    void u8(int value) {
        reserve(1);
        bytes[size++] = (byte) value;
    }

    void u32(int value) {
        reserve(Integer.BYTES);
        RunBytes.U32.set(bytes, size, value);
        size += Integer.BYTES;
    }

    void u64(long value) {
        reserve(Long.BYTES);
        RunBytes.U64.set(bytes, size, value);
        size += Long.BYTES;
    }

    /// Writes an unsigned number in the shortest form.
    void varint(long value) {
        reserve(ITEM_SIZE_MAX);
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            bytes[size++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[size++] = (byte) rest;
    }

    void bytes(byte[] source) {
        reserve(source.length);
        System.arraycopy(source, 0, bytes, size, source.length);
        size += source.length;
    }

    byte[] toBytes() {
        return Arrays.copyOf(bytes, size);
    }
}
