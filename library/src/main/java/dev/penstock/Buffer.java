// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Memory outside the heap that grows and is used again.
///
/// Each size has a shared arena of its own. Closing an arena stops all threads for a moment, so the memory grows
/// by at least half each time, and growth soon becomes rare.
///
/// **Lifecycle.** Memory that is on lease ([#lease]) outlives [#close], [#trim] and growth until its lease is
/// returned. Code that writes to addresses takes a lease, so that no other thread can free the memory under it.
///
/// **Threads.** One at a time, except that any thread may close it.
public final class Buffer implements AutoCloseable {
    /// A cache line, which is also the alignment that the widest vector load wants.
    private static final long ALIGNMENT = 64;

    /// Null where there is no memory.
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

        /// The memory.
        public MemorySegment segment() {
            return segment;
        }

        /// Returns a lease; the memory may be freed now.
        public void release() {
            leases.release();
        }
    }

    /// Returns at least `byteCount` bytes of undefined content.
    public MemorySegment reserve(long byteCount) {
        return reserveBlock(byteCount).segment;
    }

    /// Returns at least `byteCount` bytes of undefined content that stay allocated until [Block#release], even if
    /// another thread closes the buffer meanwhile.
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
        // The old memory goes first, so that never both are allocated.
        release();
        return replace(Block.allocate(Math.max(byteCount, size + size / 2)));
    }

    /// Returns at least `byteCount` bytes; the content so far stays, also when there is no memory for more.
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
        // Another thread that closed the buffer meanwhile may not have seen the new memory.
        if (isClosed) {
            release();
            throw closed();
        }
        return fresh;
    }

    /// The memory as last reserved.
    public MemorySegment segment() {
        requireOpen();
        Block current = block;
        return current == null ? MemorySegment.NULL : current.segment;
    }

    /// Bytes held.
    public long size() {
        Block current = block;
        return current == null ? 0 : current.segment.byteSize();
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
        return new IllegalStateException("the memory is closed");
    }
}
