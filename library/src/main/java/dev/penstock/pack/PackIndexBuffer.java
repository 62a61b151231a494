// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import static dev.penstock.file.Layouts.U64;

import dev.penstock.Buffer;
import java.lang.foreign.MemorySegment;

/// The entries of a pack that is being written, in a growing off-heap buffer.
final class PackIndexBuffer implements AutoCloseable {
    private final Buffer buffer = new Buffer();
    private long count;

    long count() {
        return count;
    }

    /// Adds an entry and returns its index.
    long add(PackEntry entry) {
        long at = count * PackFormat.ENTRY_SIZE;
        entry.write(buffer.extend(at + PackFormat.ENTRY_SIZE), at);
        return count++;
    }

    /// Adds a distance to all offsets.
    void move(long distance) {
        for (long at = 0; at < count * PackFormat.ENTRY_SIZE; at += PackFormat.ENTRY_SIZE) {
            long field = at + PackEntry.OFFSET_OFFSET;
            buffer.segment().set(U64, field, buffer.segment().get(U64, field) + distance);
        }
    }

    /// All entries so far.
    MemorySegment entries() {
        return buffer.segment().asSlice(0, count * PackFormat.ENTRY_SIZE);
    }

    @Override
    public void close() {
        buffer.close();
    }
}
