// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import java.util.Arrays;

/// A node that is not written yet, because its later siblings are not known.
///
/// **Threads.** One thread at a time.
final class PendingNode {
    private static final long NONE = 0;
    private static final long HASH_FACTOR = 0x9E37_79B9_7F4A_7C15L;

    /// The byte that leads to the node.
    byte childByte;

    private boolean hasValue;
    private long value;
    /// The offset of the child of a line, or of the run of children of a branch.
    private long first;
    /// The offset of the line data. A branch has none.
    private long line;
    /// The list or the mask of the children of a branch.
    private final byte[] children = new byte[TreeFormat.MASK_SIZE];

    private int childrenSize;

    boolean hasChild() {
        return first != NONE;
    }

    /// Makes this a leaf.
    void setLeaf(byte childByte, long value) {
        this.childByte = childByte;
        setBranch(true, value, NONE, 0);
    }

    /// Makes this a branch.
    ///
    /// @param first the offset of its children
    /// @param nodes contains these children
    /// @param start the index of the first of them; this node itself may be among them
    void setBranch(boolean hasValue, long value, long first, PendingNode[] nodes, int start, int count) {
        if (count < TreeFormat.MASK_COUNT) {
            for (int i = 0; i < count; i++) {
                children[i] = nodes[start + i].childByte;
            }
        } else {
            Arrays.fill(children, (byte) 0);
            for (int i = 0; i < count; i++) {
                int next = nodes[start + i].childByte & 0xFF;
                children[next >>> 3] |= (byte) (1 << (next & 7));
            }
        }
        setBranch(hasValue, value, first, Math.min(count, TreeFormat.MASK_COUNT));
    }

    private void setBranch(boolean hasValue, long value, long first, int childrenSize) {
        this.hasValue = hasValue;
        this.value = value;
        this.first = first;
        this.childrenSize = childrenSize;
        this.line = NONE;
    }

    /// Turns this branch into a line that leads to it.
    ///
    /// @param child the offset of the branch if it has children; without children its value moves to the line
    void setLine(long line, long child) {
        hasValue = hasValue && !hasChild();
        first = child;
        this.line = line;
        childrenSize = 0;
    }

    /// Encodes the node for an offset of the file, possibly followed by some zeros.
    ///
    /// @param target has space for [TreeFormat#NODE_SIZE_MAX] bytes
    /// @return the end position
    int encode(long offset, byte[] target, int start) {
        int kind = line == NONE ? childrenSize : TreeFormat.LINE | (hasChild() ? TreeFormat.LINE_CHILD : 0);
        target[start] = (byte) (kind | (hasValue ? TreeFormat.VALUE : 0));
        int at = start + 1;
        if (hasValue) {
            at = Varint.write(target, at, value);
        }
        if (hasChild()) {
            at = Varint.write(target, at, offset - first);
        }
        if (line != NONE) {
            return Varint.write(target, at, offset - line);
        }
        for (int i = 0; i < childrenSize; i++) {
            target[at + i] = children[i];
        }
        return at + childrenSize;
    }

    /// Adds this node to the hash of its run. Equal nodes with the same references have the same hash.
    long addTo(long hash) {
        long mixed = mix(mix(mix(hash, hasValue ? value : -1), first), line);
        for (int i = 0; i < childrenSize; i++) {
            mixed = mix(mixed, children[i]);
        }
        return mixed;
    }

    /// The hash of a sequence, given the hash of the sequence without its last number.
    static long mix(long hash, long next) {
        long mixed = (hash ^ next) * HASH_FACTOR;
        return mixed ^ mixed >>> 29;
    }
}
