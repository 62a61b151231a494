// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file.cache;

import dev.penstock.RemoteRecords.NextUse;
import dev.penstock.file.Disk;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/// Keeps a cache within its limit, and decides what goes when it is full.
///
/// 1. Blocks of objects that no process uses, of one object after another.
/// 2. Blocks of this process's own objects whose next use is farther away than that of the new block by more than
///    an epoch.
///
/// A block that is used in every epoch therefore stays, and a block that does not fit is not kept. That is as good
/// as giving up the block with the farthest next use (Belady), and writes less: when each record is used once in
/// an epoch, the time from the last use of a block to the next one contains the border of the epochs, where the
/// cache cannot hold more blocks than fit.
///
/// Other processes add blocks too, so the size is measured again whenever this process has added a part of the
/// limit, or finds the cache full.
///
/// **Threads.** Safe for any number of threads.
final class CacheSpace {
    /// How long a full cache is believed to be full.
    private static final long FULL_NANOS = TimeUnit.SECONDS.toNanos(2);

    /// The part of the limit after which the size is measured again.
    private static final int MEASURED_PART = 64;

    private final CacheFolder folder;
    private final CacheLocks locks;
    private final long limit;
    private final Map<ObjectKey, CachedBlocks> own = new ConcurrentHashMap<>();
    private final Deque<Victim> victims = new ArrayDeque<>();
    private long usedBytes = -1;
    private long addedBytes;
    /// The size of blocks that have room and are not written yet.
    private long unwrittenBytes;
    private boolean isRefused;
    private volatile long fullSince;
    private volatile boolean isFull;

    CacheSpace(CacheFolder folder, CacheLocks locks, long limit) {
        this.folder = folder;
        this.locks = locks;
        this.limit = limit;
    }

    private record Victim(CachedBlocks blocks, long blockIndex, long distance) {}

    void add(CachedBlocks blocks) {
        own.put(blocks.key(), blocks);
    }

    void remove(CachedBlocks blocks) {
        own.remove(blocks.key(), blocks);
    }

    /// Whether there may be room for a block.
    boolean mayHaveRoom() {
        return !isFull || System.nanoTime() - fullSince > FULL_NANOS;
    }

    /// Makes room for a block and counts it as used.
    ///
    /// @return false when it must not be kept
    synchronized boolean take(CachedBlocks blocks, long blockIndex) {
        long byteCount = BlockFile.HEADER_SIZE + blocks.key().blockSize(blockIndex);
        if (!mayHaveRoom() || byteCount > limit) {
            return false;
        }
        try {
            if (usedBytes < 0 || addedBytes > limit / MEASURED_PART || usedBytes + byteCount > limit) {
                measure();
            }
            if (usedBytes + byteCount > limit) {
                freeUnused(byteCount);
            }
            while (usedBytes + byteCount > limit && freeFarthest(blocks, blockIndex)) {}
        } catch (IOException e) {
            return false;
        }
        if (usedBytes + byteCount > limit) {
            isFull = true;
            fullSince = System.nanoTime();
            return false;
        }
        isFull = false;
        usedBytes += byteCount;
        addedBytes += byteCount;
        unwrittenBytes += byteCount;
        return true;
    }

    /// Notes that a block is written.
    synchronized void written(CachedBlocks blocks, long blockIndex) {
        unwrittenBytes -= BlockFile.HEADER_SIZE + blocks.key().blockSize(blockIndex);
    }

    /// Notes that a block could not be written. The cache rests for a while, because the disk is full.
    synchronized void failed(CachedBlocks blocks, long blockIndex) {
        usedBytes -= BlockFile.HEADER_SIZE + blocks.key().blockSize(blockIndex);
        written(blocks, blockIndex);
        isFull = true;
        fullSince = System.nanoTime();
        if (!isRefused) {
            isRefused = true;
            System.err.println("penstock: the cache " + folder.path() + " cannot be written; reading goes on without"
                    + " keeping more");
        }
    }

    private void measure() throws IOException {
        long bytes = 0;
        for (ObjectKey key : folder.keys()) {
            for (long block : folder.blocks(key)) {
                bytes += BlockFile.HEADER_SIZE + key.blockSize(block);
            }
        }
        usedBytes = bytes + unwrittenBytes;
        addedBytes = 0;
    }

    /// Deletes objects that no process uses until there is room.
    private void freeUnused(long byteCount) throws IOException {
        for (ObjectKey key : folder.keys()) {
            if (own.containsKey(key)) {
                continue;
            }
            Disk.Lock lock = locks.tryUnused(key);
            if (lock == null) {
                continue;
            }
            try {
                for (long block : folder.blocks(key)) {
                    if (usedBytes + byteCount <= limit) {
                        return;
                    }
                    folder.delete(key, block);
                    usedBytes -= BlockFile.HEADER_SIZE + key.blockSize(block);
                }
                folder.deleteAll(key);
            } finally {
                CacheLocks.release(lock);
            }
        }
    }

    /// Deletes the own block whose next use is farthest away.
    ///
    /// @return false when none is far enough
    private boolean freeFarthest(CachedBlocks wanted, long blockIndex) throws IOException {
        if (!wanted.isFollowed()) {
            return false;
        }
        long distance = wanted.distance(blockIndex);
        if (distance == NextUse.NEVER) {
            return false;
        }
        if (victims.isEmpty()) {
            victims.addAll(victims(own.values()));
        }
        Victim victim = victims.poll();
        if (victim == null || victim.distance - distance <= wanted.epochLength()) {
            victims.clear();
            return false;
        }
        if (victim.blocks.forget(victim.blockIndex)) {
            folder.delete(victim.blocks.key(), victim.blockIndex);
            usedBytes -= BlockFile.HEADER_SIZE + victim.blocks.key().blockSize(victim.blockIndex);
        }
        return true;
    }

    /// The blocks that are used least soon, the farthest first.
    private static List<Victim> victims(Collection<CachedBlocks> all) {
        List<Victim> found = new ArrayList<>();
        for (CachedBlocks blocks : all) {
            if (blocks.isFollowed()) {
                for (long block : blocks.held()) {
                    found.add(new Victim(blocks, block, blocks.distance(block)));
                }
            }
        }
        found.sort(Comparator.comparingLong(Victim::distance).reversed());
        return found.subList(0, Math.min(found.size(), 1024));
    }
}
