// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file.cache;

import dev.penstock.Io;
import dev.penstock.file.CacheOptions;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// A cache of blocks of remote objects in a folder ([CacheFolder]), which any number of processes share.
///
/// Nothing in the folder is trusted: a block that this process reads for the first time is compared with its
/// checksum, its object, its version and its place. A block that is missing, shorter or damaged counts as not
/// cached. A disk that is full or fails ends caching for a while and is never an error.
///
/// A block that several threads and processes need is requested by the one that has its lock ([CacheLocks]); the
/// others wait. [CacheSpace] decides what is kept.
///
/// **Lifecycle.** A process has one cache for each folder, which is never closed.
///
/// **Threads.** Safe for any number of threads.
public final class BlockCache {
    /// How long a thread waits before it looks again whether another one has the block.
    private static final long LOOK_MILLIS = 2;

    private static final Map<CacheOptions, BlockCache> SHARED = new ConcurrentHashMap<>();

    private final CacheFolder folder;
    private final CacheLocks locks;
    private final CacheSpace space;
    private final OpenBlocks files;
    private final BlockFiller filler = new BlockFiller();
    private final Map<ObjectKey, CachedBlocks> objects = new HashMap<>();

    private BlockCache(Disk disk, CacheFolder folder, long limitBytes) {
        this.folder = folder;
        this.locks = new CacheLocks(disk, folder.locks());
        this.space = new CacheSpace(folder, locks, limitBytes);
        this.files = new OpenBlocks(folder);
    }

    /// Opens a cache, and creates its folder if it does not exist.
    ///
    /// @throws java.nio.file.FileSystemException when the folder has other files and is not a cache
    public static BlockCache open(Disk disk, CacheOptions options) throws IOException {
        return new BlockCache(disk, CacheFolder.open(disk, options.folder()), options.limitBytes());
    }

    /// The cache of this process with a folder and a limit.
    static BlockCache shared(Disk disk, CacheOptions options) {
        return SHARED.computeIfAbsent(options, wanted -> {
            try {
                return open(disk, wanted);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /// Begins to use an object. [#release] ends it.
    CachedBlocks acquire(Location object, String version, long size) {
        ObjectKey key = ObjectKey.of(object, version, size);
        synchronized (objects) {
            CachedBlocks present = objects.get(key);
            if (present != null) {
                present.addUser(1);
                return present;
            }
            Disk.Lock use = locks.use(key);
            CachedBlocks blocks = new CachedBlocks(key, object.uri().toString(), use, found(key));
            objects.put(key, blocks);
            space.add(blocks);
            return blocks;
        }
    }

    private List<Long> found(ObjectKey key) {
        try {
            List<Long> blocks = folder.blocks(key);
            if (!blocks.isEmpty()) {
                folder.sweep(key);
            }
            return blocks;
        } catch (IOException e) {
            return List.of();
        }
    }

    void release(CachedBlocks blocks) {
        synchronized (objects) {
            if (blocks.addUser(-1) > 0) {
                return;
            }
            objects.remove(blocks.key());
            space.remove(blocks);
            CacheLocks.release(blocks.use());
        }
        files.close(blocks.key());
    }

    /// Copies bytes of a block, if it is cached.
    boolean read(CachedBlocks blocks, long blockIndex, long offset, MemorySegment target) {
        if (!blocks.holds(blockIndex)) {
            return false;
        }
        try {
            if (blocks.isChecked(blockIndex)) {
                if (files.read(blocks.key(), blockIndex, offset, target)) {
                    return true;
                }
            } else {
                MemorySegment bytes = folder.read(blocks.key(), blockIndex);
                if (bytes != null) {
                    blocks.note(blockIndex);
                    target.copyFrom(bytes.asSlice(offset, target.byteSize()));
                    return true;
                }
            }
        } catch (IOException e) {
            if (Thread.currentThread().isInterrupted()) {
                return false;
            }
        }
        blocks.forget(blockIndex);
        files.close(blocks.key(), blockIndex);
        return false;
    }

    /// Whether a block that is not cached would be kept.
    boolean wants() {
        return space.mayHaveRoom();
    }

    /// Reads a block from the cache, or requests and keeps it.
    ///
    /// @param request requests the bytes of the block
    MemorySegment fetch(CachedBlocks blocks, long blockIndex, Io.Supplier<MemorySegment> request) throws IOException {
        Disk.Lock lock = lock(blocks.key(), blockIndex);
        try {
            MemorySegment cached = cached(blocks, blockIndex);
            if (cached != null) {
                return cached;
            }
            MemorySegment bytes = request.get();
            keep(blocks, blockIndex, bytes);
            return bytes;
        } finally {
            CacheLocks.release(lock);
        }
    }

    private Disk.Lock lock(ObjectKey key, long blockIndex) throws InterruptedIOException {
        Disk.Lock lock = locks.tryBlock(key, blockIndex);
        while (lock == null) {
            try {
                Thread.sleep(LOOK_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while another request for the same block runs");
            }
            lock = locks.tryBlock(key, blockIndex);
        }
        return lock;
    }

    private MemorySegment cached(CachedBlocks blocks, long blockIndex) {
        try {
            MemorySegment bytes = folder.read(blocks.key(), blockIndex);
            if (bytes != null) {
                blocks.note(blockIndex);
            }
            return bytes;
        } catch (IOException e) {
            return null;
        }
    }

    /// Keeps a block, if there is room.
    private void keep(CachedBlocks blocks, long blockIndex, MemorySegment bytes) {
        if (!space.take(blocks, blockIndex)) {
            return;
        }
        try {
            folder.create(blocks.key(), blocks.uri());
            folder.write(blocks.key(), blockIndex, bytes);
            blocks.note(blockIndex);
            space.written(blocks, blockIndex);
        } catch (IOException e) {
            space.failed(blocks, blockIndex);
        }
    }

    /// Runs work in the background, unless there is too much of it. Returns whether it will run.
    boolean later(Runnable work) {
        return filler.add(work);
    }
}
