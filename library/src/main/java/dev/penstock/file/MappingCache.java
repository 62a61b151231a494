// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import dev.penstock.ClosedException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// Maps the files of a large dataset on demand and limits the number of mapped files.
///
/// Neighbouring files are mapped together as a [MappedGroup]. When the limit is reached, the least recently used
/// group without a lease is unmapped.
///
/// **Threads.** Safe for any number of threads.
///
/// A dataset of more than 2,048 files is mapped on demand, 512 files at a time ([MappingCache], [CachedFile]).
/// Its rows are copied and never viewed. Any number of files opens with a bounded number of mappings. A view
/// would die when its file is unmapped.
final class MappingCache implements AutoCloseable {
    private final Disk disk;
    private final List<Path> files;
    private final int groupSize;
    private final int groupCountMax;
    private final Map<Integer, MappedGroup> groups = new LinkedHashMap<>(16, 0.75f, true);
    private boolean isClosed;

    private MappingCache(Disk disk, List<Path> files, int groupSize, int groupCountMax) {
        this.disk = disk;
        this.files = List.copyOf(files);
        this.groupSize = groupSize;
        this.groupCountMax = groupCountMax;
    }

    /// Creates a cache that maps `groupSize` files at a time and at most `liveMax` files, rounded up to whole
    /// groups.
    static MappingCache open(Disk disk, List<Path> files, int groupSize, int liveMax) {
        if (groupSize < 1 || liveMax < 1) {
            throw new IllegalArgumentException(
                    "groupSize and liveMax must be at least 1, got " + groupSize + " and " + liveMax);
        }
        return new MappingCache(disk, files, groupSize, Math.ceilDiv(liveMax, groupSize));
    }

    /// Takes a lease on the group that holds a file, and maps the group if necessary. The caller must release it.
    /// The file is segment [#indexInGroup] of the group.
    synchronized MappedGroup acquire(int fileIndex) throws IOException {
        requireOpen();
        int groupIndex = Objects.checkIndex(fileIndex, files.size()) / groupSize;
        MappedGroup mapping = groups.get(groupIndex);
        if (mapping == null) {
            makeRoom();
            int start = groupIndex * groupSize;
            mapping = MappedGroup.open(disk, files.subList(start, Math.min(files.size(), start + groupSize)));
            groups.put(groupIndex, mapping);
        }
        mapping.acquire();
        return mapping;
    }

    synchronized void requireOpen() {
        if (isClosed) {
            throw new ClosedException("the dataset is closed");
        }
    }

    /// The index of a file's segment in its group.
    int indexInGroup(int fileIndex) {
        return fileIndex % groupSize;
    }

    /// The number of groups that are mapped.
    synchronized int liveGroupCount() {
        return groups.size();
    }

    private void makeRoom() throws IOException {
        Iterator<MappedGroup> eldestFirst = groups.values().iterator();
        while (groups.size() >= groupCountMax && eldestFirst.hasNext()) {
            MappedGroup candidate = eldestFirst.next();
            if (!candidate.isLent()) {
                eldestFirst.remove();
                candidate.close();
            }
        }
        if (groups.size() >= groupCountMax) {
            throw new IOException(
                    "all " + groups.size() + " groups of mapped files are in use at the same time; use fewer threads");
        }
    }

    /// Unmaps all groups. A leased group is unmapped when its lease is returned.
    @Override
    public synchronized void close() {
        isClosed = true;
        groups.values().forEach(MappedGroup::close);
        groups.clear();
    }
}
