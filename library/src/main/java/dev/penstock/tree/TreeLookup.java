// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static dev.penstock.memory.Layouts.WORDS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.penstock.Reason;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// Finds the value of a path by walking down from the root.
///
/// Earlier lookups shorten the walk: the first bytes of a key may lead on at once ([PrefixJumps]), and a byte may
/// lead from a branch to a remembered child ([ChildSteps]), without a look at the file. All that is remembered
/// was checked when it was read.
///
/// **Threads.** Any number.
final class TreeLookup {
    /// No node and no value has this offset.
    static final long ABSENT = -1;

    /// The longest beginning of all keys that is compared at once.
    private static final int COMMON_MAX = 64;

    /// The number of lookups beyond what is remembered after which remembering is worth its tables.
    private static final int UNKNOWN_MIN = 8;

    /// Fewer nodes than this are walked as fast as an entry of [PrefixJumps] is read.
    private static final int JUMP_NODES_MIN = 3;

    /// No part of a key is noted in [PrefixJumps].
    private static final int NO_JUMP = -1;

    private final TreeBytes bytes;
    private final long root;
    private final SiblingIndex siblings;
    private final ChildSteps steps;
    private final PrefixJumps jumps;
    private final TreePages pages;

    /// The bytes that lead on from the root, a bit for each.
    private final long[] firstBytes = new long[4];

    /// What all keys begin with, and the node behind it.
    private final byte[] common;

    private final long base;

    /// Counted without synchronization: a few more or less do not matter.
    private int unknownCount;

    /// @param memoryBytes the memory budget of the tree, or [dev.penstock.memory.ReaderOptions#AUTOMATIC]
    TreeLookup(TreeBytes bytes, long root, long memoryBytes) {
        this.bytes = bytes;
        this.root = root;
        this.siblings = new SiblingIndex(bytes);
        this.steps = new ChildSteps(bytes.size());
        this.jumps = new PrefixJumps(bytes.size());
        this.pages = new TreePages(bytes.segment(), memoryBytes);
        TreeNode node = new TreeNode(bytes);
        node.decode(root, bytes.size());
        if (node.isLine) {
            addFirst(bytes.u8(node.segment));
        } else {
            for (int rank = 0; rank < node.childCount; rank++) {
                addFirst(node.childByte(rank));
            }
        }
        boolean isCommon = node.isLine && !node.hasValue && node.childCount > 0 && node.segmentSize <= COMMON_MAX;
        common = new byte[isCommon ? node.segmentSize : 0];
        MemorySegment.copy(bytes.segment(), JAVA_BYTE, node.segment, common, 0, common.length);
        base = isCommon ? node.first : root;
    }

    private void addFirst(int childByte) {
        firstBytes[childByte >>> 6] |= 1L << childByte;
    }

    TreePages pages() {
        return pages;
    }

    /// Whether a key is seen to be absent by its first byte, without a look at the file.
    ///
    /// @throws IllegalStateException when the tree is closed
    boolean isForeign(byte[] key) {
        if (key.length == 0 || (firstBytes[(key[0] & 0xFF) >>> 6] >>> key[0] & 1) != 0) {
            return false;
        }
        bytes.requireOpen();
        return true;
    }

    /// The offset of the value of a key, or [#ABSENT].
    long valueOffset(byte[] key) {
        int start = common.length;
        if (start > key.length || !Arrays.equals(key, 0, start, common, 0, start)) {
            bytes.requireOpen();
            return ABSENT;
        }
        int left = key.length - start;
        if (left < PrefixJumps.SIZE_SHORT) {
            return find(key, base, start, false, NO_JUMP);
        }
        long word = (long) WORDS.get(key, start);
        boolean isLong = left > PrefixJumps.SIZE_LONG;
        long jump = isLong ? jumps.find(word, (long) WORDS.get(key, start + Long.BYTES)) : PrefixJumps.NONE;
        int jumpLimit = NO_JUMP;
        if (jump == PrefixJumps.NONE) {
            jump = jumps.find(word);
            if (jump == PrefixJumps.NONE) {
                return find(key, base, start, false, start + PrefixJumps.SIZE_SHORT);
            }
            jumpLimit = isLong ? start + PrefixJumps.SIZE_LONG : NO_JUMP;
        }
        int position = start + PrefixJumps.size(jump);
        return find(key, PrefixJumps.node(jump), position, PrefixJumps.isLine(jump), jumpLimit);
    }

    /// The branches of lookups that begin at the root.
    VisitedBranches newTrail() {
        return new VisitedBranches(root);
    }

    /// The offset of the value of a key, or [#ABSENT], going on from the trail of an earlier key with the same
    /// first bytes, and leaving a trail.
    ///
    /// @param sharedSize the number of first bytes that this key and the earlier one share
    long valueOffset(byte[] key, int sharedSize, VisitedBranches trail) {
        trail.rewind(sharedSize);
        return walk(key, trail);
    }

