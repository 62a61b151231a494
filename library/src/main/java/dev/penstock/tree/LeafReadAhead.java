// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static dev.penstock.memory.Layouts.U64;
import static dev.penstock.memory.Layouts.WORDS;

import java.lang.foreign.MemorySegment;

/// Reads several neighbouring leaves ahead. Most nodes of a tree are leaves, and reading many at once costs little
/// more than reading one.
///
/// It reads only plain leaves and stops before any other node. The caller then reads that node with all checks, so
/// that errors are reported at the same path as without read-ahead.
///
/// **Threads.** One thread at a time.
final class LeafReadAhead {

    /// The largest number of leaves that are read.
    static final int SIZE_MAX = 64;

    private static final int LEAF = TreeFormat.VALUE;

    /// A leaf is read eight bytes at a time.
    private static final int END_SIZE = 2 * Long.BYTES;

    private final TreeBytes bytes;
    private final MemorySegment segment;
    private final long plainLimit;
    private final byte[] childBytes = new byte[SIZE_MAX];
    private final long[] values = new long[SIZE_MAX];
    private int at;
    private int count;

    LeafReadAhead(TreeBytes bytes) {
        this.bytes = bytes;
        this.segment = bytes.segment();
        this.plainLimit = bytes.size() - END_SIZE;
    }

    boolean isEmpty() {
        return at == count;
    }

    void clear() {
        at = 0;
        count = 0;
    }

    byte childByte() {
        return childBytes[at];
    }

    /// Takes the value of the next leaf.
    long takeValue() {
        return values[at++];
    }

    /// Reads the next children of a branch as long as they are leaves.
    ///
    /// @return whether there is at least one
    boolean fill(TreeNode branch) {
        long parent = branch.offset;
        long end = Math.min(parent, plainLimit);
        int limit = Math.min(branch.left, SIZE_MAX);
        int filled = 0;
        long node = branch.next;
        while (filled < limit && node < end) {
            long word = segment.get(U64, node);
            if (filled <= limit - 4 && TreeBytes.isFourLeaves(word)) {
                values[filled] = TreeBytes.byteOf(word, 1);
                values[filled + 1] = TreeBytes.byteOf(word, 3);
                values[filled + 2] = TreeBytes.byteOf(word, 5);
                values[filled + 3] = TreeBytes.byteOf(word, 7);
                filled += 4;
                node += Long.BYTES;
                continue;
            }
            int payload = TreeBytes.byteOf(word, 1) - Varint.SINGLE_MAX;
            if ((word & 0xFF) != LEAF) {
                break;
            }
            if (payload <= 0) {
                values[filled] = TreeBytes.byteOf(word, 1);
                node += 2;
            } else {
                long value = segment.get(U64, node + 2) & -1L >>> (Long.SIZE - 8 * payload);
                if (!Varint.isMinimal(payload, value) || node + 2 + payload > parent) {
                    break;
                }
                values[filled] = value;
                node += 2 + payload;
            }
            filled++;
        }
        at = 0;
        count = node > parent ? 0 : filled;
        if (count == 0) {
            return false;
        }
        if (branch.isMask) {
            fillFromMask(branch);
        } else {
            fillFromList(branch.childBytes + branch.childCount - branch.left);
        }
        branch.next = node;
        branch.left -= count;
        return true;
    }

    private void fillFromList(long list) {
        // Eight bytes at a time; extra bytes are overwritten by the next leaves.
        for (int i = 0; i < count; i += Long.BYTES) {
            WORDS.set(childBytes, i, bytes.word(list + i));
        }
    }

    private void fillFromMask(TreeNode branch) {
        int wordIndex = branch.maskFrom >>> 6;
        long word = bytes.u64(branch.childBytes + 8L * wordIndex) & -1L << branch.maskFrom;
        int last = 0;
        for (int i = 0; i < count; i++) {
            while (word == 0) {
                wordIndex++;
                word = bytes.u64(branch.childBytes + 8L * wordIndex);
            }
            last = wordIndex << 6 | Long.numberOfTrailingZeros(word);
            word &= word - 1;
            childBytes[i] = (byte) last;
        }
        branch.maskFrom = last + 1;
    }
}
