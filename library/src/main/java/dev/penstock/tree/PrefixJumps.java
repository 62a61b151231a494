// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import java.util.concurrent.ThreadLocalRandom;

/// Remembers how far the first bytes of keys led, so that a lookup need not go through the upper nodes again.
///
/// An entry says: whoever looks up a key that goes on with these 8 or 16 bytes, from where all keys begin to
/// differ, may start at this node. The table has a fixed number of places, and of two entries that have the same
/// place a newcomer now and then replaces the older.
///
/// **Threads.** Any number without locks. Two threads that write one place may mix their entries; each entry
/// ends with a hash of itself, by which a mixed one is recognised and ignored.
final class PrefixJumps {
    static final long NONE = 0;

    /// Bytes that an entry is about.
    static final int SIZE_SHORT = 8;

    static final int SIZE_LONG = 16;

    /// When a place is taken, one newcomer in so many gets in: where there are more prefixes than places, nearly
    /// all would be replaced before they are of use.
    private static final int ADMISSION = 32;

    private static final int PLACES_BITS_MIN = 6;
    private static final int PLACES_BITS_MAX = 15;
    private static final int WORDS_PER_PLACE = 4;

    /// What follows the bytes in an entry.
    private static final int START = 2;

    private static final int SEAL = 3;

    /// A start: how many bytes lead to the node, whether that is a line, whether the entry is about 16 bytes, and
    /// the node.
    private static final int POSITION_MASK = 31;

    private static final int LINE_BIT = 32;
    private static final int LONG_BIT = 64;
    private static final int NODE_SHIFT = 7;
    private static final long HASH_FACTOR = 0x9E37_79B9_7F4A_7C15L;

    private final int placesBits;

    /// Made with the first entry, so that opening a tree costs nothing.
    private long[] table;

    /// @param fileSize bytes of the tree: a small one has few nodes
    PrefixJumps(long fileSize) {
        int bits = Long.SIZE - Long.numberOfLeadingZeros(fileSize) - 5;
        this.placesBits = Math.clamp(bits, PLACES_BITS_MIN, PLACES_BITS_MAX);
    }

    /// A start, or [#NONE] when the node is too far into the file for an entry.
    static long start(long node, int size, boolean isLine, boolean isLong) {
        if (node >>> (Long.SIZE - NODE_SHIFT) != 0) {
            return NONE;
        }
        return node << NODE_SHIFT | (isLong ? LONG_BIT : 0) | (isLine ? LINE_BIT : 0) | size;
    }

    static long node(long start) {
        return start >>> NODE_SHIFT;
    }

    static int size(long start) {
        return (int) start & POSITION_MASK;
    }

    static boolean isLine(long start) {
        return (start & LINE_BIT) != 0;
    }

    static boolean isLong(long start) {
        return (start & LONG_BIT) != 0;
    }

    /// Where to start with a key that goes on with these 8 bytes, or [#NONE].
    long find(long word0) {
        return find(word0, 0, false);
    }

    /// Where to start with a key that goes on with these 16 bytes, or [#NONE].
    long find(long word0, long word1) {
        return find(word0, word1, true);
    }

    private long find(long word0, long word1, boolean isLong) {
        long[] entries = table;
        if (entries == null) {
            return NONE;
        }
        long hash = hash(word0, word1, isLong);
        int at = placeOf(hash);
        // Read once, since another thread may change it between the check and the use.
        long start = entries[at + START];
        boolean isSame = entries[at] == word0
                && entries[at + 1] == word1
                && entries[at + SEAL] == seal(hash, start)
                && isLong(start) == isLong;
        return isSame ? start : NONE;
    }

    /// Whether an entry for these bytes may come in now.
    boolean isAdmitted(long word0) {
        return isAdmitted(word0, 0, false);
    }

    boolean isAdmitted(long word0, long word1) {
        return isAdmitted(word0, word1, true);
    }

    private boolean isAdmitted(long word0, long word1, boolean isLong) {
        long[] entries = table;
        return entries == null
                || entries[placeOf(hash(word0, word1, isLong)) + START] == NONE
                || ThreadLocalRandom.current().nextInt() >>> 1 < Integer.MAX_VALUE / ADMISSION;
    }

    void put(long word0, long start) {
        put(word0, 0, start, false);
    }

    void put(long word0, long word1, long start) {
        put(word0, word1, start, true);
    }

    private void put(long word0, long word1, long start, boolean isLong) {
        long[] entries = table;
        if (entries == null) {
            entries = new long[WORDS_PER_PLACE << placesBits];
            table = entries;
        }
        long hash = hash(word0, word1, isLong);
        int at = placeOf(hash);
        entries[at] = word0;
        entries[at + 1] = word1;
        entries[at + START] = start;
        entries[at + SEAL] = seal(hash, start);
    }

    private int placeOf(long hash) {
        return (int) (hash >>> (Long.SIZE - placesBits)) * WORDS_PER_PLACE;
    }

    private static long hash(long word0, long word1, boolean isLong) {
        long hash = (word0 ^ word0 >>> 29) * HASH_FACTOR;
        return (hash ^ hash >>> 31 ^ word1 ^ (isLong ? 0 : HASH_FACTOR)) * HASH_FACTOR;
    }

    private static long seal(long hash, long start) {
        long mixed = (hash ^ start) * HASH_FACTOR;
        return mixed ^ mixed >>> 32 | 1;
    }
}
