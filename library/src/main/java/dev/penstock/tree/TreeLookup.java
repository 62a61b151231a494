// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.Reason;
import java.util.Arrays;

/// Finds the value of a path by walking down from the root.
///
/// **Threads.** Any number.
final class TreeLookup {
    /// No value has this offset.
    static final long ABSENT = -1;

    private final TreeBytes bytes;
    private final long root;
    private final SiblingIndex siblings;

    TreeLookup(TreeBytes bytes, long root) {
        this.bytes = bytes;
        this.root = root;
        this.siblings = new SiblingIndex(bytes);
    }

    /// Where the value of a key is, or [#ABSENT].
    long valueOffset(byte[] key) {
        return valueOffset(key, root, 0, null);
    }

    /// Where the value of a key is, going on from where the trail of an earlier key has come that has the same
    /// first bytes, and leaving a trail.
    ///
    /// @param sharedSize how many bytes this key and the earlier one have in common
    long valueOffset(byte[] key, int sharedSize, Trail trail) {
        trail.rewind(sharedSize);
        if (trail.depth == 0) {
            return valueOffset(key, root, 0, trail);
        }
        // The lookup that goes on from it adds it again.
        trail.depth--;
        return valueOffset(key, trail.nodes[trail.depth], trail.positions[trail.depth], trail);
    }

    private long valueOffset(byte[] key, long start, int startPosition, Trail trail) {
        long node = start;
        int position = startPosition;
        while (true) {
            int head = bytes.u8(node);
            long at = node + 1;
            if ((head & TreeFormat.LINE) != 0) {
                if (bytes.isStrict()) {
                    TreeNode.requirePlainLine(bytes, node, head);
                }
                boolean hasChild = (head & TreeFormat.LINE_CHILD) != 0;
                long valueOffset = ABSENT;
                if ((head & TreeFormat.VALUE) != 0) {
                    valueOffset = at;
                    at += bytes.varintSize(at);
                }
                long childOffset = at;
                if (hasChild) {
                    at += bytes.varintSize(at);
                }
                long data = bytes.target(node, at);
                int segmentSize = TreeNode.segmentSize(bytes, node, data);
                if (segmentSize > key.length - position
                        || !bytes.matches(data + bytes.varintSize(data), key, position, segmentSize)) {
                    return ABSENT;
                }
                position += segmentSize;
                if (!hasChild || (position == key.length && valueOffset != ABSENT)) {
                    return position == key.length ? valueOffset : ABSENT;
                }
                node = bytes.target(node, childOffset);
            } else {
                if (position == key.length) {
                    bytes.requireCount(node, head & TreeFormat.COUNT);
                    return (head & TreeFormat.VALUE) != 0 ? at : ABSENT;
                }
                if (trail != null) {
                    trail.add(node, position);
                }
                node = child(node, head, key[position++] & 0xFF);
                if (node == ABSENT) {
                    return ABSENT;
                }
            }
        }
    }

    /// The child of a branch that a byte leads to, or [#ABSENT].
    private long child(long node, int head, int wanted) {
        long at = node + 1;
        if ((head & TreeFormat.VALUE) != 0) {
            at += bytes.varintSize(at);
        }
        int count = head & TreeFormat.COUNT;
        if (count == 0) {
            return ABSENT;
        }
        bytes.requireCount(node, count);
        long first = bytes.target(node, at);
        long childBytes = at + bytes.varintSize(at);
        boolean isMask = count == TreeFormat.MASK_COUNT;
        int rank = isMask ? bytes.rankInMask(childBytes, wanted) : bytes.rankInList(childBytes, count, wanted);
        if (rank < 0) {
            return ABSENT;
        }
        long child = rank < SiblingIndex.RANK_MIN
                ? bytes.skip(first, rank)
                : siblings.skip(first, rank, isMask ? bytes.maskCount(childBytes) : count);
        if (child >= node) {
            throw bytes.corrupt(child, Reason.OVERLAP, "a run of children reaches its parent");
        }
        return child;
    }

    /// The child of a decoded branch with a rank.
    long child(TreeNode branch, int rank) {
        return rank < SiblingIndex.RANK_MIN
                ? bytes.skip(branch.first, rank)
                : siblings.skip(branch.first, rank, branch.childCount);
    }

    /// The branches that a lookup went through, so that the next one can go on from one of them.
    static final class Trail {
        private long[] nodes = new long[64];
        private int[] positions = new int[64];
        private int depth;

        private void add(long node, int position) {
            if (depth == nodes.length) {
                nodes = Arrays.copyOf(nodes, 2 * depth);
                positions = Arrays.copyOf(positions, 2 * depth);
            }
            nodes[depth] = node;
            positions[depth++] = position;
        }

        /// Drops the branches behind the shared part of the keys.
        private void rewind(int sharedSize) {
            while (depth > 0 && positions[depth - 1] > sharedSize) {
                depth--;
            }
        }
    }
}
