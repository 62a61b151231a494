// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file.cache;

import dev.penstock.file.BlockSource;
import dev.penstock.file.Disk;
import dev.penstock.file.RemoteCounter;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongUnaryOperator;

/// An open object behind a cache.
///
/// **Threads.** Safe for any number of threads.
final class CachedObject implements BlockSource {
    /// Reads up to this size are headers, which are not worth a block.
    private static final int HEAD_SIZE = 512;

    private final Disk.Readable source;
    private final BlockCache cache;
    private final CachedBlocks blocks;
    /// The blocks that are being fetched in the background.
    private final Set<Long> later = ConcurrentHashMap.newKeySet();
    private volatile RemoteCounter counter = new RemoteCounter();
    private boolean isClosed;

    CachedObject(Disk.Readable source, BlockCache cache, CachedBlocks blocks) {
        this.source = source;
        this.cache = cache;
        this.blocks = blocks;
    }

    @Override
    public void countTo(RemoteCounter counter) {
        this.counter = counter;
    }

    @Override
    public void follow(LongUnaryOperator distance, long epochLength) {
        blocks.follow(distance, epochLength);
    }

    @Override
    public long size() throws IOException {
        return source.size();
    }

    @Override
    public String version() {
        return source.version();
    }

    @Override
    public long read(long offset, MemorySegment target) throws IOException {
        long byteCount = Math.clamp(blocks.key().size() - offset, 0, target.byteSize());
        if (byteCount > 0 && readAllHeld(offset, target.asSlice(0, byteCount))) {
            return byteCount;
        }
        if (byteCount > HEAD_SIZE) {
            for (long block = offset / BLOCK_SIZE; block <= (offset + byteCount - 1) / BLOCK_SIZE; block++) {
                fetchLater(block);
            }
        }
        return request(offset, target);
    }

    private boolean readAllHeld(long offset, MemorySegment target) {
        long done = 0;
        while (done < target.byteSize()) {
            long at = offset + done;
            long size = Math.min(BLOCK_SIZE - at % BLOCK_SIZE, target.byteSize() - done);
            if (!readHeld(at, target.asSlice(done, size))) {
                return false;
            }
            done += size;
        }
        return true;
    }

    private long request(long offset, MemorySegment target) throws IOException {
        long received = source.read(offset, target);
        counter.received(received);
        return received;
    }

    @Override
    public int blockSize(long blockIndex) {
        return blocks.key().blockSize(blockIndex);
    }

    @Override
    public boolean readHeld(long offset, MemorySegment target) {
        return cache.read(blocks, offset / BLOCK_SIZE, offset % BLOCK_SIZE, target);
    }

    @Override
    public boolean holds(long blockIndex) {
        return blocks.holds(blockIndex);
    }

    @Override
    public boolean wants(long blockIndex) {
        return cache.wants();
    }

    @Override
    public MemorySegment fetch(long blockIndex) throws IOException {
        return cache.fetch(blocks, blockIndex, () -> {
            byte[] bytes = new byte[blockSize(blockIndex)];
            MemorySegment target = MemorySegment.ofArray(bytes);
            if (request(blockIndex * BLOCK_SIZE, target) != bytes.length) {
                throw new EOFException("the object ends in block " + blockIndex);
            }
            return target;
        });
    }

    @Override
    public void fetchLater(long blockIndex) {
        if (!blocks.holds(blockIndex) && cache.wants() && later.add(blockIndex)) {
            if (!cache.later(() -> fetchNow(blockIndex))) {
                // Otherwise the block would never be asked for again.
                later.remove(blockIndex);
            }
        }
    }

    private void fetchNow(long blockIndex) {
        try {
            if (!isClosed() && cache.wants()) {
                fetch(blockIndex);
            }
        } catch (IOException e) {
            // The next read of the block requests it again and reports the error.
        } finally {
            later.remove(blockIndex);
        }
    }

    private synchronized boolean isClosed() {
        return isClosed;
    }

    @Override
    public void close() throws IOException {
        synchronized (this) {
            if (isClosed) {
                return;
            }
            isClosed = true;
        }
        cache.release(blocks);
        source.close();
    }
}
