// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/// The entries of consecutive slots, two numbers for each.
///
/// They are stored in blocks of one size, so that a long list grows without being copied. The first block starts
/// small and is an array. The others are off-heap: a journal may have tens of millions of entries, and the garbage
/// collector would copy them while they are read.
///
/// Entries that are not in the tables yet lie outside the heap, and a journal is read ahead by
/// another thread (`JournalWindow`). While a long journal is replayed the garbage collector would copy millions
/// of entries, and reading is a fourth of the time.
///
/// **Ownership.** The garbage collector frees blocks that no list uses any more. **Threads.** Safe for any number
/// of threads as long as nothing is changed.
final class EntryList {
    private static final int COUNT_MIN = 16;
    private static final int BLOCK_SHIFT = 14;
    private static final int BLOCK_COUNT = 1 << BLOCK_SHIFT;
    private static final int BLOCK_MASK = BLOCK_COUNT - 1;
    private static final ValueLayout.OfLong NUMBER = ValueLayout.JAVA_LONG;
    private static final MemorySegment[] NO_BLOCKS = {};

    /// The first block.
    private long[] first = {};
    /// The other blocks; the one at position 0 follows the first block.
    private MemorySegment[] blocks = NO_BLOCKS;

    /// Blocks before this one may be shared with the list that this is a copy of, and must not be written to. The
    /// first block counts.
    private int ownedFrom;

    private int count;

    int count() {
        return count;
    }

    StoreEntry get(int index) {
        int at = 2 * (index & BLOCK_MASK);
        if (index < BLOCK_COUNT) {
            return StoreEntry.of(first[at], first[at + 1]);
        }
        MemorySegment block = blocks[(index >>> BLOCK_SHIFT) - 1];
        return StoreEntry.of(block.getAtIndex(NUMBER, at), block.getAtIndex(NUMBER, at + 1));
    }

    /// A copy that changes independently, as long as the original does not change. Only its last block is copied
    /// at once.
    EntryList copy() {
        EntryList copy = new EntryList();
        copy.first = first;
        copy.blocks = blocks.clone();
        copy.count = count;
        copy.ownedFrom = 1 + blocks.length;
        copy.own(count >>> BLOCK_SHIFT);
        return copy;
    }

    /// Copies a block and all blocks after it that are shared.
    private void own(int block) {
        for (int i = block; i < Math.min(ownedFrom, 1 + blocks.length); i++) {
            if (i == 0) {
                first = first.clone();
            } else if (blocks[i - 1] != null) {
                blocks[i - 1] = newBlock().copyFrom(blocks[i - 1]);
            }
        }
        ownedFrom = Math.min(ownedFrom, block);
    }

    private static MemorySegment newBlock() {
        return Arena.ofAuto().allocate(NUMBER, 2L * BLOCK_COUNT);
    }

    void set(int index, StoreEntry entry) {
        own(index >>> BLOCK_SHIFT);
        set(index, entry.chunkAndSize(), entry.offset());
    }

    private void set(int index, long chunkAndSize, long offset) {
        int at = 2 * (index & BLOCK_MASK);
        if (index < BLOCK_COUNT) {
            first[at] = chunkAndSize;
            first[at + 1] = offset;
        } else {
            MemorySegment block = blocks[(index >>> BLOCK_SHIFT) - 1];
            block.setAtIndex(NUMBER, at, chunkAndSize);
            block.setAtIndex(NUMBER, at + 1, offset);
        }
    }

    void add(StoreEntry entry) {
        makeRoom();
        set(count, entry.chunkAndSize(), entry.offset());
        count++;
    }

    /// Adds entries as the two numbers of [StoreEntry#of] for each.
    ///
    /// @param addedCount the number of entries in the array
    void addAll(long[] numbers, int addedCount) {
        for (int done = 0; done < addedCount; ) {
            int room = makeRoom();
            int copied = Math.min(room, addedCount - done);
            int at = 2 * (count & BLOCK_MASK);
            if (count < BLOCK_COUNT) {
                System.arraycopy(numbers, 2 * done, first, at, 2 * copied);
            } else {
                MemorySegment block = blocks[(count >>> BLOCK_SHIFT) - 1];
                MemorySegment.copy(numbers, 2 * done, block, NUMBER, (long) at * Long.BYTES, 2 * copied);
            }
            done += copied;
            count += copied;
        }
    }

    /// Adds the entries of another list.
    void addAll(EntryList other) {
        long[] numbers = new long[2 * Math.min(other.count, BLOCK_COUNT)];
        for (int done = 0; done < other.count; done += BLOCK_COUNT) {
            int copied = Math.min(BLOCK_COUNT, other.count - done);
            if (done == 0) {
                addAll(other.first, copied);
            } else {
                MemorySegment block = other.blocks[(done >>> BLOCK_SHIFT) - 1];
                MemorySegment.copy(block, NUMBER, 0, numbers, 0, 2 * copied);
                addAll(numbers, copied);
            }
        }
    }

    /// Whether any of the entries is a tombstone.
    boolean hasDeleted() {
        for (int i = 0; i < count; i++) {
            if (get(i).isDeleted()) {
                return true;
            }
        }
        return false;
    }

    /// Makes sure that there is space for an entry.
    ///
    /// @return the number of entries that still fit in the block
    private int makeRoom() {
        int block = count >>> BLOCK_SHIFT;
        if (block == 0) {
            if (2 * count == first.length) {
                first = Arrays.copyOf(first, 2 * Math.clamp(first.length, COUNT_MIN, BLOCK_COUNT));
            }
            return first.length / 2 - count;
        }
        if (block > blocks.length) {
            blocks = Arrays.copyOf(blocks, Math.multiplyExact(2, block));
        }
        if (blocks[block - 1] == null) {
            blocks[block - 1] = newBlock();
        }
        return BLOCK_COUNT - (count & BLOCK_MASK);
    }

    /// Adds missing values up to a number of entries, or drops the last ones.
    void resize(int newCount) {
        while (count < newCount) {
            add(StoreEntry.MISSING);
        }
        own(newCount >>> BLOCK_SHIFT);
        count = newCount;
    }

    void clear() {
        first = new long[0];
        blocks = NO_BLOCKS;
        ownedFrom = 0;
        count = 0;
    }
}
