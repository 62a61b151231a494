// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/// Memory grows, and stays usable if an allocation fails.
class BufferTest {
    /// More bytes than any machine has, but small enough that twice the size still fits in a long.
    private static final long TOO_MANY = 1L << 60;

    @Test
    void theContentSurvivesAnExtensionThatFails() {
        try (Buffer buffer = new Buffer()) {
            buffer.extend(100).fill((byte) 7);
            assertThrows(OutOfMemoryError.class, () -> buffer.extend(TOO_MANY));
            requireSevens(buffer.segment());
            requireSevens(buffer.reserve(100));
            requireSevens(buffer.extend(1000));
        }
    }

    @Test
    void memoryCanBeReservedAfterAReservationThatFailed() {
        try (Buffer buffer = new Buffer()) {
            buffer.reserve(100);
            assertThrows(OutOfMemoryError.class, () -> buffer.reserve(TOO_MANY));
            buffer.reserve(100).fill((byte) 1);
            buffer.extend(200).fill((byte) 2);
        }
    }

    @Test
    void aClosedBufferHasNoMemory() {
        Buffer buffer = new Buffer();
        buffer.extend(100);
        buffer.close();
        buffer.close();
        assertThrows(IllegalStateException.class, () -> buffer.extend(10));
        assertThrows(IllegalStateException.class, () -> buffer.reserve(10));
        assertThrows(IllegalStateException.class, buffer::segment);
    }

    @Test
    void leasedMemoryOutlivesItsOwner() {
        List<Consumer<Buffer>> ends = List.of(
                Buffer::close, Buffer::trim, buffer -> buffer.reserve(1 << 20), buffer -> buffer.extend(1 << 20));
        for (Consumer<Buffer> end : ends) {
            try (Buffer buffer = new Buffer()) {
                Buffer.Block block = buffer.lease(100);
                end.accept(buffer);
                assertTrue(block.segment().scope().isAlive());
                block.segment().set(ValueLayout.JAVA_BYTE, 99, (byte) 1);
                block.release();
                assertFalse(block.segment().scope().isAlive());
            }
        }
    }

    @Test
    void aReturnedLeaseLeavesTheOwnersMemory() {
        Buffer buffer = new Buffer();
        MemorySegment segment = buffer.reserve(10);
        buffer.lease(10).release();
        assertTrue(segment.scope().isAlive());
        buffer.close();
        assertFalse(segment.scope().isAlive());
        assertThrows(IllegalStateException.class, () -> buffer.lease(10));
    }

    private static void requireSevens(MemorySegment memory) {
        for (int i = 0; i < 100; i++) {
            assertEquals(7, memory.get(ValueLayout.JAVA_BYTE, i));
        }
    }
}
