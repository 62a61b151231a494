// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/// A storage that passes every question on; subclasses change some answers.
public class ForwardingStorage implements Storage {
    private final Storage storage;

    public ForwardingStorage(Storage storage) {
        this.storage = storage;
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
}
