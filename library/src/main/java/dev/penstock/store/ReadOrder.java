// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import java.util.Arrays;

/// The order in which the values of a batch are read: by chunk and, within a chunk, by page. Each chunk is looked
/// up once, and a disk is read in one direction. The result keeps the order of the request.
///
/// **Threads.** One thread at a time.
final class ReadOrder {
    /// A number has the chunk, the page in it and the row, from its upper bits to its lower ones.
    private static final int ROW_BITS = 20;

    private static final int PAGE_BITS = 28;
    private static final int CHUNK_BITS = 15;
    private static final int PAGE_SHIFT = 12;

    private long[] keys = new long[0];
    private int count;
    private boolean isSorted;
    private boolean isPossible;
    private long firstKey;
    private boolean isMixed;

    /// Starts a batch of `rowCount` rows.
    void begin(int rowCount) {
        count = rowCount;
        isSorted = false;
        isMixed = false;
        firstKey = -1;
        isPossible = rowCount <= 1 << ROW_BITS;
        if (isPossible && keys.length < rowCount) {
            keys = new long[rowCount];
        }
    }

    /// Sets the place of the value of a row. It must be called for all rows.
    void set(int row, StoreEntry entry) {
        long page = entry.offset() >>> PAGE_SHIFT;
        isPossible &= !entry.hasBytes() || entry.chunk() < 1L << CHUNK_BITS && page < 1L << PAGE_BITS;
        if (!isPossible) {
            return;
        }
        // Values without bytes need no read, and come first.
        long key = entry.hasBytes() ? entry.chunk() << PAGE_BITS | page : 0;
        keys[row] = key << ROW_BITS | row;
        if (entry.hasBytes()) {
            firstKey = firstKey < 0 ? entry.chunk() : firstKey;
            isMixed |= entry.chunk() != firstKey;
        }
    }

    /// Whether the values lie in several chunks.
    boolean isMixed() {
        return isMixed;
    }

    /// Sorts the rows, unless the batch or the store is too large for that.
    void sort() {
        if (isPossible) {
            Arrays.sort(keys, 0, count);
            isSorted = true;
        }
    }

    /// The row at a position of the order.
    int row(int at) {
        return isSorted ? (int) keys[at] & (1 << ROW_BITS) - 1 : at;
    }
}
