// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/// A store that passes every question on; subclasses change some answers.
public class ForwardingStore implements RangeStore {
    private final RangeStore store;

    public ForwardingStore(RangeStore store) {
        this.store = store;
    }

    @Override
    public List<Location> list(Location folder) throws IOException {
        return store.list(folder);
    }

    @Override
    public long size(Location object) throws IOException {
        return store.size(object);
    }

    @Override
    public long read(Location object, long offset, MemorySegment target) throws IOException {
        return store.read(object, offset, target);
    }
}
