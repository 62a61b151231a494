// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.file.Disk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/// A chunk file that is open for appending.
///
/// It is written and forced through two handles, so that after a failed write, for example to a full disk, the
/// bytes written before can still be forced.
///
/// A chunk is written by one thread and forced by another at the same time, through two handles.
/// Appends go on while a commit waits for the disk, and one force serves all threads that wait.
///
/// **Ownership.** Owns both handles. **Threads.** One thread writes; any number may force at the same time.
final class ChunkFile implements AutoCloseable {
    private final long id;
    private final Disk.Writable writing;
    private final Disk.Writable forcing;
    private final FailStop failStop;
    private final StoreLock lock = new StoreLock();
    /// Whether there are written bytes that no force has covered.
    private volatile boolean isDirty;

    ChunkFile(long id, Disk.Writable writing, Disk.Writable forcing, FailStop failStop) {
        this.id = id;
        this.writing = writing;
        this.forcing = forcing;
        this.failStop = failStop;
    }

    long id() {
        return id;
    }

    long size() throws IOException {
        return writing.size();
    }

    boolean isDirty() {
        return isDirty;
    }

    void write(MemorySegment bytes, long position) throws IOException {
        writing.write(bytes, position);
        // Set after the write: a force that clears it before the bytes are written does not cover them.
        isDirty = true;
    }

    /// Returns when the bytes written before this call are durable. A thread waits for the force of another one,
    /// because that may cover its bytes.
    void force() throws IOException {
        try (StoreLock.Held _ = lock.hold()) {
            if (isDirty) {
                // Cleared before the force: bytes that are written during the force may not be covered by it.
                isDirty = false;
                failStop.orStop(forcing::force);
            }
        }
    }

    @Override
    public void close() throws IOException {
        try (StoreLock.Held _ = lock.hold()) {
            Closing.all(List.of(writing::close, forcing::close));
        }
    }
}
