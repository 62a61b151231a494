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

    /// Bytes of a key by which the way to a branch is remembered.
    private static final int SHORT_PREFIX = 16;

    private static final int LONG_PREFIX = 24;

    private final TreeBytes bytes;
    private final long root;
    private final SiblingIndex siblings;
    private final PrefixJumps shortJumps = new PrefixJumps(SHORT_PREFIX);
    private final PrefixJumps longJumps = new PrefixJumps(LONG_PREFIX);

    TreeLookup(TreeBytes bytes, long root) {
        this.bytes = bytes;
        this.root = root;
        this.siblings = new SiblingIndex(bytes);
    }

    /// Where the value of a key is, or [#ABSENT].
    long valueOffset(byte[] key) {
        if (key.length < SHORT_PREFIX) {
            return walk(key, root, 0, null, false);
        }
        long start = key.length < LONG_PREFIX ? PrefixJumps.NONE : longJumps.find(key);
        boolean isFar = start != PrefixJumps.NONE;
        if (!isFar) {
            start = shortJumps.find(key);
        }
        return start == PrefixJumps.NONE
                ? walk(key, root, 0, null, true)
                : walk(key, PrefixJumps.node(start), PrefixJumps.position(start), null, !isFar);
    }

    /// Where the value of a key is, going on from where the trail of an earlier key has come that has the same
    /// first bytes, and leaving a trail.
    ///
    /// @param sharedSize how many bytes this key and the earlier one have in common
    long valueOffset(byte[] key, int sharedSize, Trail trail) {
        trail.rewind(sharedSize);
        if (trail.depth == 0) {
            return walk(key, root, 0, trail, false);
        }
        // The lookup that goes on from it adds it again.
        trail.depth--;
        return walk(key, trail.nodes[trail.depth], trail.positions[trail.depth], trail, false);
    }

    /// Walks down from a node that the first bytes of a key lead to.
    ///
    /// @param isNoting whether to remember how far the first bytes lead
    private long walk(byte[] key, long start, int startPosition, Trail trail, boolean isNoting) {
        long node = start;
        int position = startPosition;
        int shortCount = 0;
        long shortBranch = 0;
        int shortPosition = 0;
        int longCount = 0;
        long longBranch = 0;
        int longPosition = 0;
        long result = ABSENT;
        while (true) {
            long word = bytes.word(node);
            int head = (int) word & 0xFF;
            if ((head & TreeFormat.LINE) != 0) {
                if (bytes.isStrict()) {
                    TreeNode.requirePlainLine(bytes, node, head);
                }
                boolean hasValue = (head & TreeFormat.VALUE) != 0;
                boolean hasChild = (head & TreeFormat.LINE_CHILD) != 0;
                int childAt = hasValue ? 1 + Varint.sizeFrom(TreeBytes.byteOf(word, 1)) : 1;
                int dataAt = hasChild ? childAt + bytes.varintSize(node, word, childAt) : childAt;
                int segmentSize = matchLine(node, dataAt, word, key, position);
                if (segmentSize == 0) {
                    break;
                }
                position += segmentSize;
                if (position == key.length && hasValue) {
                    result = node + 1;
                    break;
                }
                if (!hasChild) {
                    break;
                }
                node = bytes.target(node, node + childAt, bytes.varint(node, word, childAt));
            } else {
                if (position == key.length) {
                    bytes.requireCount(node, head & TreeFormat.COUNT);
                    result = (head & TreeFormat.VALUE) != 0 ? node + 1 : ABSENT;
                    break;
                }
                if (trail != null) {
                    trail.add(node, position);
                }
                if (isNoting && position <= LONG_PREFIX) {
                    longCount++;
                    longBranch = node;
                    longPosition = position;
                    if (position <= SHORT_PREFIX) {
                        shortCount++;
                        shortBranch = node;
                        shortPosition = position;
                    }
                }
                node = child(node, word, key[position++] & 0xFF);
                if (node == ABSENT) {
                    break;
                }
            }
        }
        if (shortCount >= PrefixJumps.BRANCHES_MIN) {
            shortJumps.put(key, shortBranch, shortPosition);
        }
        if (longCount >= PrefixJumps.BRANCHES_MIN && key.length >= LONG_PREFIX) {
            longJumps.put(key, longBranch, longPosition);
        }
        return result;
    }

    /// How many bytes a line has if a key goes on with all of them, else 0.
    private int matchLine(long node, int dataAt, long word, byte[] key, int position) {
        long data = bytes.target(node, node + dataAt, bytes.varint(node, word, dataAt));
        int segmentSize = TreeNode.segmentSize(bytes, node, data);
        boolean isMatching = segmentSize <= key.length - position
                && bytes.matches(data + bytes.varintSize(data), key, position, segmentSize);
        return isMatching ? segmentSize : 0;
    }

    /// The child of a branch that a byte leads to, or [#ABSENT].
    ///
    /// @param word the first eight bytes of the branch, which as a rule are all of it
    private long child(long node, long word, int wanted) {
        int head = (int) word & 0xFF;
        int count = head & TreeFormat.COUNT;
        if (count == 0) {
            return ABSENT;
        }
        bytes.requireCount(node, count);
        int at = (head & TreeFormat.VALUE) != 0 ? 1 + Varint.sizeFrom(TreeBytes.byteOf(word, 1)) : 1;
        long first = bytes.target(node, node + at, bytes.varint(node, word, at));
        int listAt = at + bytes.varintSize(node, word, at);
        if (count == TreeFormat.MASK_COUNT) {
            return childOfMask(node, node + listAt, first, wanted);
        }
        int rank = listAt + count <= Long.BYTES && node + Long.BYTES <= bytes.size()
                ? bytes.rankInWord(word >>> (8 * listAt), count, wanted, node + listAt)
                : bytes.rankInList(node + listAt, count, wanted);
        if (rank < 0) {
            return ABSENT;
        }
        return requireBefore(
                node, rank < SiblingIndex.RANK_MIN ? bytes.skip(first, rank) : siblings.skip(first, rank, count));
    }

    private long childOfMask(long node, long mask, long first, int wanted) {
        int rank = bytes.rankInMask(mask, wanted);
        if (rank < 0) {
            return ABSENT;
        }
        return requireBefore(
                node,
                rank < SiblingIndex.RANK_MIN
                        ? bytes.skip(first, rank)
                        : siblings.skip(first, rank, bytes.maskCount(mask)));
    }

    private long requireBefore(long node, long child) {
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
