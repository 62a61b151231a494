// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.Reason;
import java.util.Arrays;

/// Where a cursor is: its path, how much of that exists, and the nodes passed on the way.
///
/// **Invariants.** The last node covers the place at `existing`: a branch begins exactly there; a line begins
/// there or before, and ends there only when nothing follows it.
final class CursorTrack {
    private final TreeBytes bytes;
    private final TreeLookup lookup;
    private final TreeNode node;
    private final TreeNode other;
    private long[] nodes = new long[16];
    private int[] starts = new int[16];
    private int nodeCount;
    private int decodedIndex = -1;

    byte[] path = new byte[64];
    int size;
    int existing;

    CursorTrack(TreeBytes bytes, TreeLookup lookup, long root) {
        this.bytes = bytes;
        this.lookup = lookup;
        this.node = new TreeNode(bytes);
        this.other = new TreeNode(bytes);
        push(root, 0);
    }

    boolean exists() {
        return existing == size;
    }

    /// The node that covers the place at `existing`.
    private TreeNode top() {
        if (decodedIndex != nodeCount - 1) {
            decodedIndex = -1;
            node.decode(nodes[nodeCount - 1], nodeCount > 1 ? nodes[nodeCount - 2] : bytes.size());
            decodedIndex = nodeCount - 1;
        }
        return node;
    }

    /// How far into the last node the place is.
    private int within() {
        return existing - starts[nodeCount - 1];
    }

    boolean hasValue() {
        TreeNode top = top();
        return exists() && top.hasValue && within() == (top.isLine ? top.segmentSize : 0);
    }

    long value() {
        return top().value;
    }

    int childCount() {
        if (!exists()) {
            return 0;
        }
        TreeNode top = top();
        return top.isLine ? (within() < top.segmentSize ? 1 : 0) : top.childCount;
    }

    /// The byte of a child of an existing place, by rank.
    int childByte(int rank) {
        TreeNode top = top();
        return top.isLine ? bytes.u8(top.segment + within()) : top.childByte(rank);
    }

    /// Goes down by a byte if that exists.
    boolean descend(int wanted) {
        if (!exists()) {
            return false;
        }
        TreeNode top = top();
        if (top.isLine) {
            return descendLine(top, wanted);
        }
        int rank = top.rank(wanted);
        if (rank < 0) {
            return false;
        }
        long child = lookup.child(top, rank);
        append(wanted);
        existing = size;
        push(child, size);
        return true;
    }

    private boolean descendLine(TreeNode line, int wanted) {
        int at = within();
        if (at == line.segmentSize || bytes.u8(line.segment + at) != wanted) {
            return false;
        }
        append(wanted);
        existing = size;
        if (at + 1 == line.segmentSize && line.childCount > 0) {
            push(line.first, size);
        }
        return true;
    }

    /// Goes down by a byte whether that exists or not.
    void move(int wanted) {
        if (!descend(wanted)) {
            append(wanted);
        }
    }

    /// Goes up until the path has so many bytes.
    void ascendTo(int newSize) {
        size = newSize;
        if (existing > newSize) {
            existing = newSize;
            while (starts[nodeCount - 1] > existing) {
                nodeCount--;
            }
            if (decodedIndex >= nodeCount) {
                decodedIndex = -1;
            }
        }
    }

    /// The next existing byte beside the last one of the path, in a direction, or -1.
    int siblingByte(boolean isForward) {
        if (existing < size - 1) {
            return -1;
        }
        int last = path[size - 1] & 0xFF;
        boolean isOwnNode = exists() && starts[nodeCount - 1] == size;
        int parentIndex = isOwnNode ? nodeCount - 2 : nodeCount - 1;
        TreeNode parent = other;
        parent.decode(nodes[parentIndex], parentIndex > 0 ? nodes[parentIndex - 1] : bytes.size());
        if (parent.isLine) {
            int at = size - 1 - starts[parentIndex];
            int only = at < parent.segmentSize ? bytes.u8(parent.segment + at) : last;
            return (isForward ? only > last : only < last) ? only : -1;
        }
        int smaller = parent.smallerCount(last);
        int rank = isForward ? smaller + (parent.rank(last) >= 0 ? 1 : 0) : smaller - 1;
        return rank >= 0 && rank < parent.childCount ? parent.childByte(rank) : -1;
    }

    /// The node that everything at and below the place hangs from, and where its parent is.
    long subtree() {
        return nodes[nodeCount - 1];
    }

    long subtreeLimit() {
        return nodeCount > 1 ? nodes[nodeCount - 2] : bytes.size();
    }

    private void push(long offset, int start) {
        if (nodeCount == nodes.length) {
            nodes = Arrays.copyOf(nodes, 2 * nodeCount);
            starts = Arrays.copyOf(starts, 2 * nodeCount);
        }
        if (nodeCount > 0 && offset >= nodes[nodeCount - 1]) {
            throw bytes.corrupt(offset, Reason.OVERLAP, "a run of children reaches its parent");
        }
        nodes[nodeCount] = offset;
        starts[nodeCount++] = start;
    }

    private void append(int next) {
        if (size == path.length) {
            path = Arrays.copyOf(path, 2 * size);
        }
        path[size++] = (byte) next;
    }
}
