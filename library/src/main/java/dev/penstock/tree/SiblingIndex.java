// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

/// A cache of the offsets of every eighth node of long runs, so that a lookup need not step over two hundred
/// siblings.
///
/// A run is entered when it is visited for the second time, because most runs of a large tree are visited once.
/// The table has a fixed number of slots and a new entry replaces the old one, so memory is bounded.
///
/// **Threads.** Safe for any number of threads without locks: an entry never changes after it was made, and an
/// entry that another thread has replaced is simply made again.
final class SiblingIndex {
    private static final int STRIDE_BITS = 3;

    /// Stepping to lower ranks is cheaper than the cache.
    private static final int RANK_MIN = 1 << STRIDE_BITS;

    private static final int PLACES_BITS = 14;
    private static final long HASH_FACTOR = 0x9E37_79B9_7F4A_7C15L;

    private record Entry(long first, int[] distances) {}

    private record Table(Entry[] entries, long[] metOnce) {}

    private final TreeBytes bytes;
    /// Allocated when first needed, so that opening a tree costs nothing. If two threads both allocate one, the
    /// entries of one are lost and made again.
    private Table table;

    SiblingIndex(TreeBytes bytes) {
        this.bytes = bytes;
    }

    /// The node of a run with `rank` nodes before it.
    long skip(long first, int rank, int childCount) {
        if (rank < RANK_MIN) {
            return bytes.skip(first, rank);
        }
        int place = (int) (first * HASH_FACTOR >>> (Long.SIZE - PLACES_BITS));
        Table table = table();
        Entry entry = table.entries[place];
        if (entry == null || entry.first != first) {
            if (table.metOnce[place] != first) {
                table.metOnce[place] = first;
                return bytes.skip(first, rank);
            }
            entry = entry(first, childCount);
            table.entries[place] = entry;
        }
        int stride = Math.min(rank >>> STRIDE_BITS, entry.distances.length - 1);
        return bytes.skip(first + entry.distances[stride], rank - (stride << STRIDE_BITS));
    }

    private Table table() {
        Table made = table;
        if (made == null) {
            made = new Table(new Entry[1 << PLACES_BITS], new long[1 << PLACES_BITS]);
            table = made;
        }
        return made;
    }

    private Entry entry(long first, int childCount) {
        int[] distances = new int[(childCount + RANK_MIN - 1) >>> STRIDE_BITS];
        long node = first;
        for (int i = 1; i < distances.length; i++) {
            node = bytes.skip(node, RANK_MIN);
            distances[i] = (int) (node - first);
        }
        return new Entry(first, distances);
    }
}
