// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// Maps the files of a large dataset on demand and keeps the number of mapped files bounded.
///
/// Neighbouring files are mapped together as a [MappedGroup]. When too many files would be mapped, the least
/// recently used group without a lease is unmapped first.
///
/// **Threads.** Any number.
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

    /// Files to be mapped when they are needed, `groupSize` at once and at most `liveMax` (rounded up to a
    /// group).
    static MappingCache open(Disk disk, List<Path> files, int groupSize, int liveMax) {
        if (groupSize < 1 || liveMax < 1) {
            throw new IllegalArgumentException(
                    "group size " + groupSize + " and live files " + liveMax + " must be >= 1");
        }
        return new MappingCache(disk, files, groupSize, Math.ceilDiv(liveMax, groupSize));
    }

    /// A lease on the group that holds a file, mapping it if need be. The caller releases it; the file is segment
    /// [#indexInGroup] of it.
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
            throw new IllegalStateException("the dataset is closed");
        }
    }

    /// Which segment of its group a file is.
    int indexInGroup(int fileIndex) {
        return fileIndex % groupSize;
    }

    /// Groups mapped now.
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
            throw new IOException("all " + groups.size() + " groups of mapped files are in use at once");
        }
    }

    /// Drops all groups; one that is leased goes when its lease does.
    @Override
    public synchronized void close() {
        isClosed = true;
        groups.values().forEach(MappedGroup::close);
        groups.clear();
    }
}
