// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// Caches the blocks of a remote storage that were read last, so that many small sequential reads need few
/// requests.
///
/// A small read requests more bytes than it needs, which takes hardly longer, and caches them. A few blocks are
/// kept, for programs that read at several positions in turn. Gathers bypass this cache.
///
/// **Threads.** Safe for any number of threads.
final class RecentBlocks {
    /// The size up to which a read is small. Larger reads are separate requests.
    static final int SMALL_MAX = 4096;

    private static final int BLOCK_SIZE = 64 << 10;

    private final Block[] blocks = new Block[8];
    private int next;

    /// A cached block of a file.
    private record Block(RangeFile file, long offset, MemorySegment bytes) {
        boolean holds(RangeFile wanted, long first, long byteCount) {
            return file == wanted && first >= offset && first + byteCount <= offset + bytes.byteSize();
        }
    }

    /// Copies bytes from a cached block, or reads a new block that begins with them.
    void read(RangeFile file, long offset, MemorySegment target, RangeReader request) throws IOException {
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
