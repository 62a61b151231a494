// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class LayoutsTest {
    private static final byte[] BYTES = {0, 1, 2, 3, 4, 5, 6, 7, (byte) 0xF8, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF};

    @Test
    void valuesAreLittleEndianAtAnyAddress() {
        MemorySegment segment = MemorySegment.ofArray(BYTES);
        assertEquals(0x0201, segment.get(Layouts.U16, 1));
        assertEquals(0x04030201, segment.get(Layouts.U32, 1));
        assertEquals(0xF807060504030201L, segment.get(Layouts.U64, 1));
        byte[] written = new byte[9];
        MemorySegment.ofArray(written).set(Layouts.U64, 1, 0x0807060504030201L);
        assertArrayEquals(new byte[] {0, 1, 2, 3, 4, 5, 6, 7, 8}, written);
    }

    @Test
    void valuesWithTheHighestBitAreNotNegative() {
        MemorySegment segment = MemorySegment.ofArray(BYTES);
        assertEquals(0xFFFFFFF8L, Layouts.u32(segment, 8));
        assertEquals(0xFFF8, Layouts.u16(segment, 8));
    }

    @Test
    void readingPastTheEndIsRefused() {
        MemorySegment segment = MemorySegment.ofArray(BYTES);
        assertThrows(IndexOutOfBoundsException.class, () -> Layouts.u32(segment, 9));
        assertThrows(IndexOutOfBoundsException.class, () -> Layouts.u16(segment, -1));
    }

    @Test
    void aligningGoesUpToTheNextMultiple() {
        assertEquals(0, Layouts.alignUp(0, 64));
        assertEquals(64, Layouts.alignUp(1, 64));
        assertEquals(64, Layouts.alignUp(64, 64));
        assertEquals(21, Layouts.alignUp(15, 7));
        assertEquals(Long.MAX_VALUE, Layouts.alignUp(Long.MAX_VALUE, 1));
    }

    @Test
    void aligningBeyond63BitsIsRefused() {
        assertThrows(ArithmeticException.class, () -> Layouts.alignUp(Long.MAX_VALUE - 5, 64));
    }
}
