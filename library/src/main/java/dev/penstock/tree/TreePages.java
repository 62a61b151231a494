// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.memory.Advice;
import dev.penstock.memory.AvailableMemory;
import java.lang.foreign.MemorySegment;

/// Tells the operating system how a tree is read that does not fit into memory.
///
/// A lookup touches a few pages far from each other, and reading ahead of each would push out everything else. So
/// there is none once something has been looked up; whoever goes through the tree in order asks for what comes
/// next himself. Of a tree that fits into memory nothing is said, and opening says nothing of any.
///
/// **Threads.** Any number.
final class TreePages {
    /// A smaller tree is not worth finding out how much memory there is.
    private static final long SIZE_MIN = 64L << 20;

    /// The rest is for whatever else the machine does.
    private static final double SHARE_OF_MEMORY = 0.7;

    private static final int PIECE_BITS = 21;

    private final MemorySegment segment;
    private volatile boolean isDecided;
    private volatile boolean isScattered;

    TreePages(MemorySegment segment) {
        this.segment = segment;
        this.isDecided = segment.byteSize() < SIZE_MIN || !segment.isMapped();
    }

    /// Says that a path is looked up.
    void lookingUp() {
        if (!isDecided) {
            decide((long) (AvailableMemory.bytes() * SHARE_OF_MEMORY));
        }
    }

    /// @param memoryBytes what the tree may fill
    synchronized void decide(long memoryBytes) {
        if (!isScattered && segment.byteSize() > memoryBytes) {
            // Huge pages would bring readahead back.
            Advice.NO_HUGE_PAGE.apply(segment, 0, segment.byteSize());
            isScattered = Advice.RANDOM.apply(segment, 0, segment.byteSize());
        }
        isDecided = true;
    }

    /// Whether somebody who reads in order has to say so.
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
