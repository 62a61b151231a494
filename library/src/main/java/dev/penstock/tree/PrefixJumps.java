// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import java.util.concurrent.ThreadLocalRandom;

/// A cache of the nodes that the first bytes of keys lead to, so that a lookup need not go through the upper nodes
/// again.
///
/// An entry says that a lookup of a key with these 8 or 16 bytes, after the common prefix of all keys, may start
/// at this node. The table has a fixed number of slots. If a slot is taken, a new entry sometimes replaces the old
/// one.
///
/// **Threads.** Safe for any number of threads without locks. Two threads that write one slot may mix their
/// entries; each entry ends with a hash of itself, by which a mixed entry is recognised and ignored.
final class PrefixJumps {
    static final long NONE = 0;

    /// The number of key bytes in a short entry, and in a long one.
    static final int SIZE_SHORT = Long.BYTES;

    static final int SIZE_LONG = 2 * Long.BYTES;

    /// If a slot is taken, one new entry in 32 replaces the old one. If there are more prefixes than slots, nearly
    /// all entries would otherwise be replaced before they are useful.
    private static final int ADMISSION_MASK = 31;

    private static final int PLACES_BITS_MIN = 6;
    private static final int PLACES_BITS_MAX = 15;

    /// An entry: two words of the key, the jump, the hash. The second word of a short entry is 0.
    private static final int WORDS_PER_PLACE = 4;

    private static final int JUMP = 2;
    private static final int SEAL = 3;

    /// A jump: the number of bytes that lead to the node, whether the node is a line, and the offset of the node.
    private static final int POSITION_MASK = 31;

    private static final int LINE_BIT = 32;
    private static final int NODE_SHIFT = 6;
    private static final long HASH_FACTOR = 0x9E37_79B9_7F4A_7C15L;

    private final int placesBits;

    /// Allocated with the first entry, so that opening a tree costs nothing.
    private long[] table;

    /// @param fileSize the size of the tree: a small one has few nodes
    PrefixJumps(long fileSize) {
        int bits = Long.SIZE - Long.numberOfLeadingZeros(fileSize) - 5;
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

    /// The jump of a key that continues with these bytes, or [#NONE].
    ///
    /// @param word1 0 when the entry is short
    long find(long word0, long word1, boolean isLong) {
        long[] entries = table;
        if (entries == null) {
            return NONE;
        }
        long hash = hash(word0, word1, isLong);
        int at = placeOf(hash);
        // Read once, because another thread may change it between the check and the use.
        long jump = entries[at + JUMP];
        boolean isSame = entries[at] == word0 && entries[at + 1] == word1 && entries[at + SEAL] == seal(hash, jump);
        return isSame ? jump : NONE;
    }

    /// Stores the node that a key reaches within these bytes.
    ///
    /// @param size the number of bytes that lead to the node
    void put(long word0, long word1, boolean isLong, long node, int size, boolean isLine) {
        long[] entries = table;
        if (entries == null) {
            entries = new long[WORDS_PER_PLACE << placesBits];
            table = entries;
        }
        long hash = hash(word0, word1, isLong);
        int at = placeOf(hash);
        if (entries[at + JUMP] == NONE || (ThreadLocalRandom.current().nextInt() & ADMISSION_MASK) == 0) {
            long jump = node << NODE_SHIFT | (isLine ? LINE_BIT : 0) | size;
            entries[at] = word0;
            entries[at + 1] = word1;
            entries[at + JUMP] = jump;
            entries[at + SEAL] = seal(hash, jump);
        }
    }

    private int placeOf(long hash) {
        return (int) (hash >>> (Long.SIZE - placesBits)) * WORDS_PER_PLACE;
    }

    /// Differs between a short entry and a long one with the same words, so that their hashes differ too.
    private static long hash(long word0, long word1, boolean isLong) {
        long hash = (word0 ^ word0 >>> 29) * HASH_FACTOR;
        return (hash ^ hash >>> 31 ^ word1) * HASH_FACTOR + (isLong ? 1 : 0);
    }

    private static long seal(long hash, long jump) {
        long mixed = (hash ^ jump) * HASH_FACTOR;
        return mixed ^ mixed >>> 32 | 1;
    }
}
