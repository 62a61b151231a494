// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Off-heap memory that can grow and be reused.
///
/// Each allocation has its own shared arena. Closing a shared arena stops all threads for a moment. To make that
/// rare, the memory grows by at least half each time.
///
/// **Lifecycle.** Memory on lease ([#lease]) outlives [#close], [#trim] and growth until the lease is returned.
/// Code that writes to raw addresses takes a lease, so that no other thread can free the memory while it writes.
///
/// **Threads.** One thread at a time, except that any thread may close the buffer.
///
/// Memory that rows are written to by address is on lease (`Buffer.lease`): closing the batch meanwhile takes
/// effect when the gather ends. Memory of a foreign shared arena is filled through a buffer and a checked copy.
/// A thread that closes the target would otherwise have rows written to freed memory.
public final class Buffer implements AutoCloseable {
    /// The size of a cache line, and the alignment of the widest vector load.
    private static final long ALIGNMENT = 64;

    /// The current allocation, or null when there is none.
    private volatile Block block;

    private volatile boolean isClosed;

    /// One allocation.
    public static final class Block {
        private final MemorySegment segment;
        private final Leases leases;

        private Block(Arena arena, MemorySegment segment) {
            this.segment = segment;
            this.leases = new Leases(arena::close);
        }

        private static Block allocate(long byteCount) {
            Arena arena = Arena.ofShared();
            try {
                return new Block(arena, arena.allocate(Math.max(byteCount, ALIGNMENT), ALIGNMENT));
            } catch (Throwable e) {
                arena.close();
                throw e;
            }
        }

        /// The memory of this allocation.
        public MemorySegment segment() {
            return segment;
        }

        /// Returns the lease. Once all leases are returned, the memory may be freed.
        public void release() {
            leases.release();
        }
    }

    /// Returns at least `byteCount` bytes with undefined content.
    public MemorySegment reserve(long byteCount) {
        return reserveBlock(byteCount).segment;
    }

    /// Returns at least `byteCount` bytes with undefined content. They stay allocated until [Block#release], even
    /// if another thread closes the buffer.
    public Block lease(long byteCount) {
        Block held = reserveBlock(byteCount);
        if (!held.leases.acquire()) {
            throw closed();
        }
        return held;
    }

    private Block reserveBlock(long byteCount) {
        requireOpen();
        Block current = block;
        if (current != null && byteCount <= current.segment.byteSize()) {
            return current;
        }
        long size = current == null ? 0 : current.segment.byteSize();
        // Free the old memory first, so that the two allocations never exist at the same time.
        release();
        return replace(Block.allocate(Math.max(byteCount, size + size / 2)));
    }

    /// Returns at least `byteCount` bytes and keeps the present content. If the allocation fails, the content is
    /// kept as well.
    public MemorySegment extend(long byteCount) {
        MemorySegment old = segment();
        if (byteCount <= old.byteSize()) {
            return old;
        }
        Block larger = Block.allocate(Math.max(byteCount, old.byteSize() * 2));
        larger.segment.copyFrom(old);
        release();
        return replace(larger).segment;
    }

    private Block replace(Block fresh) {
        block = fresh;
        // Another thread may have closed the buffer before it could see the new memory.
        if (isClosed) {
            release();
            throw closed();
        }
        return fresh;
    }

    /// The memory that was last reserved.
    public MemorySegment segment() {
        requireOpen();
        Block current = block;
        return current == null ? MemorySegment.NULL : current.segment;
    }

    /// The number of bytes allocated.
    public long size() {
        Block current = block;
        return current == null ? 0 : current.segment.byteSize();
    }

    /// Frees the memory. It can be reserved again.
    public void trim() {
        release();
    }

    @Override
    public void close() {
        isClosed = true;
        release();
    }

    private void release() {
        Block current = block;
        block = null;
        if (current != null) {
            current.leases.close();
        }
    }

    private void requireOpen() {
        if (isClosed) {
            throw closed();
        }
    }

    private static IllegalStateException closed() {
        return new ClosedException("the buffer is closed and its memory is freed");
    }
}
