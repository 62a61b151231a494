// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.NoSuchFileException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// A storage for one dataset that asks for the list of each folder once. The list has the sizes and versions of
/// all objects in it, so that opening one of them needs no request, and it stays the object of the list.
///
/// **Threads.** Safe for any number of threads.
public final class ListedStorage implements Storage {
    private final Storage storage;
    private final Map<Location, Map<Location, Entry>> folders = new ConcurrentHashMap<>();

    /// Whether objects have the versions that lists say; null until one was opened. Some servers have other
    /// ones in lists, and each object is then asked for.
    private volatile Boolean isExact;

    /// What has one name: an object, a folder, or both.
    private record Entry(Listed object, boolean isFolder) {
        Entry with(Listed other) {
            return other.isFolder() ? new Entry(object, true) : new Entry(other, isFolder);
        }
    }

    private ListedStorage(Storage storage) {
        this.storage = storage;
    }

    /// Options that read a remote dataset with as few lists as possible.
    public static ReaderOptions reading(Location location, ReaderOptions options) {
        if (options.isOnDisk(location)) {
            return options;
        }
        Storage storage = options.storageOf(location);
        return storage.hasLists() && !(storage instanceof ListedStorage)
                ? options.withStorage(new ListedStorage(storage))
                : options;
    }

    @Override
    public boolean hasLists() {
        return true;
    }

    @Override
    public List<Listed> listed(Location folder) throws IOException {
        return storage.listed(folder);
    }

    /// The list of a folder, which is asked for if it is not known.
    private Map<Location, Entry> entries(Location folder) throws IOException {
        Map<Location, Entry> known = folders.get(folder);
        if (known != null) {
            return known;
        }
        Map<Location, Entry> found = new HashMap<>();
        for (Listed one : storage.listed(folder)) {
            found.merge(one.location(), new Entry(null, false).with(one), (before, _) -> before.with(one));
        }
        folders.put(folder, found);
        return found;
    }

    /// The list of the folder that an object is in, or null when it was not asked for.
    private Map<Location, Entry> siblings(Location object) {
        Location parent = object.parent();
        return parent == null ? null : folders.get(parent);
    }

    private Listed known(Location object) throws NoSuchFileException {
        Map<Location, Entry> siblings = siblings(object);
        if (siblings == null) {
            return null;
        }
        Entry entry = siblings.get(object);
        if (entry == null || entry.object() == null) {
            throw new NoSuchFileException(object.toString());
        }
        return entry.object();
    }

    @Override
    public List<Location> list(Location folder) throws IOException {
        return List.copyOf(entries(folder).keySet());
    }

    @Override
    public boolean isListed(Location object) {
        if (!Boolean.TRUE.equals(isExact)) {
            return false;
        }
        Map<Location, Entry> siblings = siblings(object);
        return siblings != null
                && siblings.get(object) != null
                && siblings.get(object).object() != null;
    }

    @Override
    public boolean isFolder(Location location) throws IOException {
        Map<Location, Entry> siblings = siblings(location);
        if (siblings == null) {
            return !entries(location).isEmpty();
        }
        return siblings.get(location) != null && siblings.get(location).isFolder();
    }

    @Override
    public boolean exists(Location location) throws IOException {
        Map<Location, Entry> siblings = siblings(location);
        return siblings == null ? storage.exists(location) : siblings.containsKey(location);
    }

    @Override
    public long size(Location object) throws IOException {
        // An open object asks again, to see whether it was replaced.
        return storage.size(object);
    }

    @Override
    public long read(Location object, long offset, MemorySegment target) throws IOException {
        return storage.read(object, offset, target);
    }

    @Override
    public Disk.Readable open(Location object) throws IOException {
        Listed known = known(object);
        if (known != null && Boolean.TRUE.equals(isExact)) {
            return storage.open(known);
        }
        Disk.Readable open = storage.open(object);
        if (known != null && isExact == null) {
            isExact = ObjectTags.isSame(known.version(), open.version());
        }
        return open;
    }

    @Override
    public ObjectWriter writer(Location location) {
        return storage.writer(location);
    }

    @Override
    public Pace pace(Location object) {
        return storage.pace(object);
    }
}
