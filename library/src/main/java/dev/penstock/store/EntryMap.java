// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import java.util.Arrays;

/// A hash map from numbers to entries in plain arrays: about 48 bytes for each.
///
/// A key is at the position of its hash, or at the next free position after it. Removing a key moves later ones
/// back, so that no search ends too early.
///
/// **Threads.** Safe for any number of threads as long as nothing is changed.
final class EntryMap {
    private static final long FREE = -1;
    private static final int CAPACITY_MIN = 16;

    /// Spreads the bits of a key (Fibonacci hashing).
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    private long[] keys = new long[0];
    /// Two numbers for each key.
    private long[] entries = new long[0];

    private int count;

    int count() {
        return count;
    }

    EntryMap copy() {
        EntryMap copy = new EntryMap();
        copy.keys = keys.clone();
        copy.entries = entries.clone();
        copy.count = count;
        return copy;
    }

    /// The entry of a key, or null.
    StoreEntry get(long key) {
        if (count == 0) {
            return null;
        }
        int at = find(key);
        return keys[at] == FREE ? null : StoreEntry.of(entries[2 * at], entries[2 * at + 1]);
    }

    /// The position of a key, or the position where it would be inserted.
    private int find(long key) {
        int mask = keys.length - 1;
        int at = home(key);
        while (keys[at] != key && keys[at] != FREE) {
            at = (at + 1) & mask;
        }
        return at;
    }

    private int home(long key) {
        return (int) ((key * SPREAD) >>> (Long.numberOfLeadingZeros(keys.length) + 1));
    }

    /// @return whether the key is new
    boolean put(long key, StoreEntry entry) {
        if (3L * (count + 1) > 2L * keys.length) {
            grow();
        }
        int at = find(key);
        boolean isNew = keys[at] == FREE;
        count += isNew ? 1 : 0;
        keys[at] = key;
        entries[2 * at] = entry.chunkAndSize();
        entries[2 * at + 1] = entry.offset();
        return isNew;
    }

    private void grow() {
        long[] oldKeys = keys;
        long[] oldEntries = entries;
        int capacity = Math.multiplyExact(2, Math.max(CAPACITY_MIN, oldKeys.length));
        keys = new long[capacity];
        Arrays.fill(keys, FREE);
        entries = new long[Math.multiplyExact(2, capacity)];
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldKeys[i] != FREE) {
                move(oldKeys[i], oldEntries[2 * i], oldEntries[2 * i + 1]);
            }
        }
    }

    private void move(long key, long chunkAndSize, long offset) {
        int at = find(key);
        keys[at] = key;
        entries[2 * at] = chunkAndSize;
        entries[2 * at + 1] = offset;
    }

    /// @return whether the key existed
    boolean remove(long key) {
        int at = count == 0 ? -1 : find(key);
        if (at < 0 || keys[at] == FREE) {
            return false;
        }
        int mask = keys.length - 1;
        int free = at;
        for (int next = (at + 1) & mask; keys[next] != FREE; next = (next + 1) & mask) {
            // A key may move into the gap if its home position is at or before the gap.
            boolean canMove = ((next - home(keys[next])) & mask) >= ((next - free) & mask);
            if (canMove) {
                keys[free] = keys[next];
                entries[2 * free] = entries[2 * next];
                entries[2 * free + 1] = entries[2 * next + 1];
                free = next;
            }
        }
        keys[free] = FREE;
        count--;
        return true;
    }

    /// All keys, in ascending order.
    long[] sortedKeys() {
        long[] all = Arrays.stream(keys).filter(key -> key != FREE).toArray();
        Arrays.sort(all);
        return all;
    }

    void clear() {
        keys = new long[0];
        entries = new long[0];
        count = 0;
    }
}
