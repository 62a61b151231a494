// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.file.Layouts.U64;

import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/// Samples every record once in each epoch, from a few blocks of neighbours at a time. Use it for data larger than
/// memory.
///
/// The records are divided into blocks of `blockSize`. The order of the blocks is permuted. `windowBlocks`
/// consecutive blocks in that order form a window, and the records of a window are permuted. During a window only
/// its blocks are read, so memory for two windows is enough to read every block once.
///
/// The last block may be shorter. Its window changes with the epoch, and all positions after it move forward by
/// the missing records.
public final class BlockSampler implements Sampler {
    private final long recordCount;
    private final long blockSize;
    private final long windowBlocks;
    private final long seed;
    private final long blockCount;
    /// The number of records that the last block lacks.
    private final long missing;

    private volatile Order last;

    /// @param blockSize    the number of records in a block
    /// @param windowBlocks the number of blocks that are shuffled together
    public BlockSampler(long recordCount, long blockSize, long windowBlocks, long seed) {
        Sampler.requireCount(recordCount);
        if (blockSize < 1 || windowBlocks < 1) {
            throw new IllegalArgumentException("blockSize and windowBlocks must be at least 1");
        }
        Math.multiplyExact(blockSize, windowBlocks);
        this.recordCount = recordCount;
        this.blockSize = blockSize;
        this.windowBlocks = windowBlocks;
        this.seed = seed;
        this.blockCount = Math.ceilDiv(recordCount, blockSize);
        this.missing = blockCount * blockSize - recordCount;
        this.last = new Order(0);
    }

    @Override
    public String name() {
        return "block";
    }

    @Override
    public Map<String, Object> parameters() {
        Map<String, Object> parameters = new LinkedHashMap<>();
        parameters.put("blockSize", blockSize);
        parameters.put("windowBlocks", windowBlocks);
        parameters.put("seed", seed);
        return parameters;
    }

    @Override
    public long recordCount() {
        return recordCount;
    }

    @Override
    public long length() {
        return recordCount;
    }

    /// The number of records of a whole window.
    public long windowSize() {
        return blockSize * windowBlocks;
    }

    @Override
    public long index(long epoch, long position) {
        requirePosition(epoch, position);
        BlockWindow window = order(epoch).window(position);
        return window.record(window.mixed().forward(position - window.start()));
    }

    @Override
    public void fill(long epoch, long position, MemorySegment target) {
        long count = requirePositions(epoch, position, target);
        Order order = order(epoch);
        long done = 0;
        while (done < count) {
            BlockWindow window = order.window(position + done);
            long inWindow = position + done - window.start();
            long here = Math.min(count - done, window.size() - inWindow);
            boolean isAll = here == count;
            MemorySegment part = isAll ? target : target.asSlice(done * U64.byteSize(), here * U64.byteSize());
            window.mixed().forward(inWindow, part);
            for (long i = 0; i < here; i++) {
                part.setAtIndex(U64, i, window.record(part.getAtIndex(U64, i)));
            }
            done += here;
        }
    }

    /// When a window begins, its blocks are already being prefetched, and those of the next window are announced.
    @Override
    public void ahead(long epoch, long position, long stride, long count, RangeVisitor visitor) {
        if (count == 0) {
            return;
        }
        Order order = order(epoch);
        long limit = position + (count - 1) * stride + 1;
        BlockWindow window = order.window(position);
        if (position == 0) {
            order.forEachBlock(0, visitor);
        }
        // The start of a window that begins within the batch, or of the one after it.
        long start = window.start() == position ? position : window.start() + window.size();
        while (start < limit && start < recordCount) {
            BlockWindow begun = order.window(start);
            long next = start + begun.size();
            if (next < recordCount) {
                order.forEachBlock(order.windowNumber(next), visitor);
            }
            start = next;
        }
    }

    @Override
    public OptionalLong position(long epoch, long recordIndex) {
        requireRecord(epoch, recordIndex);
        return OptionalLong.of(order(epoch).position(recordIndex));
    }

    @Override
    public long togetherLimit(long epoch, long position) {
        BlockWindow window = order(epoch).window(position);
        return window.start() + window.size();
    }

    @Override
    public boolean isPermutation() {
        return true;
    }

    @Override
    public Sampler resized(long recordCount) {
        return new BlockSampler(recordCount, blockSize, windowBlocks, seed);
    }

    @Override
    public long spreadCount() {
        return Math.min(windowSize(), recordCount);
    }

    @Override
    public long neighbourCount() {
        return Math.min(blockSize, recordCount);
    }

    private Order order(long epoch) {
        Order current = last;
        if (current.epoch != epoch) {
            current = new Order(epoch);
            last = current;
        }
        return current;
    }

    /// The order of one epoch.
    private final class Order {
        final long epoch;
        final long key;
        final Bijection blocks;
        /// The position of the short block among the permuted blocks.
        final long shortSlot;

        private volatile BlockWindow last;

        Order(long epoch) {
            this.epoch = epoch;
            this.key = Mix.at(seed, epoch);
            this.blocks = new Bijection(blockCount, key);
            this.shortSlot = missing == 0 ? blockCount : blocks.inverse(blockCount - 1);
        }

        /// The number of positions before a permuted block.
        long slotStart(long slot) {
            return slot * blockSize - (slot > shortSlot ? missing : 0);
        }

        BlockWindow window(long position) {
            BlockWindow current = last;
            if (current == null || position < current.start() || position >= current.start() + current.size()) {
                current = windowOf(windowNumber(position));
                last = current;
            }
            return current;
        }

        long windowNumber(long position) {
            // After the short block windows begin earlier, so this may be the next window.
            long number = position / windowSize();
            long next = Math.min(blockCount, (number + 1) * windowBlocks);
            return position < slotStart(next) ? number : number + 1;
        }

        void forEachBlock(long windowNumber, RangeVisitor visitor) {
            long slotLimit = Math.min(blockCount, (windowNumber + 1) * windowBlocks);
            for (long slot = windowNumber * windowBlocks; slot < slotLimit; slot++) {
                long firstRecord = blocks.forward(slot) * blockSize;
                visitor.at(firstRecord, Math.min(blockSize, recordCount - firstRecord));
            }
        }

        BlockWindow windowOf(long number) {
            long firstSlot = number * windowBlocks;
            long start = slotStart(firstSlot);
            long slotLimit = Math.min(blockCount, firstSlot + windowBlocks);
            long size = slotStart(slotLimit) - start;
            Bijection mixed = mixed(number, size);
            // The end of the short block's records in the window, and the shift of the records after it.
            boolean hasShort = shortSlot >= firstSlot && shortSlot < slotLimit;
            long shortLimit = hasShort ? slotStart(shortSlot) - start + blockSize - missing : size;
            return new BlockWindow(start, size, mixed, blocks, firstSlot, slotLimit, blockSize, shortLimit, missing);
        }

        private Bijection mixed(long number, long size) {
            return new Bijection(size, Mix.at(key, ~number));
        }

        /// Computed without a [BlockWindow], whose table takes long to create.
        long position(long recordIndex) {
            long slot = blocks.inverse(recordIndex / blockSize);
            long number = slot / windowBlocks;
            long start = slotStart(number * windowBlocks);
            long size = slotStart(Math.min(blockCount, (number + 1) * windowBlocks)) - start;
            long inWindow = slotStart(slot) - start + recordIndex % blockSize;
            return start + mixed(number, size).inverse(inWindow);
        }
    }
}
