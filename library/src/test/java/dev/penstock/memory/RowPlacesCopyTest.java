// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Seeds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Rows that are copied by their indices in one pass are the right ones, and wrong indices copy nothing.
@ExtendWith(Seeds.class)
class RowPlacesCopyTest {
    private static final int ROW_COUNT = 1000;
    private static final long SIZE = VectorRowCopy.INDEXED_SIZE;
    private static final byte GUARD = (byte) 0xA5;
    private static final long WAIT_MILLIS = 60_000;

    private final Random random = Seeds.random();
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment rows = arena.allocate(ROW_COUNT * SIZE, 64);
    private final MemorySegment target = arena.allocate(700 * SIZE + 64);
    private final RowPlaces places = places(SIZE, 0, ROW_COUNT);

    private RowPlaces places(long rowSize, long... starts) {
        long[] addresses = new long[starts.length - 1];
        for (int i = 0; i < addresses.length; i++) {
            addresses[i] = rows.address() + starts[i] * rowSize;
        }
        return new RowPlaces(starts, addresses, rowSize);
    }

    /// Vectors are used once they are compiled.
    @BeforeEach
    void prepare() throws InterruptedException {
        byte[] bytes = new byte[(int) rows.byteSize()];
        random.nextBytes(bytes);
        rows.copyFrom(MemorySegment.ofArray(bytes));
        target.fill(GUARD);
        long limit = System.currentTimeMillis() + WAIT_MILLIS;
        while (!RowCopy.isIndexed(SIZE, 64) && System.currentTimeMillis() < limit) {
            Thread.sleep(20);
        }
        assertTrue(RowCopy.isIndexed(SIZE, 64), "vectors are used");
    }

    @AfterEach
    void free() {
        arena.close();
    }

    private MemorySegment indices(int count) {
        return arena.allocateFrom(Layouts.U64, random.longs(count, 0, ROW_COUNT).toArray());
    }

    private void requireUntouched(long from) {
        for (long at = from; at < target.byteSize(); at++) {
            assertEquals(GUARD, target.get(Layouts.U8, at), "byte " + at);
        }
    }

    @Test
    void rowsAreThoseOfTheIndices() {
        for (int count : new int[] {64, 65, 127, 700}) {
            target.fill(GUARD);
            MemorySegment indices = indices(count);
            assertTrue(places.copy(indices, target.address()));
            for (int i = 0; i < count; i++) {
                long row = indices.getAtIndex(Layouts.U64, i);
                assertEquals(-1, target.asSlice(i * SIZE, SIZE).mismatch(rows.asSlice(row * SIZE, SIZE)), "place " + i);
            }
            requireUntouched(count * SIZE);
        }
    }

    @Test
    void wrongIndicesCopyNothing() {
        for (long wrong : new long[] {-1, ROW_COUNT, Long.MIN_VALUE, Long.MAX_VALUE, -ROW_COUNT}) {
            MemorySegment indices = indices(100);
            indices.setAtIndex(Layouts.U64, random.nextInt(100), wrong);
            assertFalse(places.copy(indices, target.address()));
        }
        requireUntouched(0);
    }

    /// As when another thread changes indices after they were looked at: no memory but the rows is read.
    @Test
    void indicesThatBecameWrongAreTakenForTheFirst() {
        MemorySegment indices = indices(64);
        long[] wrong = {-1, ROW_COUNT, Long.MIN_VALUE, Long.MAX_VALUE};
        for (int i = 0; i < wrong.length; i++) {
            indices.setAtIndex(Layouts.U64, i, wrong[i]);
        }
        RowCopy.copyIndexed(indices.address(), 64, rows.address(), ROW_COUNT, target.address());
        for (int i = 0; i < wrong.length; i++) {
            assertEquals(-1, target.asSlice(i * SIZE, SIZE).mismatch(rows.asSlice(0, SIZE)));
        }
    }

    @Test
    void otherCasesAreLeftToOthers() {
        assertFalse(places.copy(indices(63), target.address()), "few rows");
        assertFalse(places(16, 0, ROW_COUNT).copy(indices(100), target.address()), "rows of another size");
        assertFalse(places(SIZE, 0, 500, ROW_COUNT).copy(indices(100), target.address()), "two runs");
        assertFalse(places.copy(MemorySegment.ofArray(new long[100]), target.address()), "indices in the heap");
        requireUntouched(0);
    }
}
