// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

/// The blocks that a [BlockSampler] shuffles together.
final class BlockWindow {
    /// The largest number of blocks for which a table is kept. For a larger window each block is computed when
    /// needed.
    private static final long TABLE_COUNT_MAX = 1 << 16;

    private final long start;
    private final long size;
    private final Bijection mixed;
    private final Bijection blocks;
    private final long firstSlot;
    private final long blockSize;
    /// The end of the short block's records. After it, places are shifted by `missing` records.
    private final long shortLimit;
    private final long missing;
    /// The first record of each block, or null.
    private final long[] firstRecords;

    BlockWindow(
            long start,
            long size,
            Bijection mixed,
            Bijection blocks,
            long firstSlot,
            long slotLimit,
            long blockSize,
            long shortLimit,
            long missing) {
        this.start = start;
        this.size = size;
        this.mixed = mixed;
        this.blocks = blocks;
        this.firstSlot = firstSlot;
        this.blockSize = blockSize;
        this.shortLimit = shortLimit;
        this.missing = missing;
        boolean isSmall = slotLimit - firstSlot <= TABLE_COUNT_MAX;
        this.firstRecords = isSmall ? new long[(int) (slotLimit - firstSlot)] : null;
        for (int i = 0; isSmall && i < firstRecords.length; i++) {
            firstRecords[i] = blocks.forward(firstSlot + i) * blockSize;
        }
    }

    /// The first position.
    long start() {
        return start;
    }

    /// The number of positions.
    long size() {
        return size;
    }

    /// The permutation of its positions.
    Bijection mixed() {
        return mixed;
    }

    /// The record at a position of the window before the permutation.
    long record(long place) {
        long whole = place < shortLimit ? place : place + missing;
        long slot = whole / blockSize;
        long firstRecord =
                firstRecords != null ? firstRecords[(int) slot] : blocks.forward(firstSlot + slot) * blockSize;
        return firstRecord + (whole - slot * blockSize);
    }
}
