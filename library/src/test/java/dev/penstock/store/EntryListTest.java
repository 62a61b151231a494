// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Lists of entries, and copies of them, beside plain lists.
class EntryListTest {
    private final Random random = new Random(7);

    private StoreEntry entry() {
        return new StoreEntry(random.nextInt(100), random.nextInt(1 << 30), 1 + random.nextInt(1000));
    }

    private static void assertSame(List<StoreEntry> expected, EntryList actual) {
        assertEquals(expected.size(), actual.count());
        for (int i = 0; i < expected.size(); i++) {
            assertEquals(expected.get(i), actual.get(i), "entry " + i);
        }
    }

    private void addAll(List<StoreEntry> expected, EntryList list, int count) {
        long[] numbers = new long[2 * count];
        for (int i = 0; i < count; i++) {
            StoreEntry entry = entry();
            expected.add(entry);
            numbers[2 * i] = entry.chunkAndSize();
            numbers[2 * i + 1] = entry.offset();
        }
        list.addAll(numbers, count);
    }

    @Test
    void entriesAreTheSameAcrossBlocks() {
        List<StoreEntry> expected = new ArrayList<>();
        EntryList list = new EntryList();
        for (int round = 0; round < 60; round++) {
            addAll(expected, list, random.nextInt(2048));
            StoreEntry one = entry();
            expected.add(one);
            list.add(one);
        }
        assertSame(expected, list);
        for (int newCount : new int[] {40_000, 16_385, 16_384, 16_383, 5}) {
            list.resize(newCount);
            expected.subList(newCount, expected.size()).clear();
            assertSame(expected, list);
        }
        list.resize(7);
        assertEquals(StoreEntry.MISSING, list.get(6));
    }

    @Test
    void aCopyAndItsOriginalAreIndependent() {
        for (int count : new int[] {0, 10, 16_384, 16_390, 50_000}) {
            List<StoreEntry> expected = new ArrayList<>();
            EntryList list = new EntryList();
            addAll(expected, list, count);
            EntryList copy = list.copy();
            List<StoreEntry> expectedOfCopy = new ArrayList<>(expected);
            addAll(expectedOfCopy, copy, 20_000);
            for (int i = 0; i < count; i += 1 + random.nextInt(9_000)) {
                StoreEntry changed = entry();
                copy.set(i, changed);
                expectedOfCopy.set(i, changed);
            }
            assertSame(expected, list);
            assertSame(expectedOfCopy, copy);
        }
    }
}
