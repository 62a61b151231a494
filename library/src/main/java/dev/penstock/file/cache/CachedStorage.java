// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file.cache;

import dev.penstock.file.Disk;
import dev.penstock.file.Listed;
import dev.penstock.file.Location;
import dev.penstock.file.ObjectWriter;
import dev.penstock.file.Pace;
import dev.penstock.file.Storage;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/// A remote storage behind a cache. Only the bytes of open objects are cached, because only these belong to a
/// known version of the object.
///
/// **Threads.** Safe for any number of threads.
public final class CachedStorage implements Storage {
    private final Storage storage;
    private final BlockCache cache;

    public CachedStorage(Storage storage, BlockCache cache) {
        this.storage = storage;
        this.cache = cache;
    }

    @Override
    public List<Location> list(Location folder) throws IOException {
        return storage.list(folder);
    }

    @Override
    public long size(Location object) throws IOException {
        return storage.size(object);
    }

    @Override
    public long read(Location object, long offset, MemorySegment target) throws IOException {
        return storage.read(object, offset, target);
    }

    @Override
    public boolean isFolder(Location location) throws IOException {
        return storage.isFolder(location);
    }

    @Override
    public boolean exists(Location location) throws IOException {
        return storage.exists(location);
    }

    @Override
    public ObjectWriter writer(Location location) {
        return storage.writer(location);
    }

    @Override
    public Pace pace(Location object) {
        return storage.pace(object);
    }

    /// An object without a version is not cached: nothing would tell when its blocks are out of date.
    @Override
    public Disk.Readable open(Location object) throws IOException {
        return cached(object, storage.open(object));
    }

    @Override
    public Disk.Readable open(Listed object) throws IOException {
        return cached(object.location(), storage.open(object));
    }

    private Disk.Readable cached(Location object, Disk.Readable opened) throws IOException {
        if (opened.version().isEmpty()) {
            return opened;
        }
        return new CachedObject(opened, cache, cache.acquire(object, opened.version(), opened.size()));
    }

    @Override
    public boolean hasLists() {
        return storage.hasLists();
    }

    @Override
    public boolean isListed(Location object) {
        return storage.isListed(object);
    }

    @Override
    public List<Listed> listed(Location folder) throws IOException {
        return storage.listed(folder);
    }
}
