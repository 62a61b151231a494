// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.file.OpenFile;
import dev.penstock.file.RangeList;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntToLongFunction;

/// The table of a field in a remote storage. Blocks of it are read when they are first needed, and kept: a shuffle
/// comes back to every block of a table again and again.
///
/// **Threads.** Safe for any number of threads.
final class TableBlocks {
    /// A multiple of the size of an entry.
    static final int BLOCK_SIZE = 64 << 10;

    private static final long SLOTS = BLOCK_SIZE / StoreFormat.ENTRY_SIZE;

    private final OpenFile file;
    private final AtomicReferenceArray<MemorySegment> blocks;

    TableBlocks(OpenFile file) {
        this.file = file;
        this.blocks = new AtomicReferenceArray<>(Math.toIntExact((file.size() + BLOCK_SIZE - 1) / BLOCK_SIZE));
    }

    /// Reads the missing blocks of many slots, several at a time.
    ///
    /// @param slots gives the slots, or -1 for none
    void fetch(int count, IntToLongFunction slots) throws IOException {
        BitSet missing = new BitSet();
        for (int i = 0; i < count; i++) {
            long slot = slots.applyAsLong(i);
            if (slot >= 0 && blocks.get((int) (slot / SLOTS)) == null) {
                missing.set((int) (slot / SLOTS));
            }
        }
        RangeList ranges = new RangeList();
        MemorySegment[] read = new MemorySegment[missing.length()];
        for (int block = missing.nextSetBit(0); block >= 0; block = missing.nextSetBit(block + 1)) {
            read[block] = memory(block);
            ranges.add(file, (long) block * BLOCK_SIZE, read[block]);
        }
        ranges.read();
        missing.stream().forEach(block -> blocks.set(block, read[block]));
    }

    private MemorySegment memory(int block) {
        return MemorySegment.ofArray(new byte[(int) Math.min(BLOCK_SIZE, file.size() - (long) block * BLOCK_SIZE)]);
    }

    StoreEntry get(long slot) throws IOException {
        int block = (int) (slot / SLOTS);
        MemorySegment bytes = blocks.get(block);
        if (bytes == null) {
            bytes = memory(block);
            file.read((long) block * BLOCK_SIZE, bytes);
            blocks.set(block, bytes);
        }
        return StoreEntry.read(bytes, slot % SLOTS * StoreFormat.ENTRY_SIZE);
    }
}
