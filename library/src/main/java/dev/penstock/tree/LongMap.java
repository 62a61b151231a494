// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

/// Offsets to counts, in two arrays.
final class LongMap {
    static final long ABSENT = -1;

    private static final long HASH_FACTOR = 0x9E37_79B9_7F4A_7C15L;

    private long[] keys = new long[64];
    private long[] values = new long[64];
    private int count;

    /// What a key was put with, or [#ABSENT].
    long get(long key) {
        int place = place(keys, key);
        return keys[place] == key ? values[place] : ABSENT;
    }

    /// @param key not 0
    void put(long key, long value) {
        if (2 * count >= keys.length) {
            grow();
        }
        int place = place(keys, key);
        count += keys[place] == key ? 0 : 1;
        keys[place] = key;
        values[place] = value;
    }

    private static int place(long[] keys, long key) {
        int mask = keys.length - 1;
        int place = (int) (key * HASH_FACTOR >>> 32) & mask;
        while (keys[place] != 0 && keys[place] != key) {
            place = (place + 1) & mask;
        }
        return place;
    }

    private void grow() {
        long[] newKeys = new long[2 * keys.length];
        long[] newValues = new long[2 * keys.length];
        for (int i = 0; i < keys.length; i++) {
            if (keys[i] != 0) {
                int place = place(newKeys, keys[i]);
                newKeys[place] = keys[i];
                newValues[place] = values[i];
            }
        }
        keys = newKeys;
        values = newValues;
    }
}
