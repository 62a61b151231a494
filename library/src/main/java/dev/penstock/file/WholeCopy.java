// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// The in-memory copy that [OpenFile#whole] returns for a file that is not mapped. It is made on first use.
///
/// **Ownership.** The file frees it with its last lease, so that a call in progress never loses its memory.
///
/// **Threads.** Safe for any number of threads.
final class WholeCopy {
    /// The copy, or null before the first use.
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
