// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Memory outside the heap that grows and is used again.
///
/// Each size has a shared arena of its own. Closing one stops all threads for a moment, so growth is by half at
/// least and becomes rare at once.
///
/// **Threads.** One at a time.
public final class Buffer implements AutoCloseable {
    /// A cache line, and what the widest vector load wants.
    private static final long ALIGNMENT = 64;

    private Arena arena;
    private MemorySegment segment = MemorySegment.NULL;
    private boolean isClosed;

    /// At least so many bytes; their content is undefined.
    public MemorySegment reserve(long byteCount) {
        if (isClosed) {
            throw new IllegalStateException("the memory is closed");
        }
        if (byteCount > segment.byteSize() || arena == null) {
            grow(Math.max(byteCount, segment.byteSize() + segment.byteSize() / 2));
        }
        return segment;
    }

    /// At least so many bytes; the content so far stays, also when there is no memory for more.
    public MemorySegment extend(long byteCount) {
        if (byteCount > segment.byteSize()) {
            MemorySegment old = segment();
            Arena larger = Arena.ofShared();
            MemorySegment copy = allocate(larger, Math.max(byteCount, old.byteSize() * 2));
            copy.copyFrom(old);
            release();
            arena = larger;
            segment = copy;
        }
        return segment();
    }

    /// The memory as last reserved.
    public MemorySegment segment() {
        if (isClosed) {
            throw new IllegalStateException("the memory is closed");
        }
        return segment;
    }

    /// Bytes held.
    public long size() {
        return segment.byteSize();
    }

    /// Gives up the memory; it can be reserved again.
    public void trim() {
        release();
    }

    @Override
    public void close() {
        isClosed = true;
        release();
    }

    private void grow(long byteCount) {
        release();
        Arena larger = Arena.ofShared();
        segment = allocate(larger, byteCount);
        arena = larger;
    }

    private static MemorySegment allocate(Arena arena, long byteCount) {
        try {
            return arena.allocate(Math.max(byteCount, ALIGNMENT), ALIGNMENT);
        } catch (Throwable e) {
            arena.close();
            throw e;
        }
    }

    private void release() {
        if (arena != null) {
            arena.close();
            arena = null;
            segment = MemorySegment.NULL;
        }
    }
}
