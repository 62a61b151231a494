// SPDX-License-Identifier: Apache-2.0
package dev.penstock.rows.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Seeds;
import dev.penstock.file.Layouts;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Vectors turn indices into the same addresses as the plain loop, and find the same invalid indices.
@ExtendWith(Seeds.class)
class RowPlacesTest {
    private static final int COUNT_MAX = 200;
    private static final long[] ROW_SIZES = {0, 1, 7, 32, 2048, 1L << 33};
    private static final long[] ROW_COUNTS = {1, 5, 10_000_000, (1L << 40) + 3};

    private final Random random = Seeds.random();
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment plain = arena.allocate(COUNT_MAX * 8 + 8, 8);
    private final MemorySegment vectors = arena.allocate(COUNT_MAX * 8 + 8, 8);

    @AfterEach
    void free() {
        arena.close();
    }

    @Test
    void vectorsFindTheSameAddresses() {
        for (long rowSize : ROW_SIZES) {
            for (long rowCount : ROW_COUNTS) {
                for (int count = 0; count <= COUNT_MAX; count++) {
                    requireSame(count, rowCount, rowSize, -1, 0);
                }
            }
        }
    }

    @Test
    void anInvalidIndexIsFoundAnywhere() {
        long rowCount = 1000;
        for (long bad : new long[] {-1, rowCount, Long.MIN_VALUE, Long.MAX_VALUE}) {
            for (int count : new int[] {64, 65, 67}) {
                for (int at = 0; at < count; at++) {
                    assertTrue(requireSame(count, rowCount, 32, at, bad) < 0, bad + " at " + at);
                }
            }
        }
    }

    private long requireSame(int count, long rowCount, long rowSize, int badAt, long bad) {
        for (int i = 0; i <= count; i++) {
            plain.setAtIndex(Layouts.U64, i, i == badAt ? bad : random.nextLong(rowCount));
        }
        vectors.copyFrom(plain);
        long origin = random.nextLong();
        long expected = RowPlaces.locatePlainly(plain.address(), count, rowCount, origin, rowSize);
        long found = VectorRowPlaces.locate(vectors.address(), count, rowCount, origin, rowSize);
        String how = count + " of " + rowCount + " rows of " + rowSize + " bytes";
        assertEquals(Math.max(-1, expected), found, how);
        // The index behind the last one stays as it is.
        long comparedBytes = (count + 1L) * Layouts.U64.byteSize();
        assertEquals(-1, plain.asSlice(0, comparedBytes).mismatch(vectors.asSlice(0, comparedBytes)), how);
        return found;
    }
}
