// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// The blocks of a store that were read last, so that many small reads one behind another take few requests.
///
/// A small read asks for more bytes than it needs, which takes hardly longer, and keeps them. A few blocks are
/// kept, for programs that read at several places in turn. Gathers do not come here.
///
/// **Threads.** Any number.
final class RecentBlocks {
    /// Larger reads are requests of their own.
    static final int SMALL_MAX = 4096;

    private static final int BLOCK_SIZE = 64 << 10;

    private final Block[] blocks = new Block[8];
    private int next;

    /// Bytes of a file from an offset on.
    private record Block(RangeFile file, long offset, MemorySegment bytes) {
        boolean holds(RangeFile wanted, long first, long byteCount) {
            return file == wanted && first >= offset && first + byteCount <= offset + bytes.byteSize();
        }
    }

    /// Makes a request.
    @FunctionalInterface
    interface Request {
        void read(long offset, MemorySegment target) throws IOException;
    }

    /// Copies bytes from a block that is there, or reads one that begins with them.
    void read(RangeFile file, long offset, MemorySegment target, Request request) throws IOException {
        Block block = find(file, offset, target.byteSize());
        if (block == null) {
            int byteCount = (int) Math.min(BLOCK_SIZE, file.size() - offset);
            block = new Block(file, offset, MemorySegment.ofArray(new byte[byteCount]));
            request.read(offset, block.bytes());
            add(block);
        }
        MemorySegment.copy(block.bytes(), offset - block.offset(), target, 0, target.byteSize());
    }

    private synchronized Block find(RangeFile file, long offset, long byteCount) {
        for (Block block : blocks) {
            if (block != null && block.holds(file, offset, byteCount)) {
                return block;
            }
        }
        return null;
    }

    private synchronized void add(Block block) {
        blocks[next] = block;
        next = (next + 1) % blocks.length;
    }
}
