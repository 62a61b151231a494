// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// The copy in memory that [OpenFile#whole] returns for a file that is not mapped. It is made when it is first
/// asked for.
///
/// **Ownership.** The file frees it with its last lease, so that a running call never loses its memory.
///
/// **Threads.** Any number.
final class WholeCopy {
    /// Null before the first call.
    private MemorySegment copy;

    private Arena arena;

    synchronized MemorySegment of(OpenFile file) throws IOException {
        if (copy == null) {
            arena = arena == null ? Arena.ofShared() : arena;
            MemorySegment target = arena.allocate(file.size());
            file.read(0, target);
            copy = target.asReadOnly();
        }
        return copy;
    }

    synchronized void free() {
        if (arena != null) {
            arena.close();
        }
    }
}
