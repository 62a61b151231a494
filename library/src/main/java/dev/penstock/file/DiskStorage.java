// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/// Gives access to the files of a [Disk] as a [Storage].
record DiskStorage(Disk disk) implements Storage {
    @Override
    public List<Location> list(Location folder) throws IOException {
        if (!disk.isDirectory(folder.path())) {
            return List.of();
        }
        return disk.list(folder.path()).stream().map(Location::of).toList();
    }

    @Override
    public long size(Location object) throws IOException {
        try (Disk.Readable file = open(object)) {
            return file.size();
        }
    }

    @Override
    public long read(Location object, long offset, MemorySegment target) throws IOException {
        try (Disk.Readable file = open(object)) {
            return file.read(offset, target);
        }
    }

    @Override
    public boolean isFolder(Location location) throws IOException {
        return disk.isDirectory(location.path());
    }

    @Override
    public boolean exists(Location location) throws IOException {
        return disk.exists(location.path());
    }

    @Override
    public Disk.Readable open(Location object) throws IOException {
        return disk.open(object.path());
    }
}
