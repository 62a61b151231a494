// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/// Finds the value of a path by walking down from the root, or from as far down as earlier lookups have come.
///
/// The first bytes of a key may lead on at once ([PrefixJumps]); from there it goes from child to child as far as
/// these are remembered ([ChildSteps]), and node by node through the file behind that ([TreeWalk]). All that is
/// remembered was checked when it was met.
///
/// **Threads.** Any number.
final class TreeLookup {
    /// No value has this offset.
    static final long ABSENT = TreeWalk.ABSENT;

    private static final VarHandle WORDS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /// Of the first bytes that all keys have in common so many are compared at once.
    private static final int COMMON_MAX = 64;

    /// Whoever opens a tree for fewer lookups than this does not want to pay for what others will find remembered.
    private static final int UNKNOWN_MIN = 8;

    /// Fewer nodes than this are gone through as fast as an entry is read.
    private static final int JUMP_NODES_MIN = 3;

    private final TreeBytes bytes;
    private final long root;
    private final SiblingIndex siblings;
    private final TreeWalk walk;
    private final ChildSteps steps;
    private final PrefixJumps jumps;
    private final TreePages pages;

    /// The bytes that lead on from the root.
    private final long[] firstBytes = new long[4];

    /// What all keys begin with, and the node behind it.
    private final byte[] common;

    private final long base;

    /// Counted without care: a few more or less do not matter.
    private int unknownCount;

