// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import java.util.Arrays;

/// Nodes that are not written yet, because their siblings are not known: a stack, in arrays.
final class PendingNodes {
    private static final int MASK_WORDS = 4;
    private static final long HASH_FACTOR = 0x9E37_79B9_7F4A_7C15L;
    private static final byte HAS_VALUE = 1;
    private static final byte IS_LINE = 2;
    private static final byte HAS_CHILD = 4;

    private byte[] childBytes = new byte[64];
    private byte[] flags = new byte[64];
    private long[] values = new long[64];
    private long[] firsts = new long[64];
    private long[] lines = new long[64];
    private long[] masks = new long[64 * MASK_WORDS];
    private int count;

    int count() {
        return count;
    }

    /// Puts a branch on the stack whose children are the nodes from an index on, which were written as a run and
    /// go.
    ///
    /// @param first where the run is
    void fold(int start, long first, boolean hasValue, long value) {
        long mask0 = 0;
        long mask1 = 0;
        long mask2 = 0;
        long mask3 = 0;
        for (int i = start; i < count; i++) {
            long bit = 1L << childBytes[i];
            switch ((childBytes[i] & 0xFF) >>> 6) {
                case 0 -> mask0 |= bit;
                case 1 -> mask1 |= bit;
                case 2 -> mask2 |= bit;
                default -> mask3 |= bit;
            }
        }
        boolean hasChild = count > start;
        count = start;
        int index = push();
        masks[index * MASK_WORDS] = mask0;
        masks[index * MASK_WORDS + 1] = mask1;
        masks[index * MASK_WORDS + 2] = mask2;
        masks[index * MASK_WORDS + 3] = mask3;
        flags[index] = (byte) ((hasValue ? HAS_VALUE : 0) | (hasChild ? HAS_CHILD : 0));
        values[index] = hasValue ? value : 0;
        firsts[index] = hasChild ? first : 0;
        lines[index] = 0;
    }

    boolean topHasChild() {
        return (flags[count - 1] & HAS_CHILD) != 0;
    }

    /// Makes the branch on top a line.
    ///
    /// @param child where the branch was written when it has children; one without gives its value to the line
    void wrapTop(long line, long child) {
        int top = count - 1;
        flags[top] = (byte) (topHasChild() ? IS_LINE | HAS_CHILD : IS_LINE | (flags[top] & HAS_VALUE));
        firsts[top] = child;
        lines[top] = line;
        Arrays.fill(masks, top * MASK_WORDS, top * MASK_WORDS + MASK_WORDS, 0);
        if ((flags[top] & HAS_VALUE) == 0) {
            values[top] = 0;
        }
    }

    /// The byte that leads to the node on top.
    void setTopByte(byte childByte) {
        childBytes[count - 1] = childByte;
    }

    private int push() {
        if (count == flags.length) {
            int size = 2 * count;
            childBytes = Arrays.copyOf(childBytes, size);
            flags = Arrays.copyOf(flags, size);
            values = Arrays.copyOf(values, size);
            firsts = Arrays.copyOf(firsts, size);
            lines = Arrays.copyOf(lines, size);
            masks = Arrays.copyOf(masks, size * MASK_WORDS);
        }
        return count++;
    }

    /// Writes a node as it looks at an offset of the file.
    ///
    /// @return the position behind it
    int encode(int index, long offset, byte[] target, int start) {
        int flag = flags[index];
        boolean hasValue = (flag & HAS_VALUE) != 0;
        boolean hasChild = (flag & HAS_CHILD) != 0;
        int head = hasValue ? TreeFormat.VALUE : 0;
        int at = start + 1;
        if (hasValue) {
            at = Varint.write(target, at, values[index]);
        }
        if (hasChild) {
            at = Varint.write(target, at, offset - firsts[index]);
        }
        if ((flag & IS_LINE) != 0) {
            target[start] = (byte) (TreeFormat.LINE | head | (hasChild ? TreeFormat.LINE_CHILD : 0));
            return Varint.write(target, at, offset - lines[index]);
        }
        int childCount = hasChild ? childCount(index) : 0;
        target[start] = (byte) (head | Math.min(childCount, TreeFormat.MASK_COUNT));
        return childCount < TreeFormat.MASK_COUNT ? encodeList(index, target, at) : encodeMask(index, target, at);
    }

    private int childCount(int index) {
        int at = index * MASK_WORDS;
        return Long.bitCount(masks[at])
                + Long.bitCount(masks[at + 1])
                + Long.bitCount(masks[at + 2])
                + Long.bitCount(masks[at + 3]);
    }

    private int encodeList(int index, byte[] target, int start) {
        int at = start;
        for (int i = 0; i < MASK_WORDS; i++) {
            for (long word = masks[index * MASK_WORDS + i]; word != 0; word &= word - 1) {
                target[at++] = (byte) (i * Long.SIZE + Long.numberOfTrailingZeros(word));
            }
        }
        return at;
    }

    private int encodeMask(int index, byte[] target, int start) {
        for (int i = 0; i < TreeFormat.MASK_SIZE; i++) {
            target[start + i] = (byte) (masks[index * MASK_WORDS + i / Long.BYTES] >>> (8 * (i % Long.BYTES)));
        }
        return start + TreeFormat.MASK_SIZE;
    }

    /// A number that is the same for the same nodes with the same references.
    long hash(int start, int end) {
        long hash = end - start;
        for (int i = start; i < end; i++) {
            hash = mix(hash, flags[i]);
            hash = mix(hash, values[i]);
            hash = mix(hash, firsts[i]);
            hash = mix(hash, lines[i]);
            for (int word = 0; word < MASK_WORDS; word++) {
                hash = mix(hash, masks[i * MASK_WORDS + word]);
            }
        }
        return hash ^ hash >>> 32;
    }

    private static long mix(long hash, long next) {
        long mixed = (hash ^ next) * HASH_FACTOR;
        return mixed ^ mixed >>> 29;
    }
}
