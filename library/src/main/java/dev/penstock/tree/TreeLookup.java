// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static dev.penstock.file.Layouts.WORDS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.penstock.Reason;
import dev.penstock.file.OpenFile;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// Finds the value of a path by walking down from the root.
///
/// Caches of earlier lookups shorten the walk: the first bytes of a key may lead to a node at once
/// ([PrefixJumps]), and a byte may lead from a branch to a cached child ([ChildSteps]), without access to the
/// file. All cached nodes were checked when they were read.
///
/// **Threads.** Safe for any number of threads.
final class TreeLookup {
    /// Not an offset of any node or value.
    static final long ABSENT = -1;

    /// The longest common prefix of all keys that is compared at once.
    private static final int COMMON_MAX = 64;

    /// The number of lookups with unknown nodes after which the caches are worth their memory.
    private static final int UNKNOWN_MIN = 8;

    /// Fewer nodes than this are walked as fast as an entry of [PrefixJumps] is read.
    private static final int JUMP_NODES_MIN = 3;

    /// No part of the key is stored in [PrefixJumps].
    private static final int NO_JUMP = -1;

    private final OpenFile file;
    private final TreeBytes bytes;
    private final long root;
    private final SiblingIndex siblings;
    private final ChildSteps steps;
    private final PrefixJumps jumps;

    /// The bytes that lead on from the root, one bit for each.
    private final long[] firstBytes = new long[4];

    /// The common prefix of all keys, and the node after it.
    private final byte[] common;

    private final long base;

    /// Counted without synchronization, because the exact number does not matter.
    private int unknownCount;

    TreeLookup(OpenFile file, TreeBytes bytes, long root) {
        this.file = file;
        this.bytes = bytes;
        this.root = root;
        this.siblings = new SiblingIndex(bytes);
        this.steps = new ChildSteps(bytes.size());
        this.jumps = new PrefixJumps(bytes.size());
        TreeNode node = new TreeNode(bytes);
        node.decode(root, bytes.size());
        if (node.isLine) {
            addFirst(bytes.u8(node.segment));
        } else {
            for (byte childByte : node.childBytes()) {
                addFirst(childByte & 0xFF);
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

    TreeBytes bytes() {
        return bytes;
    }

    long root() {
        return root;
    }

    /// Whether enough keys have been looked up in a tree larger than its memory budget that readahead was switched
    /// off: a lookup touches a few distant pages, and readahead at each would evict everything else. A scan then
    /// has to prefetch.
    boolean isScattered() {
        return unknownCount == UNKNOWN_MIN && file.isScattered();
    }

    /// Prefetches for a scan, unless the system reads ahead by itself.
    void willRead(long offset, long byteCount) {
        if (isScattered()) {
            file.willNeed(offset, Math.min(byteCount, bytes.size() - offset));
        }
    }

    /// Whether a key is known to be absent by its first byte, without access to the file.
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
        long jump = isLong ? jumps.find(word, (long) WORDS.get(key, start + Long.BYTES), true) : PrefixJumps.NONE;
        int jumpLimit = NO_JUMP;
        if (jump == PrefixJumps.NONE) {
            jump = jumps.find(word, 0, false);
            if (jump == PrefixJumps.NONE) {
                return find(key, base, start, false, start + PrefixJumps.SIZE_SHORT);
            }
            jumpLimit = isLong ? start + PrefixJumps.SIZE_LONG : NO_JUMP;
        }
        int position = start + PrefixJumps.size(jump);
        return find(key, PrefixJumps.node(jump), position, PrefixJumps.isLine(jump), jumpLimit);
    }

    /// The offset of the value of a key, or [#ABSENT]. It continues from the trail of an earlier key with the same
    /// first bytes, and updates the trail. It reads every node from the file: a key usually diverges from the one
    /// before near its end, and the caches would take as long as reading a node or two.
    ///
    /// @param sharedSize the number of leading bytes that this key and the earlier one share
    long valueOffset(byte[] key, int sharedSize, NodeTrail trail) {
        trail.rewind(sharedSize);
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

    /// The offset of the value at the end of a line if the key ends there, else the child of the line, or
    /// [#ABSENT].
    private long behindLine(long node, long word, boolean isEnd) {
        if (isEnd && (word & TreeFormat.VALUE) != 0) {
            return node + 1;
        }
        if ((word & TreeFormat.LINE_CHILD) == 0) {
            return ABSENT;
        }
        return bytes.reference(node, word, TreeBytes.afterValue(word));
    }

    private long valueOfBranch(long node, long word) {
        bytes.requireCount(node, (int) word & TreeFormat.COUNT);
        return (word & TreeFormat.VALUE) != 0 ? node + 1 : ABSENT;
    }

    /// Walks down from a node that the first bytes of a key lead to, by the caches and otherwise by the file.
    ///
    /// @param isStartLine whether the node is known to be a line
    /// @param jumpLimit   the last node at or before this position of the key is stored in [PrefixJumps]
    private long find(byte[] key, long start, int startPosition, boolean isStartLine, int jumpLimit) {
        long node = start;
        int position = startPosition;
        boolean isLine = isStartLine;
        long jumpNode = start;
        int jumpPosition = startPosition;
        int jumpNodeCount = 0;
        boolean isRecording = true;
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
                if (isRecording && isWorthNoting()) {
                    // One for each lookup, so that the upper levels, which many keys share, are cached first.
                    steps.put(node, wanted, child, isLine(child));
                    isRecording = false;
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
        boolean isLong = limit > start + PrefixJumps.SIZE_SHORT;
        long word1 = isLong ? (long) WORDS.get(key, start + Long.BYTES) : 0;
        jumps.put((long) WORDS.get(key, start), word1, isLong, node, position - start, isLine(node));
    }

    private boolean isLine(long node) {
        return (bytes.u8(node) & TreeFormat.LINE) != 0;
    }

    /// Counts the lookups that need nodes which are not cached.
    private boolean isWorthNoting() {
        if (unknownCount < UNKNOWN_MIN) {
            unknownCount++;
            return false;
        }
        file.isScattered();
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
        long first = bytes.reference(node, word, part);
        long list = node + bytes.afterDistance(node, word, part);
        int rank;
        if (count == TreeFormat.MASK_COUNT) {
            count = ChildList.maskCount(bytes, list);
            rank = ChildList.rankInMask(bytes, list, wanted);
        } else {
            rank = ChildList.rankInList(bytes, list, count, wanted);
        }
        if (rank < 0) {
            return ABSENT;
        }
        long child = siblings.skip(first, rank, count);
        if (child >= node) {
            throw bytes.corrupt(child, Reason.OVERLAP, "a run of children overlaps its parent");
        }
        return child;
    }

    /// The child of a decoded branch with a rank.
    long child(TreeNode branch, int rank) {
        return siblings.skip(branch.first, rank, branch.childCount);
    }
}
