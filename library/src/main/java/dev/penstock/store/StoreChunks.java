// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.Access;
import dev.penstock.file.Location;
import dev.penstock.file.OpenFile;
import dev.penstock.file.RangeGroup;
import dev.penstock.file.ReaderOptions;
import dev.penstock.file.Residency;
import dev.penstock.file.Storage;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// The chunks of a store, opened when they are first needed.
///
/// At most [#OPEN_MAX] chunks are open at a time, because the number of mappings of a process is limited. When
/// another one is needed, a chunk is closed once no read uses it.
///
/// **Ownership.** Owns the open chunks. **Threads.** Safe for any number of threads.
final class StoreChunks implements AutoCloseable {
    /// With chunks of the usual size these are 2 TiB.
    static final int OPEN_MAX = 2048;

    private final Location store;
    private final ReaderOptions options;
    private final Storage storage;
    /// Opens chunks of a remote storage; null for those of a disk.
    private final RangeGroup ranged;
    private final Map<Long, OpenFile> files = new ConcurrentHashMap<>();
    /// The fraction of its size that each chunk may keep resident; -1 until it has been computed.
    private double memoryShare = -1;

    StoreChunks(Location store, ReaderOptions options) {
        this.store = store;
        this.options = options;
        this.storage = options.storageOf(store);
        this.ranged = options.isOnDisk(store) ? null : new RangeGroup(options);
    }

    /// Whether the chunks are objects of a remote storage.
    boolean isRanged() {
        return ranged != null;
    }

    /// Holds a chunk of at least `sizeMin` bytes open, until [OpenFile#release].
    ///
    /// @throws DatasetException when the chunk does not exist, or is shorter
    OpenFile acquire(long id, long sizeMin) throws IOException {
        OpenFile file = acquire(id);
        if (file.size() >= sizeMin) {
            return file;
        }
        // A chunk that is still being written may have grown since it was opened.
        file.release();
        drop(id, file);
        OpenFile again = acquire(id);
        if (again.size() >= sizeMin) {
            return again;
        }
        again.release();
        throw new DatasetException.Corrupt(
                again.location(),
                again.size(),
                Reason.TRUNCATED,
                "the chunk has " + again.size() + " bytes, but a value ends at byte " + sizeMin);
    }

    private OpenFile acquire(long id) throws IOException {
        while (true) {
            OpenFile file = files.get(id);
            if (file == null) {
                file = open(id);
            }
            if (isAcquired(file)) {
                return file;
            }
            files.remove(id, file);
        }
    }

    private static boolean isAcquired(OpenFile file) {
        try {
            file.acquire();
            return true;
        } catch (IllegalStateException e) {
            // It was closed in favour of another chunk.
            return false;
        }
    }

    private OpenFile open(long id) throws IOException {
        Location path = StoreFormat.chunk(store, id);
        OpenFile opened;
        try {
            opened = isRanged()
                    ? ranged.open(path, Math.toIntExact(id))
                    : OpenFile.open(path, options.withMemoryBytes(memoryBytes(path)));
        } catch (NoSuchFileException e) {
            throw new DatasetException.Corrupt(path, 0, Reason.MISSING_SHARD, "the chunk is missing", e);
        }
        OpenFile other = files.putIfAbsent(id, opened);
        if (other != null) {
            opened.close();
            return other;
        }
        if (files.size() > OPEN_MAX) {
            dropAnyBut(id);
        }
        return opened;
    }

    /// The memory budget is for all chunks together, so each chunk gets a part in proportion to its size.
    private long memoryBytes(Location path) throws IOException {
        if (options.access() == Access.READ) {
            return 0;
        }
        return (long) (memoryShare() * storage.size(path));
    }

    private synchronized double memoryShare() throws IOException {
        if (memoryShare < 0) {
            long total = StoreFormat.chunkBytes(storage, store);
            // Slightly more than the whole if all chunks fit, so that rounding excludes none.
            memoryShare = Residency.budget(options.memoryBytes()) / (double) Math.max(1, total) + 1e-9;
        }
        return memoryShare;
    }

    private void dropAnyBut(long id) {
        Iterator<Map.Entry<Long, OpenFile>> all = files.entrySet().iterator();
        while (all.hasNext()) {
            Map.Entry<Long, OpenFile> other = all.next();
            if (other.getKey() != id) {
                drop(other.getKey(), other.getValue());
                return;
            }
        }
    }

    /// Closes a chunk when no thread reads it any more.
    private void drop(long id, OpenFile file) {
        if (files.remove(id, file)) {
            file.close();
        }
    }

    /// Closes all other chunks. They are deleted, and their space is freed only when they are closed.
    void retain(Set<Long> ids) {
        files.forEach((id, file) -> {
            if (!ids.contains(id)) {
                drop(id, file);
            }
        });
    }

    /// The number of open chunks.
    int openCount() {
        return files.size();
    }

    @Override
    public void close() {
        files.forEach(this::drop);
    }
}
