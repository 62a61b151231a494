// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static dev.penstock.memory.Layouts.U64;

import dev.penstock.Reason;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// Follows the bytes of a key from node to node.
///
/// The methods here are few and large on purpose: a lookup spends its time in them, and the compiler puts them
/// into one piece only when little is called. What is rare (a node at the very end of the file, a long list, a
/// number of many bytes) is left to [TreeBytes], which does the same with fewer assumptions.
///
/// **Threads.** Any number.
final class TreeWalk {
    /// No node and no value has this offset.
    static final long ABSENT = -1;

    private static final VarHandle WORDS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /// A node that begins before so many bytes from the end can be read eight bytes at a time.
    private static final int END_SIZE = 64;

    private static final int LINE_WITH_CHILD = TreeFormat.LINE | TreeFormat.LINE_CHILD;
    private static final int LINE_WITH_VALUE = TreeFormat.LINE | TreeFormat.VALUE;

    private final TreeBytes bytes;
    private final MemorySegment segment;
    private final long plainLimit;
    private final SiblingIndex siblings;

    TreeWalk(TreeBytes bytes, SiblingIndex siblings) {
        this.bytes = bytes;
        this.segment = bytes.segment();
        this.plainLimit = bytes.size() - END_SIZE;
        this.siblings = siblings;
    }

    /// Walks down from a node that the first bytes of a key lead to.
    ///
    /// @return where the value is, or [#ABSENT]
    long find(byte[] key, long start, int startPosition, TreeTrail trail) {
        long node = start;
        int position = startPosition;
        while (true) {
            long word = bytes.word(node);
            int head = (int) word & 0xFF;
            if (head < TreeFormat.LINE) {
                if (position == key.length) {
                    bytes.requireCount(node, head & TreeFormat.COUNT);
                    return (head & TreeFormat.VALUE) != 0 ? node + 1 : ABSENT;
                }
                if (trail != null) {
                    trail.add(node, position);
                }
                node = child(node, word, key[position++] & 0xFF);
                if (node == ABSENT) {
                    return ABSENT;
                }
            } else {
                int segmentSize = matchLine(node, word, key, position);
                if (segmentSize == 0) {
                    return ABSENT;
                }
                position += segmentSize;
                if (head == LINE_WITH_VALUE) {
                    return position == key.length ? node + 1 : ABSENT;
                }
                if (head != LINE_WITH_CHILD) {
                    if (position == key.length && (head & TreeFormat.VALUE) != 0) {
                        return node + 1;
                    }
                    if ((head & TreeFormat.LINE_CHILD) == 0) {
                        return ABSENT;
                    }
                }
                node = childOfLine(node, word);
            }
        }
    }

    long childOfLine(long node, long word) {
        int first = TreeBytes.byteOf(word, 1);
        boolean isPlain = ((int) word & 0xFF) == LINE_WITH_CHILD && first <= Varint.SINGLE_MAX;
        if (isPlain) {
            return bytes.target(node, node + 1, first);
        }
        long at = node + 1 + ((word & TreeFormat.VALUE) != 0 ? bytes.varintSize(node + 1) : 0);
        return bytes.target(node, at);
    }

    /// How many bytes a line has if a key goes on with all of them, else 0.
    int matchLine(long node, long word, byte[] key, int position) {
        int head = (int) word & 0xFF;
        int size1 = head == TreeFormat.LINE ? 0 : Varint.sizeFrom(TreeBytes.byteOf(word, 1));
        boolean isUsual = head == LINE_WITH_CHILD || head == LINE_WITH_VALUE || head == TreeFormat.LINE;
        if (!isUsual || size1 > 6 || node > plainLimit) {
            return matchOddLine(node, head, key, position);
        }
        long distance = TreeBytes.byteOf(word, 1 + size1);
        if (distance > Varint.SINGLE_MAX) {
            distance = bytes.varint(node + 1 + size1);
        }
        long data = bytes.target(node, node + 1 + size1, distance);
        long line = segment.get(U64, data);
        int size = (int) line & 0xFF;
        if (size >= Long.BYTES || size == 0 || size >= node - data || position > key.length - Long.BYTES) {
            return matchLongLine(node, data, key, position);
        }
        long difference = line >>> 8 ^ (long) WORDS.get(key, position);
        return difference << (Long.SIZE - 8 * size) == 0 ? size : 0;
    }

