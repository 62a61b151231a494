// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

/// Blocks that a [BlockSampler] mixes.
final class BlockWindow {
    /// A larger window asks for each block as it is needed rather than keep all of them.
    private static final long TABLE_COUNT_MAX = 1 << 16;

    private final long start;
    private final long size;
    private final Bijection mixed;
    private final Bijection blocks;
    private final long firstSlot;
    private final long blockSize;
    /// Where the records of the short block end; behind, places are as if it had been `missing` records longer.
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

    /// How many there are.
    long size() {
        return size;
    }

    /// The order of its places.
    Bijection mixed() {
        return mixed;
    }

    /// The record at a place of the window before it is mixed.
    long record(long place) {
        long whole = place < shortLimit ? place : place + missing;
        long slot = whole / blockSize;
        long firstRecord =
                firstRecords != null ? firstRecords[(int) slot] : blocks.forward(firstSlot + slot) * blockSize;
        return firstRecord + (whole - slot * blockSize);
    }
}