    /// Walks down from the end of a trail and leaves a trail. It reads every node from the file: a key parts from
    /// the one before near its end, and looking up what is remembered takes as long as reading a node or two.
    private long walk(byte[] key, VisitedBranches trail) {
        long node = trail.node();
        int position = trail.position();
        while (true) {
            long word = bytes.word(node);
            if ((word & TreeFormat.LINE) != 0) {
                int size = bytes.matchLine(node, word, key, position);
                position += size;
                long next = size == 0 ? ABSENT : behindLine(node, word, position == key.length);
                if (next < 0 || next > node) {
                    return next;
                }
                node = next;
            } else if (position == key.length) {
                return valueOfBranch(node, word);
            } else {
                trail.add(node, position);
                node = child(node, word, key[position++] & 0xFF);
                if (node == ABSENT) {
                    return ABSENT;
                }
            }
        }
    }

    /// The offset of the value at the end of a line when the key ends there, else the child of the line, or
    /// [#ABSENT].
    private long behindLine(long node, long word, boolean isEnd) {
        if (isEnd && (word & TreeFormat.VALUE) != 0) {
            return node + 1;
        }
        if ((word & TreeFormat.LINE_CHILD) == 0) {
            return ABSENT;
        }
        int part = TreeBytes.afterValue(word);
        return bytes.reference(node, part, bytes.byteAt(node, word, part));
    }

    private long valueOfBranch(long node, long word) {
        bytes.requireCount(node, (int) word & TreeFormat.COUNT);
        return (word & TreeFormat.VALUE) != 0 ? node + 1 : ABSENT;
    }

    /// Walks down from a node that the first bytes of a key lead to, by what is remembered and else by the file.
    ///
    /// @param isStartLine whether the node is known to be a line
    /// @param jumpLimit   the last node at or before this position of the key is noted in [PrefixJumps]
    private long find(byte[] key, long start, int startPosition, boolean isStartLine, int jumpLimit) {
        long node = start;
        int position = startPosition;
        boolean isLine = isStartLine;
        long jumpNode = start;
        int jumpPosition = startPosition;
        int jumpNodeCount = 0;
        boolean isNoting = true;
        long offset;
        while (true) {
            if (position <= jumpLimit) {
                jumpNode = node;
                jumpPosition = position;
                jumpNodeCount++;
            }
            if (!isLine && position < key.length) {
                long step = steps.find(node, key[position] & 0xFF);
                if (step != ChildSteps.NONE) {
                    node = ChildSteps.child(node, step);
                    isLine = ChildSteps.isLine(step);
                    position++;
                    continue;
                }
            }
            long word = bytes.word(node);
            if ((word & TreeFormat.LINE) != 0) {
                int size = bytes.matchLine(node, word, key, position);
                position += size;
                long next = size == 0 ? ABSENT : behindLine(node, word, position == key.length);
                if (next < 0 || next > node) {
                    offset = next;
                    break;
                }
                node = next;
            } else if (position == key.length) {
                offset = valueOfBranch(node, word);
                break;
            } else {
                int wanted = key[position++] & 0xFF;
                long child = child(node, word, wanted);
                if (child == ABSENT) {
                    return ABSENT;
                }
                if (isNoting && isWorthNoting()) {
                    // One for each lookup, so that the upper levels, which many keys share, come first.
                    steps.put(node, wanted, child, isLine(child));
                    isNoting = false;
                }
                node = child;
            }
            isLine = false;
        }
        if (offset != ABSENT && jumpNodeCount >= JUMP_NODES_MIN && isWorthNoting()) {
            noteJump(key, jumpNode, jumpPosition, jumpLimit);
        }
        return offset;
    }

    private void noteJump(byte[] key, long node, int position, int limit) {
        int start = common.length;
        long word = (long) WORDS.get(key, start);
        if (limit == start + PrefixJumps.SIZE_SHORT) {
            jumps.put(word, node, position - start, isLine(node));
        } else {
            jumps.put(word, (long) WORDS.get(key, start + Long.BYTES), node, position - start, isLine(node));
        }
    }

    private boolean isLine(long node) {
        return (bytes.u8(node) & TreeFormat.LINE) != 0;
    }

    /// Counts the lookups that go beyond what is remembered.
    private boolean isWorthNoting() {
        if (unknownCount < UNKNOWN_MIN) {
            unknownCount++;
            return false;
        }
        pages.lookingUp();
        return true;
    }

    /// The child of a branch that a byte leads to, or [#ABSENT].
    private long child(long node, long word, int wanted) {
        int count = (int) word & TreeFormat.COUNT;
        if (count == 0) {
            return ABSENT;
        }
        bytes.requireCount(node, count);
        int part = TreeBytes.afterValue(word);
        int distance = bytes.byteAt(node, word, part);
        long first = bytes.reference(node, part, distance);
        long list = node + part + Varint.sizeFrom(distance);
        boolean isMask = count == TreeFormat.MASK_COUNT;
        int rank =
                isMask ? ChildList.rankInMask(bytes, list, wanted) : ChildList.rankInList(bytes, list, count, wanted);
        if (rank < 0) {
            return ABSENT;
        }
        long child = rank < SiblingIndex.RANK_MIN
                ? bytes.skip(first, rank)
                : siblings.skip(first, rank, isMask ? ChildList.maskCount(bytes, list) : count);
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
}