    private int matchOddLine(long node, int head, byte[] key, int position) {
        if (bytes.isStrict()) {
            TreeNode.requirePlainLine(bytes, node, head);
        }
        long at = node + 1;
        if ((head & TreeFormat.VALUE) != 0) {
            at += bytes.varintSize(at);
        }
        if ((head & TreeFormat.LINE_CHILD) != 0) {
            at += bytes.varintSize(at);
        }
        return matchLongLine(node, bytes.target(node, at), key, position);
    }

    private int matchLongLine(long node, long data, byte[] key, int position) {
        int size = TreeNode.segmentSize(bytes, node, data);
        boolean isMatching =
                size <= key.length - position && bytes.matches(data + bytes.varintSize(data), key, position, size);
        return isMatching ? size : 0;
    }

    /// The child of a branch that a byte leads to, or [#ABSENT].
    ///
    /// @param word the first eight bytes of the branch
    long child(long node, long word, int wanted) {
        int head = (int) word & 0xFF;
        int count = head & TreeFormat.COUNT;
        int at = (head & TreeFormat.VALUE) == 0 ? 1 : 1 + Varint.sizeFrom(TreeBytes.byteOf(word, 1));
        if (count == 0) {
            return ABSENT;
        }
        if (count > Long.BYTES || at > 7 || node > plainLimit) {
            return childOfMany(node, count, node + at, wanted);
        }
        long distance = TreeBytes.byteOf(word, at);
        int listAt = at + 1;
        if (distance > Varint.SINGLE_MAX) {
            listAt += (int) distance - Varint.SINGLE_MAX;
            distance = bytes.varint(node + at);
        }
        long child = bytes.target(node, node + at, distance);
        int rank = bytes.rankInWord(segment.get(U64, node + listAt), count, wanted, node + listAt);
        if (rank < 0) {
            return ABSENT;
        }
        for (; rank > 0; rank--) {
            child = nodeEnd(child);
        }
        return requireBefore(node, child);
    }

    /// Where a node ends; few branches, since what follows what is hard to predict.
    private long nodeEnd(long node) {
        if (node > plainLimit) {
            return bytes.nodeEnd(node);
        }
        long word = segment.get(U64, node);
        int shape = SHAPES[(int) word & 0xFF];
        int size1 = 1 + Math.max(0, ((int) (word >>> 8) & 0xFF) - Varint.SINGLE_MAX);
        if (size1 > 6 || shape < 0) {
            return bytes.nodeEnd(node);
        }
        int size2 = 1 + Math.max(0, ((int) (word >>> (8 + 8 * size1)) & 0xFF) - Varint.SINGLE_MAX);
        return node + (shape & 0xFF) + (size1 & shape >> 8) + (size2 & shape >> 16);
    }

    /// For each head: the bytes that are no numbers, and above them all bits of a byte for each of two numbers.
    /// Negative for what is invalid or has three.
    private static final int[] SHAPES = shapes();

    private static int[] shapes() {
        int[] shapes = new int[256];
        for (int head = 0; head < 256; head++) {
            int valueCount = (head & TreeFormat.VALUE) != 0 ? 1 : 0;
            int count = head & TreeFormat.COUNT;
            boolean isLine = head >= TreeFormat.LINE;
            int numberCount = valueCount + (isLine ? 1 + (head & TreeFormat.LINE_CHILD) : count > 0 ? 1 : 0);
            int shape = 1 + (isLine ? 0 : count) + (numberCount > 0 ? 0xF00 : 0) + (numberCount > 1 ? 0xF0000 : 0);
            boolean isValid = numberCount < 3 && (isLine || count <= TreeFormat.MASK_COUNT);
            shapes[head] = isValid ? shape : -1;
        }
        return shapes;
    }

    private long childOfMany(long node, int count, long at, int wanted) {
        bytes.requireCount(node, count);
        long first = bytes.target(node, at);
        long list = at + bytes.varintSize(at);
        boolean isMask = count == TreeFormat.MASK_COUNT;
        int rank = isMask ? bytes.rankInMask(list, wanted) : bytes.rankInList(list, count, wanted);
        if (rank < 0) {
            return ABSENT;
        }
        if (rank < SiblingIndex.RANK_MIN) {
            return requireBefore(node, bytes.skip(first, rank));
        }
        return requireBefore(node, siblings.skip(first, rank, isMask ? bytes.maskCount(list) : count));
    }

    private long requireBefore(long node, long child) {
        if (child >= node) {
            throw bytes.corrupt(child, Reason.OVERLAP, "a run of children reaches its parent");
        }
        return child;
    }
}
