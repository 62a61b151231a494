// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import java.util.Arrays;

/// The entries of consecutive slots, two numbers for each.
///
/// They lie in blocks of one size, so that a long list grows without being copied. Only the first block begins
/// small.
///
/// **Threads.** Any number as long as nothing is changed.
final class EntryList {
    private static final int COUNT_MIN = 16;
    private static final int BLOCK_SHIFT = 14;
    private static final int BLOCK_COUNT = 1 << BLOCK_SHIFT;
    private static final int BLOCK_MASK = BLOCK_COUNT - 1;

    private long[][] blocks = new long[1][0];
    private int count;

    int count() {
        return count;
    }

    StoreEntry get(int index) {
        long[] block = blocks[index >>> BLOCK_SHIFT];
        int at = 2 * (index & BLOCK_MASK);
        return StoreEntry.of(block[at], block[at + 1]);
    }

    void set(int index, StoreEntry entry) {
        set(index, entry.chunkAndSize(), entry.offset());
    }

    private void set(int index, long chunkAndSize, long offset) {
        long[] block = blocks[index >>> BLOCK_SHIFT];
        int at = 2 * (index & BLOCK_MASK);
        block[at] = chunkAndSize;
        block[at + 1] = offset;
    }

    void add(StoreEntry entry) {
        add(entry.chunkAndSize(), entry.offset());
    }

    /// Adds an entry as the two numbers that [StoreEntry#of] takes.
    void add(long chunkAndSize, long offset) {
        int block = count >>> BLOCK_SHIFT;
        boolean hasRoom =
                block < blocks.length && blocks[block] != null && 2 * (count & BLOCK_MASK) < blocks[block].length;
        if (!hasRoom) {
            makeRoom(block);
        }
        set(count, chunkAndSize, offset);
        count++;
    }

    private void makeRoom(int block) {
        if (block == 0) {
            int newCount = Math.clamp(blocks[0].length, COUNT_MIN, BLOCK_COUNT);
            blocks[0] = Arrays.copyOf(blocks[0], 2 * newCount);
        } else {
            blocks = block < blocks.length ? blocks : Arrays.copyOf(blocks, Math.multiplyExact(2, blocks.length));
            blocks[block] = new long[2 * BLOCK_COUNT];
        }
    }

    /// Adds missing values until there are as many entries, or drops the last ones.
    void resize(int newCount) {
        while (count < newCount) {
            add(StoreEntry.MISSING);
        }
        count = newCount;
    }

    void clear() {
        blocks = new long[1][0];
        count = 0;
    }
}