    TreeLookup(TreeBytes bytes, long root) {
        this.bytes = bytes;
        this.root = root;
        this.siblings = new SiblingIndex(bytes);
        this.walk = new TreeWalk(bytes, siblings);
        this.steps = new ChildSteps(bytes.size());
        this.jumps = new PrefixJumps(bytes.size());
        this.pages = new TreePages(bytes.segment());
        TreeNode node = new TreeNode(bytes);
        node.decode(root, bytes.size());
        if (node.isLine) {
            addFirst(bytes.u8(node.segment));
        } else {
            for (int rank = 0, next = -1; rank < node.childCount; rank++) {
                next = node.isMask ? bytes.nextInMask(node.childBytes, next + 1) : node.childByte(rank);
                addFirst(next);
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

    /// Where the value of a key is, or [#ABSENT].
    long valueOffset(byte[] key) {
        int position = common.length;
        if (!isCommon(key)) {
            bytes.requireOpen();
            return ABSENT;
        }
        long jump = jump(key);
        long offset = jump == PrefixJumps.NONE
                ? stepOn(key, base, position, false)
                : stepOn(key, PrefixJumps.node(jump), position + PrefixJumps.size(jump), PrefixJumps.isLine(jump));
        if (offset != ABSENT && !PrefixJumps.isLong(jump)) {
            note(key, jump);
        }
        return offset;
    }

    /// How far the first bytes of a key lead that begins as all do, or [PrefixJumps#NONE].
    private long jump(byte[] key) {
        int left = key.length - common.length;
        if (left < PrefixJumps.SIZE_SHORT) {
            return PrefixJumps.NONE;
        }
        long word0 = (long) WORDS.get(key, common.length);
        if (left >= PrefixJumps.SIZE_LONG) {
            long start = jumps.find(word0, (long) WORDS.get(key, common.length + Long.BYTES));
            if (start != PrefixJumps.NONE) {
                return start;
            }
        }
        return jumps.find(word0);
    }

    /// Goes from child to child as far as these are remembered, remembers the next one, and walks on from there.
    private long stepOn(byte[] key, long start, int startPosition, boolean isStartLine) {
        long node = start;
        int position = startPosition;
        boolean isLine = isStartLine;
        while (!isLine && position < key.length) {
            int wanted = key[position] & 0xFF;
            long step = steps.find(node, wanted);
            if (step == ChildSteps.NONE) {
                boolean isNoting = isUsed();
                long word = bytes.word(node);
                if ((word & TreeFormat.LINE) != 0) {
                    break;
                }
                long child = walk.child(node, word, wanted);
                if (child == ABSENT) {
                    return ABSENT;
                }
                if (isNoting) {
                    noteStep(node, wanted, child);
                }
                return walk.find(key, child, position + 1, null);
            }
            node = ChildSteps.child(node, step);
            isLine = ChildSteps.isLine(step);
            position++;
        }
        return walk.find(key, node, position, null);
    }

    /// Says that a lookup has come to where nothing is remembered.
    ///
    /// @return whether there were enough of these, so that remembering is worth its tables
    private boolean isUsed() {
        if (unknownCount < UNKNOWN_MIN) {
            unknownCount++;
            return false;
        }
        pages.lookingUp();
        return true;
    }

    /// Remembers how far the first bytes of a key lead that is in the tree.
    ///
    /// @param jump what is remembered of fewer bytes, or [PrefixJumps#NONE]
    private void note(byte[] key, long jump) {
        if (unknownCount < UNKNOWN_MIN) {
            return;
        }
        int left = key.length - common.length;
        if (jump == PrefixJumps.NONE && left >= PrefixJumps.SIZE_SHORT) {
            long word0 = (long) WORDS.get(key, common.length);
            if (jumps.isAdmitted(word0)) {
                long start = startFor(key, jump, PrefixJumps.SIZE_SHORT);
                if (start != PrefixJumps.NONE) {
                    jumps.put(word0, start);
                }
            }
        }
        if (left >= PrefixJumps.SIZE_LONG) {
            long word0 = (long) WORDS.get(key, common.length);
            long word1 = (long) WORDS.get(key, common.length + Long.BYTES);
            if (jumps.isAdmitted(word0, word1)) {
                long start = startFor(key, jump, PrefixJumps.SIZE_LONG);
                if (start != PrefixJumps.NONE) {
                    jumps.put(word0, word1, start);
                }
            }
        }
    }

    /// The last node that a key comes to within so many of its first bytes, for [PrefixJumps].
    private long startFor(byte[] key, long jump, int size) {
        boolean isFar = jump != PrefixJumps.NONE;
        long node = isFar ? PrefixJumps.node(jump) : base;
        int position = common.length + (isFar ? PrefixJumps.size(jump) : 0);
        int limit = common.length + size;
        long start = PrefixJumps.NONE;
        int count = isFar ? 1 : 0;
        while (true) {
            long word = bytes.word(node);
            int head = (int) word & 0xFF;
            boolean isLine = (head & TreeFormat.LINE) != 0;
            start = PrefixJumps.start(node, position - common.length, isLine, size == PrefixJumps.SIZE_LONG);
            if (position == limit) {
                break;
            }
            int edgeSize = isLine ? walk.matchLine(node, word, key, position) : 1;
            boolean isGoingOn = position + edgeSize <= limit && (!isLine || (head & TreeFormat.LINE_CHILD) != 0);
            if (!isGoingOn) {
                break;
            }
            node = isLine ? walk.childOfLine(node, word) : walk.child(node, word, key[position] & 0xFF);
            position += edgeSize;
            count++;
        }
        return count >= JUMP_NODES_MIN ? start : PrefixJumps.NONE;
    }

    TreePages pages() {
        return pages;
    }

    /// Whether a key begins as all do.
    private boolean isCommon(byte[] key) {
        int size = common.length;
        return size <= key.length && Arrays.equals(key, 0, size, common, 0, size);
    }

    private void noteStep(long node, int childByte, long child) {
        steps.put(node, childByte, child, (bytes.u8(child) & TreeFormat.LINE) != 0);
    }

    /// Where the value of a key is, going on from where the trail of an earlier key has come that has the same
    /// first bytes, and leaving a trail.
    ///
    /// @param sharedSize how many bytes this key and the earlier one have in common
    long valueOffset(byte[] key, int sharedSize, TreeTrail trail) {
        if (!trail.rewind(sharedSize)) {
            return walk.find(key, root, 0, trail);
        }
        trail.pop();
        return walk.find(key, trail.node(), trail.position(), trail);
    }

    /// The child of a decoded branch with a rank.
    long child(TreeNode branch, int rank) {
        return rank < SiblingIndex.RANK_MIN
                ? bytes.skip(branch.first, rank)
                : siblings.skip(branch.first, rank, branch.childCount);
    }
}
