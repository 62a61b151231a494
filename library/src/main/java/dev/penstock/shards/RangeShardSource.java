// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.file.Parallel;
import dev.penstock.rows.RowGather;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

/// A source over files that are read by range: local files that are not mapped, or objects of a remote store.
///
/// Other threads fetch the rows after the position in blocks of consecutive rows of one shard, within the
/// read-ahead budget. A failed block is reported when its rows are needed, and the next call fetches it again.
/// Each block is fetched once in a pass.
final class RangeShardSource extends ShardStream {
    /// The number of blocks in the budget, so that several requests run in parallel.
    private static final long BLOCKS_AHEAD = 4;

    private static final long BLOCK_BYTES_MAX = 16L << 20;

    /// The size of a request without read-ahead.
    private static final long BLOCK_BYTES = 1L << 20;

    private final long budgetBytes;
    private final long blockRows;
    private final Map<Long, Future<byte[]>> blocks = new HashMap<>();
    private final AtomicLong readBytes = new AtomicLong();
    private byte[] single = new byte[0];
    private long singleStart = -1;
    private long aheadBytesMax;
    private long waitCount;
    private long failureCount;

    RangeShardSource(ShardReader reader, ShardFiles shards, RowGather gather, ShardReader.Options options) {
        super(reader, shards, gather, options);
        this.budgetBytes = options.readAheadBytes();
        long blockBytes = budgetBytes == 0 ? BLOCK_BYTES : Math.min(BLOCK_BYTES_MAX, budgetBytes / BLOCKS_AHEAD);
        this.blockRows = Math.max(1, blockBytes / Math.max(1, rows.rowSize()));
    }

    @Override
    boolean isParallel() {
        return false;
    }

    /// Fetches the blocks that fit in the budget, and drops those that are not ahead.
    @Override
    void moved(long rowId) {
        Map<Long, Future<byte[]>> kept = new HashMap<>();
        long aheadBytes = 0;
        long start = rowId == count() ? rowId : blockStart(rowId);
        while (start < count() && budgetBytes > 0) {
            long limit = blockLimit(start);
            long byteCount = (limit - start) * rows.rowSize();
            if (aheadBytes > 0 && aheadBytes + byteCount > budgetBytes) {
                break;
            }
            Future<byte[]> known = blocks.get(start);
            kept.put(start, known == null ? fetch(start, limit) : known);
            aheadBytes += byteCount;
            start = limit;
        }
        blocks.clear();
        blocks.putAll(kept);
        aheadBytesMax = Math.max(aheadBytesMax, aheadBytes);
    }

    /// Blocks are counted from the first row of their shard.
    private long blockStart(long rowId) {
        long shardStart = rows.start(rows.fileOf(rowId));
        return shardStart + (rowId - shardStart) / blockRows * blockRows;
    }

    private long blockLimit(long start) {
        return Math.min(start + blockRows, rows.start(rows.fileOf(start) + 1));
    }

    private Future<byte[]> fetch(long start, long limit) {
        return Parallel.start(() -> {
            byte[] bytes = read(start, limit);
            readBytes.addAndGet(bytes.length);
            return bytes;
        });
    }

    private byte[] read(long start, long limit) throws IOException {
        byte[] bytes = new byte[Math.toIntExact((limit - start) * rows.rowSize())];
        shards.group().use(() -> {
            rows.readInFile(start, 0, MemorySegment.ofArray(bytes));
            return null;
        });
        return bytes;
    }

    @Override
    void readBytes(long rowId, long byteOffset, MemorySegment target) throws IOException {
        long rowSize = rows.rowSize();
        for (long done = 0; done < target.byteSize(); ) {
            long at = byteOffset + done;
            long row = rowId + at / rowSize;
            long start = blockStart(row);
            long inBlock = (row - start) * rowSize + at % rowSize;
            long here = Math.min(target.byteSize() - done, (blockLimit(start) - start) * rowSize - inBlock);
            Future<byte[]> block = blocks.get(start);
            byte[] bytes = block == null ? single(start) : await(start, block);
            MemorySegment.copy(MemorySegment.ofArray(bytes), inBlock, target, done, here);
            done += here;
        }
    }

    /// A block that was not read ahead. The last one is kept, because it is read in small pieces.
    private byte[] single(long start) throws IOException {
        if (singleStart != start) {
            single = read(start, blockLimit(start));
            singleStart = start;
        }
        return single;
    }

    private byte[] await(long start, Future<byte[]> block) throws IOException {
        waitCount += block.isDone() ? 0 : 1;
        try {
            return Parallel.await(block);
        } catch (IOException | RuntimeException e) {
            failureCount++;
            blocks.remove(start);
            throw e;
        }
    }

    @Override
    public ReadAheadCounts readAhead() {
        return new ReadAheadCounts(readBytes.get(), aheadBytesMax, waitCount, failureCount);
    }

    @Override
    public void close() {
        blocks.clear();
        super.close();
    }
}
