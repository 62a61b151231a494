// SPDX-License-Identifier: Apache-2.0
package dev.penstock.bridge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/// Sizes as text.
final class SizeTextTest {
    private static String text(long room, long... sizes) {
        try (Arena arena = Arena.ofConfined()) {
            long[] offsets = new long[sizes.length + 1];
            for (int i = 0; i < sizes.length; i++) {
                offsets[i + 1] = offsets[i] + sizes[i];
            }
            MemorySegment where = arena.allocateFrom(ValueLayout.JAVA_LONG, offsets);
            MemorySegment target = arena.allocate(room);
            long length = SizeText.write(where, sizes.length, target);
            byte[] bytes = target.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
            return new String(bytes, StandardCharsets.US_ASCII);
        }
    }

    @Test
    void everySizeHasItsDigits() {
        assertEquals("", text(1));
        assertEquals("0s1s9s10s99s100s12345s", text(64, 0, 1, 9, 10, 99, 100, 12345));
        for (long size = 1; size > 0 && size < Long.MAX_VALUE / 10; size *= 10) {
            assertEquals((size - 1) + "s" + size + "s", text(64, size - 1, size));
        }
    }

    @Test
    void tooLittleRoomIsAnError() {
        assertThrows(IndexOutOfBoundsException.class, () -> text(4, 12, 345));
    }
}
