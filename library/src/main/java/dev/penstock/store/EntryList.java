// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import java.util.Arrays;

/// The entries of consecutive slots, two numbers for each.
///
/// **Threads.** Any number as long as nothing is changed.
final class EntryList {
    private static final int COUNT_MIN = 16;

    private long[] numbers = new long[0];
    private int count;

    int count() {
        return count;
    }

    StoreEntry get(int index) {
        return StoreEntry.of(numbers[2 * index], numbers[2 * index + 1]);
    }

    void set(int index, StoreEntry entry) {
        numbers[2 * index] = entry.chunkAndSize();
        numbers[2 * index + 1] = entry.offset();
    }

    void add(StoreEntry entry) {
        if (2 * count == numbers.length) {
            numbers = Arrays.copyOf(numbers, Math.multiplyExact(2, Math.max(COUNT_MIN, numbers.length)));
        }
        count++;
        set(count - 1, entry);
    }

    /// Adds missing values until there are as many entries, or drops the last ones.
    void resize(int newCount) {
        while (count < newCount) {
            add(StoreEntry.MISSING);
        }
        count = newCount;
    }

    void clear() {
        numbers = new long[0];
        count = 0;
    }
}
