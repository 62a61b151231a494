// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/// Whole numbers as the bytes of a field of 64-bit integers, and back.
final class Numbers {
    private Numbers() {}

    static byte[] of(List<Long> numbers) {
        ByteBuffer bytes = ByteBuffer.allocate(numbers.size() * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        numbers.forEach(bytes::putLong);
        return bytes.array();
    }

    static byte[] of(long number) {
        return of(List.of(number));
    }

    static byte[] i32(long number) {
        return ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt((int) number)
                .array();
    }

    static long u32(byte[] bytes, int offset) {
        return Integer.toUnsignedLong(
                ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(offset));
    }

    static long i64(byte[] bytes, int offset) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong(offset);
    }
}
