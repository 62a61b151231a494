// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static dev.penstock.memory.Layouts.WORDS;

import java.util.Arrays;

/// Nodes that are not written yet, because their siblings are not known: a stack, in arrays.
///
/// What of a node does not depend on where it will be is kept as the bytes that will be written: head and value,
/// and the list or the mask of the children. Only the distances come in between.
final class PendingNodes {
    private static final long HASH_FACTOR = 0x9E37_79B9_7F4A_7C15L;

    /// Bytes kept for each node: head and value, then the list or the mask.
    private static final int HEAD_ROOM = 16;

    private static final int TAIL_ROOM = TreeFormat.MASK_SIZE;
    private static final int ROOM_SIZE = HEAD_ROOM + TAIL_ROOM;

    /// Bytes that [#encode] may write.
    static final int ENCODED_MAX = TreeFormat.NODE_SIZE_MAX + 2 * Long.BYTES;

    /// A node without a child, and one that is no line.
    private static final long NONE = 0;

    private byte[] childBytes = new byte[64 + Long.BYTES];
    private byte[] bytes = new byte[64 * ROOM_SIZE];
    private byte[] headSizes = new byte[64];
    private byte[] tailSizes = new byte[64];
    private long[] firsts = new long[64];
    private long[] lines = new long[64];
    private int count;

    int count() {
        return count;
    }

    /// Puts a leaf on the stack.
    void addLeaf(byte childByte, long value) {
        int index = push();
        putHead(index, TreeFormat.VALUE, true, value);
        tailSizes[index] = 0;
        firsts[index] = NONE;
        lines[index] = NONE;
        childBytes[index] = childByte;
    }

    /// Puts a branch on the stack whose children are the nodes from an index on, which were written as a run and
    /// go.
    ///
    /// @param first where the run is
    void fold(int start, long first, boolean hasValue, long value) {
        int childCount = count - start;
        if (start == headSizes.length) {
            grow();
        }
        int tail = start * ROOM_SIZE + HEAD_ROOM;
        if (childCount >= TreeFormat.MASK_COUNT) {
            putMask(start, tail);
        } else {
            for (int i = 0; i < childCount; i += Long.BYTES) {
                WORDS.set(bytes, tail + i, (long) WORDS.get(childBytes, start + i));
            }
        }
        count = start + 1;
        int kept = Math.min(childCount, TreeFormat.MASK_COUNT);
        putHead(start, kept | (hasValue ? TreeFormat.VALUE : 0), hasValue, value);
        tailSizes[start] = (byte) kept;
        firsts[start] = childCount > 0 ? first : NONE;
        lines[start] = NONE;
    }

    private void putHead(int index, int head, boolean hasValue, long value) {
        int at = index * ROOM_SIZE;
        bytes[at] = (byte) head;
        headSizes[index] = (byte) (hasValue ? Varint.write(bytes, at + 1, value) - at : 1);
    }

    private void putMask(int start, int tail) {
        Arrays.fill(bytes, tail, tail + TreeFormat.MASK_SIZE, (byte) 0);
        for (int i = start; i < count; i++) {
            int childByte = childBytes[i] & 0xFF;
            bytes[tail + (childByte >>> 3)] |= (byte) (1 << (childByte & 7));
        }
    }

    boolean topHasChild() {
        return firsts[count - 1] != NONE;
    }

    /// Makes the branch on top a line.
    ///
    /// @param child where the branch was written when it has children; one without gives its value to the line
    void wrapTop(long line, long child) {
        int top = count - 1;
        int at = top * ROOM_SIZE;
        if (topHasChild()) {
            bytes[at] = (byte) (TreeFormat.LINE | TreeFormat.LINE_CHILD);
            headSizes[top] = 1;
        } else {
            bytes[at] |= (byte) TreeFormat.LINE;
        }
        tailSizes[top] = 0;
        firsts[top] = child;
        lines[top] = line;
    }

    /// The byte that leads to the node on top.
    void setTopByte(byte childByte) {
        childBytes[count - 1] = childByte;
    }

    private int push() {
        if (count == headSizes.length) {
            grow();
        }
        return count++;
    }

    private void grow() {
        int size = 2 * headSizes.length;
        childBytes = Arrays.copyOf(childBytes, size + Long.BYTES);
        bytes = Arrays.copyOf(bytes, size * ROOM_SIZE);
        headSizes = Arrays.copyOf(headSizes, size);
        tailSizes = Arrays.copyOf(tailSizes, size);
        firsts = Arrays.copyOf(firsts, size);
        lines = Arrays.copyOf(lines, size);
    }

    /// Writes a node as it looks at an offset of the file, and perhaps some bytes behind it.
    ///
    /// @param target has room for [#ENCODED_MAX] bytes
    /// @return the position behind it
    int encode(int index, long offset, byte[] target, int start) {
        int room = index * ROOM_SIZE;
        int headSize = headSizes[index];
        WORDS.set(target, start, (long) WORDS.get(bytes, room));
        if (headSize > Long.BYTES) {
            WORDS.set(target, start + Long.BYTES, (long) WORDS.get(bytes, room + Long.BYTES));
        }
        int at = start + headSize;
        if (firsts[index] != NONE) {
            at = Varint.write(target, at, offset - firsts[index]);
        }
        if (lines[index] != NONE) {
            return Varint.write(target, at, offset - lines[index]);
        }
        int tailSize = tailSizes[index];
        for (int i = 0; i < tailSize; i += Long.BYTES) {
            WORDS.set(target, at + i, (long) WORDS.get(bytes, room + HEAD_ROOM + i));
        }
        return at + tailSize;
    }

    /// A number that is the same for the same nodes with the same references.
    long hash(int start, int end) {
        long hash = end - start;
        for (int i = start; i < end; i++) {
            int room = i * ROOM_SIZE;
            for (int j = 0; j < headSizes[i]; j++) {
                hash = mix(hash, bytes[room + j]);
            }
            for (int j = 0; j < tailSizes[i]; j++) {
                hash = mix(hash, bytes[room + HEAD_ROOM + j]);
            }
            hash = mix(hash, firsts[i]);
            hash = mix(hash, lines[i]);
        }
        return hash ^ hash >>> 32;
    }

    /// The hash of what a hash stands for, followed by something else.
    static long mix(long hash, long next) {
        long mixed = (hash ^ next) * HASH_FACTOR;
        return mixed ^ mixed >>> 29;
    }
}
