// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import java.util.concurrent.ThreadLocalRandom;

/// Remembers how far the first bytes of keys lead, so that a lookup need not go through the upper nodes again.
///
/// An entry says: a lookup of a key that goes on with these 8 or 16 bytes, behind what all keys begin with, may
/// start at this node. The table has a fixed number of places, and of two entries with the same place a newcomer
/// now and then replaces the older.
///
/// **Threads.** Any number without locks. Two threads that write one place may mix their entries; each entry
/// ends with a hash of itself, by which a mixed one is recognised and ignored.
final class PrefixJumps {
    static final long NONE = 0;

    /// Bytes of a key that a short entry is about, and a long one.
    static final int SIZE_SHORT = Long.BYTES;

    static final int SIZE_LONG = 2 * Long.BYTES;

    /// When a place is taken, one newcomer in 32 gets in: where there are more prefixes than places, nearly
    /// all would be replaced before they are of use.
    private static final int ADMISSION_MASK = 31;

    private static final int PLACES_BITS_MIN = 6;
    private static final int PLACES_BITS_MAX = 15;

    /// An entry: two words of the key, the jump, the seal.
    private static final int WORDS_PER_PLACE = 4;

    private static final int JUMP = 2;
    private static final int SEAL = 3;

    /// A jump: the number of bytes that lead to the node, whether the node is a line, whether the entry is a long
    /// one, and the node.
    private static final int POSITION_MASK = 31;

    private static final int LINE_BIT = 32;
    private static final int LONG_BIT = 64;
    private static final int NODE_SHIFT = 7;
    private static final long HASH_FACTOR = 0x9E37_79B9_7F4A_7C15L;

    /// A node further into the file does not fit into a jump.
    private final boolean isUsable;

    private final int placesBits;

    /// Made with the first entry, so that opening a tree costs nothing.
    private long[] table;

    /// @param fileSize bytes of the tree: a small one has few nodes
    PrefixJumps(long fileSize) {
        int bits = Long.SIZE - Long.numberOfLeadingZeros(fileSize) - 5;
        this.isUsable = fileSize >>> (Long.SIZE - NODE_SHIFT) == 0;
        this.placesBits = Math.clamp(bits, PLACES_BITS_MIN, PLACES_BITS_MAX);
    }

    static long node(long jump) {
        return jump >>> NODE_SHIFT;
    }

    static int size(long jump) {
        return (int) jump & POSITION_MASK;
    }

    static boolean isLine(long jump) {
        return (jump & LINE_BIT) != 0;
    }

    /// The jump of a key that goes on with these eight bytes, or [#NONE].
    long find(long word) {
        long jump = find(word, 0, hash(word, 0));
        return (jump & LONG_BIT) == 0 ? jump : NONE;
    }

    /// The jump of a key that goes on with these 16 bytes, or [#NONE].
    long find(long word0, long word1) {
        long jump = find(word0, word1, hash(word0, word1));
        return (jump & LONG_BIT) != 0 ? jump : NONE;
    }

    private long find(long word0, long word1, long hash) {
        long[] entries = table;
        if (entries == null) {
            return NONE;
        }
        int at = placeOf(hash);
        // Read once, since another thread may change it between the check and the use.
        long jump = entries[at + JUMP];
        boolean isSame = entries[at] == word0 && entries[at + 1] == word1 && entries[at + SEAL] == seal(hash, jump);
        return isSame ? jump : NONE;
    }

    /// Notes the node that a key comes to within its next eight bytes.
    ///
    /// @param size the number of bytes that lead to the node
    void put(long word, long node, int size, boolean isLine) {
        put(word, 0, node << NODE_SHIFT | (isLine ? LINE_BIT : 0) | size);
    }

    /// Notes the node that a key comes to within its next 16 bytes.
    void put(long word0, long word1, long node, int size, boolean isLine) {
        put(word0, word1, node << NODE_SHIFT | LONG_BIT | (isLine ? LINE_BIT : 0) | size);
    }

    private void put(long word0, long word1, long jump) {
        if (!isUsable) {
            return;
        }
        long[] entries = table;
        if (entries == null) {
            entries = new long[WORDS_PER_PLACE << placesBits];
            table = entries;
        }
        long hash = hash(word0, word1);
        int at = placeOf(hash);
        if (entries[at + JUMP] == NONE || (ThreadLocalRandom.current().nextInt() & ADMISSION_MASK) == 0) {
            entries[at] = word0;
            entries[at + 1] = word1;
            entries[at + JUMP] = jump;
            entries[at + SEAL] = seal(hash, jump);
        }
    }

    private int placeOf(long hash) {
        return (int) (hash >>> (Long.SIZE - placesBits)) * WORDS_PER_PLACE;
    }

    private static long hash(long word0, long word1) {
        long hash = (word0 ^ word0 >>> 29) * HASH_FACTOR;
        return (hash ^ hash >>> 31 ^ word1) * HASH_FACTOR;
    }

    private static long seal(long hash, long jump) {
        long mixed = (hash ^ jump) * HASH_FACTOR;
        return mixed ^ mixed >>> 32 | 1;
    }
}
