// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.file.Layouts.U64;

import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/// Divides records among ranks by blocks. Use it for files on separate nodes: a rank reads only its own files.
///
/// Each share has consecutive blocks, whose records are shuffled by a [BlockSampler]. The sequence takes
/// one record of each share in turn, so it is the same for every number of ranks. If the number of ranks divides
/// the number of shares, each rank samples from whole shares.
///
/// Shares with more blocks last longer. Meanwhile the others repeat their first records, which are marked in the
/// batches. If the last step is dropped, the epoch ends when the first share does.
public final class ShareSampler implements Sampler {
    private final long recordCount;
    private final long blockSize;
    private final long windowBlocks;
    private final int shareCount;
    private final long seed;
    private final long[] starts;
    private final BlockSampler[] shares;
    private final long longest;
    private final long shortest;

    /// @param blockSize    the number of records in a block, such as those of a file
    /// @param windowBlocks the number of blocks of a share that are shuffled together
    /// @param shareCount   the number of shares: the number of ranks, or a multiple of all numbers of ranks to be
    ///                     used
    public ShareSampler(long recordCount, long blockSize, long windowBlocks, int shareCount, long seed) {
        this.recordCount = recordCount;
        this.blockSize = blockSize;
        this.windowBlocks = windowBlocks;
        this.shareCount = shareCount;
        this.seed = seed;
        long blockCount = blockSize < 1 ? 0 : Math.ceilDiv(recordCount, blockSize);
        if (shareCount < 1 || blockCount < shareCount) {
            throw new IllegalArgumentException(recordCount + " records in blocks of " + blockSize
                    + " cannot be divided into " + shareCount + " shares of at least one block");
        }
        this.starts = new long[shareCount + 1];
        this.shares = new BlockSampler[shareCount];
        long most = 0;
        long least = recordCount;
        for (int i = 0; i < shareCount; i++) {
            starts[i + 1] = Math.min(recordCount, blocksBefore(blockCount, i + 1) * blockSize);
            long size = starts[i + 1] - starts[i];
            shares[i] = new BlockSampler(size, blockSize, windowBlocks, Mix.at(seed, ~i));
            most = Math.max(most, size);
            least = Math.min(least, size);
        }
        this.longest = most;
        this.shortest = least;
        Math.multiplyExact(longest, shareCount);
    }

    private long blocksBefore(long blockCount, int share) {
        return blockCount / shareCount * share + blockCount % shareCount * share / shareCount;
    }

    @Override
    public String name() {
        return "share";
    }

    @Override
    public Map<String, Object> parameters() {
        Map<String, Object> parameters = new LinkedHashMap<>();
        parameters.put("blockSize", blockSize);
        parameters.put("windowBlocks", windowBlocks);
        parameters.put("shares", (long) shareCount);
        parameters.put("seed", seed);
        return parameters;
    }

    @Override
    public long recordCount() {
        return recordCount;
    }

    @Override
    public long length() {
        return longest * shareCount;
    }

    @Override
    public int shareCount() {
        return shareCount;
    }

    /// The first record of a share.
    public long shareStart(int share) {
        return starts[share];
    }

    @Override
    public long repeatsFrom() {
        return shortest * shareCount;
    }

    @Override
    public boolean isRepeat(long position) {
        return position / shareCount >= shares[(int) (position % shareCount)].length();
    }

    @Override
    public long index(long epoch, long position) {
        requirePosition(epoch, position);
        int share = (int) (position % shareCount);
        BlockSampler order = shares[share];
        return starts[share] + order.index(epoch, position / shareCount % order.length());
    }

    @Override
    public void fill(long epoch, long position, MemorySegment target) {
        fill(epoch, position, 1, target);
    }

    /// Positions that all belong to one share are consecutive positions of its sampler.
    @Override
    public void fill(long epoch, long position, long stride, MemorySegment target) {
        long count = target.byteSize() / U64.byteSize();
        if (count > 0) {
            requirePosition(epoch, position);
            requirePosition(epoch, position + (count - 1) * stride);
        }
        int share = (int) (position % shareCount);
        long place = position / shareCount;
        if (stride == shareCount && place + count <= shares[share].length()) {
            shares[share].fill(epoch, place, target);
            for (long i = 0; i < count; i++) {
                target.setAtIndex(U64, i, starts[share] + target.getAtIndex(U64, i));
            }
            return;
        }
        for (long i = 0; i < count; i++) {
            target.setAtIndex(U64, i, index(epoch, position + i * stride));
        }
    }

    @Override
    public void ahead(long epoch, long position, long stride, long count, RangeVisitor visitor) {
        for (long share = position % stride; share < shareCount; share += stride) {
            long place = Math.ceilDiv(position - share, shareCount);
            long limit = Math.ceilDiv(position + count * stride - share, shareCount);
            long first = starts[(int) share];
            if (place >= 0 && limit <= shares[(int) share].length()) {
                RangeVisitor shifted = (record, recordCount) -> visitor.at(first + record, recordCount);
                shares[(int) share].ahead(epoch, place, 1, limit - place, shifted);
            }
        }
    }

    @Override
    public OptionalLong position(long epoch, long recordIndex) {
        requireRecord(epoch, recordIndex);
        int share = 0;
        while (recordIndex >= starts[share + 1]) {
            share++;
        }
        long place = shares[share].position(epoch, recordIndex - starts[share]).getAsLong();
        return OptionalLong.of(place * shareCount + share);
    }

    @Override
    public boolean isPermutation() {
        return longest == shortest;
    }

    @Override
    public Sampler resized(long recordCount) {
        return new ShareSampler(recordCount, blockSize, windowBlocks, shareCount, seed);
    }

    @Override
    public long spreadCount() {
        // A window has at most the records of its share, and their number does not overflow.
        return Math.min(recordCount, Math.min(longest, blockSize * windowBlocks) * shareCount);
    }

    @Override
    public long neighbourCount() {
        return Math.min(blockSize, recordCount);
    }
}
