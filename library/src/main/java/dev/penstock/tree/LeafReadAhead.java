// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static dev.penstock.memory.Layouts.U64;
import static dev.penstock.memory.Layouts.WORDS;

import java.lang.foreign.MemorySegment;

/// Some neighbouring leaves, read ahead: most nodes of a tree are leaves, and reading many at once costs little
/// more than reading one.
///
/// Reads only what is beyond doubt. It stops before everything else, which the caller then reads with all checks,
/// so that errors come when and where they would without it.
///
/// **Threads.** One at a time.
final class LeafReadAhead {

    /// How many are read at most.
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

    /// The node behind the last leaf, and where the bytes of the parent's children go on.
    long next;

    int cursor;

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

    /// The value of the next leaf, which is taken off.
    long takeValue() {
        return values[at++];
    }

    /// Reads leaves.
    ///
    /// @param first  the node to begin with
    /// @param left   how many children the parent has from there on
    /// @param parent where the parent is, before which all of them end
    /// @param list   where the bytes of its children are
    /// @param from   which comes next: an index into a list, or the least byte in a mask minus 256
    /// @return how many were read
    int fill(long first, int left, long parent, long list, int from) {
        long end = Math.min(parent, plainLimit);
        int limit = Math.min(left, SIZE_MAX);
        int filled = 0;
        long node = first;
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
        if (node > parent) {
            filled = 0;
        }
        at = 0;
        count = filled;
        next = node;
        cursor = filled == 0 ? from : from < 0 ? fillFromMask(list, from + 256) - 256 : fillFromList(list, from);
        return filled;
    }

    private int fillFromList(long list, int from) {
        // Eight at a time: what is too much is overwritten by the next leaves.
        for (int i = 0; i < count; i += Long.BYTES) {
            WORDS.set(childBytes, i, bytes.word(list + from + i));
        }
        return from + count;
    }

    private int fillFromMask(long mask, int from) {
        int wordIndex = from >>> 6;
        long word = bytes.u64(mask + 8L * wordIndex) & -1L << from;
        int last = 0;
        for (int i = 0; i < count; i++) {
            while (word == 0) {
                wordIndex++;
                word = bytes.u64(mask + 8L * wordIndex);
            }
            last = wordIndex << 6 | Long.numberOfTrailingZeros(word);
            word &= word - 1;
            childBytes[i] = (byte) last;
        }
        return last + 1;
    }
}
