// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// Remembers how far the first bytes of long keys led, so that a lookup need not go through the upper nodes
/// again.
///
/// An entry says: whoever looks up a key that begins with these bytes may start at this branch. It is one cache
/// line in a table of a fixed number of places, and of two that have the same place a newcomer replaces the
/// older.
///
/// **Threads.** Any number without locks. Two threads that write one place may mix their entries; each entry
/// ends with a hash of itself, by which a mixed one is recognised and ignored.
final class PrefixJumps {
    static final long NONE = -1;

    /// Fewer branches than this are gone through as fast as an entry is read.
    static final int BRANCHES_MIN = 4;

    /// When both places of a pair are taken, one newcomer in so many gets in: where there are more prefixes than
    /// places, nearly all would be replaced before they are of use.
    private static final int ADMISSION = 8;

    private static final VarHandle WORDS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int PAIRS_BITS = 14;
    private static final int WORDS_PER_PLACE = 8;
    private static final int POSITION_BITS = 8;

    /// What follows the bytes in an entry.
    private static final int START = 3;

    private static final int SEAL = 4;
    private static final long HASH_FACTOR = 0x9E37_79B9_7F4A_7C15L;

    /// Bytes of a key that an entry is about: 16 or 24.
    private final int size;

    /// Made with the first entry, so that opening a tree costs nothing.
    private long[] table;

    private int newcomerCount;

    PrefixJumps(int size) {
        this.size = size;
    }

    /// Where to start with a key that has at least these bytes, or [#NONE]: see [#node] and [#position].
    long find(byte[] key) {
        long[] entries = table;
        if (entries == null) {
            return NONE;
        }
        long word0 = (long) WORDS.get(key, 0);
        long word1 = (long) WORDS.get(key, 8);
        long word2 = size == 16 ? 0 : (long) WORDS.get(key, 16);
        long hash = hash(word0, word1, word2);
        int at = placeOf(hash);
        long start = startAt(entries, at, word0, word1, word2, hash);
        return start != NONE ? start : startAt(entries, at + WORDS_PER_PLACE, word0, word1, word2, hash);
    }

    private static long startAt(long[] entries, int at, long word0, long word1, long word2, long hash) {
        // Read once, since another thread may change it between the check and the use.
        long start = entries[at + START];
        boolean isSame = entries[at] == word0
                && entries[at + 1] == word1
                && entries[at + 2] == word2
                && entries[at + SEAL] == seal(hash, start);
        return isSame ? start : NONE;
    }

    static long node(long start) {
        return start >>> POSITION_BITS;
    }

    static int position(long start) {
        return (int) start & ((1 << POSITION_BITS) - 1);
    }

    /// Notes that a key comes to a branch after so many of its first bytes.
    void put(byte[] key, long node, int position) {
        if (node >>> (Long.SIZE - 1 - POSITION_BITS) != 0) {
            return;
        }
        long[] entries = table;
        if (entries == null) {
            entries = new long[2 * WORDS_PER_PLACE << PAIRS_BITS];
            table = entries;
        }
        long word0 = (long) WORDS.get(key, 0);
        long word1 = (long) WORDS.get(key, 8);
        long word2 = size == 16 ? 0 : (long) WORDS.get(key, 16);
        long hash = hash(word0, word1, word2);
        int at = placeOf(hash);
        long start = node << POSITION_BITS | position;
        boolean isTaken = entries[at + START] != 0 && entries[at + WORDS_PER_PLACE + START] != 0;
        if (isTaken && ++newcomerCount % ADMISSION != 0) {
            return;
        }
        // The newest of a pair is in front; the older of the two goes.
        System.arraycopy(entries, at, entries, at + WORDS_PER_PLACE, WORDS_PER_PLACE);
        entries[at] = word0;
        entries[at + 1] = word1;
        entries[at + 2] = word2;
        entries[at + START] = start;
        entries[at + SEAL] = seal(hash, start);
    }

    private static int placeOf(long hash) {
        return (int) (hash >>> (Long.SIZE - PAIRS_BITS)) * 2 * WORDS_PER_PLACE;
    }

    private static long hash(long word0, long word1, long word2) {
        long hash = (word0 ^ word0 >>> 29) * HASH_FACTOR;
        hash = (hash ^ hash >>> 31 ^ word1) * HASH_FACTOR;
        return (hash ^ hash >>> 29 ^ word2) * HASH_FACTOR;
    }

    private static long seal(long hash, long start) {
        long mixed = (hash ^ start) * HASH_FACTOR;
        return mixed ^ mixed >>> 32 | 1;
    }
}
