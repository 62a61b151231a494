// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// Reads an object of a remote store by position, with one request for each read.
record StoredObject(RangeStore store, Location object, long size) implements Disk.Readable {
    @Override
    public long read(long offset, MemorySegment target) throws IOException {
        return RangeRequests.receive(store, object, offset, target);
    }

    @Override
    public void close() {}
}
