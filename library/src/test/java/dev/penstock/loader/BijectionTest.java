// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.file.Layouts.U64;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Seeds;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Every number goes somewhere, no two to the same place, and it can be undone.
@ExtendWith(Seeds.class)
class BijectionTest {
    private static void requirePermutation(int count, long key) {
        Bijection bijection = new Bijection(count, key);
        long[] all = new long[count];
        bijection.forward(0, MemorySegment.ofArray(all));
        BitSet seen = new BitSet(count);
        for (int i = 0; i < count; i++) {
            assertTrue(all[i] >= 0 && all[i] < count, () -> "out of range for " + count);
            seen.set((int) all[i]);
        }
        assertEquals(count, seen.cardinality(), () -> "not a permutation of " + count + " with key " + key);
    }

    @Test
    void everyCountUpTo5000IsPermuted() {
        Random random = Seeds.random();
        for (int count = 0; count <= 5000; count++) {
            requirePermutation(count, random.nextLong());
        }
    }

    @Test
    void largerCountsArePermuted() {
        Random random = Seeds.random();
        for (int i = 0; i < 20; i++) {
            requirePermutation(5000 + random.nextInt(200_000), random.nextLong());
        }
        for (int count : new int[] {65_535, 65_536, 65_537, 1 << 20, (1 << 20) + 1, (1 << 20) - 1}) {
            requirePermutation(count, random.nextLong());
        }
    }

    @Test
    void theLargestCountsCanBeUndone() {
        Random random = Seeds.random();
        for (long count : new long[] {1L << 31, (1L << 40) + 1, (1L << 60) - 1, (1L << 60) + 1, Bijection.COUNT_MAX}) {
            Bijection bijection = new Bijection(count, random.nextLong());
            for (int i = 0; i < 1000; i++) {
                long number = random.nextLong(count);
                long image = bijection.forward(number);
                assertTrue(image >= 0 && image < count);
                assertEquals(number, bijection.inverse(image));
            }
        }
        assertThrows(IllegalArgumentException.class, () -> new Bijection(Bijection.COUNT_MAX + 1, 0));
        assertThrows(IllegalArgumentException.class, () -> new Bijection(-1, 0));
    }

    @Test
    void manyAtOnceAreTheSameAsOneByOne() {
        Random random = Seeds.random();
        for (long count : new long[] {1, 2, 3, 100, 4097, 1_000_003, (1L << 33) + 5, (1L << 61) + 9}) {
            Bijection bijection = new Bijection(count, random.nextLong());
            int wanted = (int) Math.min(count, 1500);
            long first = count == wanted ? 0 : random.nextLong(count - wanted);
            MemorySegment many = MemorySegment.ofArray(new long[wanted]);
            bijection.forward(first, many);
            for (int i = 0; i < wanted; i++) {
                assertEquals(bijection.forward(first + i), many.getAtIndex(U64, i));
                assertEquals(first + i, bijection.inverse(many.getAtIndex(U64, i)));
            }
        }
    }
}
