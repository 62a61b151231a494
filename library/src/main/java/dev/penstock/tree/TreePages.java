// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.memory.Advice;
import dev.penstock.memory.ReaderOptions;
import dev.penstock.memory.Residency;
import java.lang.foreign.MemorySegment;

/// Tells the operating system how a tree is read that does not fit into its memory budget.
///
/// A lookup touches a few pages far from each other, and reading ahead of each would push out everything else. So
/// there is no readahead once something has been looked up, and a scan announces what it reads next. Of a tree
/// that fits nothing is said, and opening says nothing of any.
///
/// **Threads.** Any number.
final class TreePages {
    /// A smaller tree is not worth finding out how much memory there is.
    private static final long SIZE_MIN = 64L << 20;

    private static final int PIECE_BITS = 21;

    private final MemorySegment segment;
    private final long memoryBytes;
    private volatile boolean isDecided;
    private volatile boolean isScattered;

    /// @param memoryBytes the memory budget, or [ReaderOptions#AUTOMATIC]
    TreePages(MemorySegment segment, long memoryBytes) {
        this.segment = segment;
        this.memoryBytes = memoryBytes;
        boolean isSmall = memoryBytes == ReaderOptions.AUTOMATIC && segment.byteSize() < SIZE_MIN;
        this.isDecided = isSmall || !segment.isMapped();
    }

    /// Says that a path is looked up.
    void lookingUp() {
        if (!isDecided) {
            decide();
        }
    }

    private synchronized void decide() {
        if (!isDecided && segment.byteSize() > Residency.budget(memoryBytes)) {
            // Huge pages would bring readahead back.
            Advice.NO_HUGE_PAGE.apply(segment, 0, segment.byteSize());
            isScattered = Advice.RANDOM.apply(segment, 0, segment.byteSize());
        }
        isDecided = true;
    }

    /// Whether there is no readahead, so that a scan has to announce what it reads.
    boolean isScattered() {
        return isScattered;
    }

    /// The piece of the file that an offset is in.
    static long piece(long offset) {
        return offset >>> PIECE_BITS;
    }

    /// Says that a piece of the file is about to be read.
    void willRead(long piece) {
        long start = piece << PIECE_BITS;
        Advice.WILL_NEED.apply(segment, start, Math.min(1L << PIECE_BITS, segment.byteSize() - start));
    }
}
