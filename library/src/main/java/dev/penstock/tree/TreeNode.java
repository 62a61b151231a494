// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.Reason;
import java.util.Arrays;

/// A node, decoded in place, and the progress of a walk among its children.
///
/// The nodes of a walk form a stack. Each creates the one below it when it is first needed, and is decoded again
/// for every node of the same depth, so that walking creates no garbage.
///
/// **Threads.** One thread at a time.
final class TreeNode {
    private final TreeBytes bytes;
    /// The node above this one on the stack, or null.
    final TreeNode above;

    private final int depth;
    private TreeNode below;

    long offset;
    /// The offset of the next node of the run.
    long end;
    boolean isLine;
    boolean hasValue;
    long value;
    /// The number of children of a branch; for a line, 1 when it has a child.
    int childCount;
    /// The offset of the first child, if there is one.
    long first;
    /// For a branch: the offset of the list or the mask of its children.
    long childBytes;
    boolean isMask;
    /// For a line: the offset and number of its bytes, without the length. A branch has none.
    long segment;

    int segmentSize;

    /// The next child of a walk, and the number of children left including it.
    long next;
    int left;
    /// The smallest byte that the next child of a mask can have.
    int maskFrom;
    /// For path-following walks: the number of bytes that lead to the end of the node, where its children diverge.
    int pathSize;

    TreeNode(TreeBytes bytes) {
        this(bytes, null);
    }

    private TreeNode(TreeBytes bytes, TreeNode above) {
        this.bytes = bytes;
        this.above = above;
        this.depth = above == null ? 0 : above.depth + 1;
    }

    /// Creates the bottom of a stack: a line without bytes to the node at which a walk begins.
    ///
    /// @param limit the offset of the parent of that node
    static TreeNode above(TreeBytes bytes, long start, long limit) {
        TreeNode node = new TreeNode(bytes);
        node.offset = limit;
        node.isLine = true;
        node.childCount = 1;
        node.first = start;
        node.next = start;
        node.left = 1;
        return node;
    }

    private TreeNode below() {
        if (below == null) {
            if (depth >= TreeFormat.DEPTH_MAX) {
                throw bytes.corrupt(offset, Reason.SIZE_OVERFLOW, "there are too many nodes on one path");
            }
            below = new TreeNode(bytes, this);
        }
        return below;
    }

    /// Decodes the next child, into the node below.
    TreeNode peekChild() {
        TreeNode child = below();
        child.decode(next, offset);
        return child;
    }

    /// Moves on after a child.
    void pass(TreeNode child) {
        next = child.end;
        left--;
        maskFrom++;
    }

    /// Decodes the next child and moves on after it. The last child replaces its parent on the stack, so that a
    /// chain of single children does not fill the memory.
    TreeNode takeChild() {
        TreeNode child = left == 1 ? this : below();
        child.decode(next, offset);
        if (child != this) {
            pass(child);
        }
        return child;
    }

    /// Moves to the first child of a branch whose byte is not smaller.
    ///
    /// @return whether its byte is the wanted one
    boolean skipTo(int wanted, TreeLookup lookup) {
        int smaller = smallerCount(wanted);
        left = childCount - smaller;
        if (left == 0) {
            return false;
        }
        next = lookup.child(this, smaller);
        maskFrom = wanted;
        return nextByte() == wanted;
    }

    /// The byte that leads to the next child of a branch.
    int nextByte() {
        if (!isMask) {
            return bytes.u8(childBytes + childCount - left);
        }
        maskFrom = ChildList.nextInMask(bytes, childBytes, maskFrom);
        return maskFrom;
    }

    /// Decodes the node at an offset. A walk then begins with its first child.
    ///
    /// @param limit the offset of its parent, before which it must end; with a lenient reader it may extend
    ///              further, but never begin there
    void decode(long offset, long limit) {
        if (offset >= limit) {
            throw bytes.corrupt(offset, Reason.OVERLAP, "a run of children overlaps its parent");
        }
        this.offset = offset;
        long word = bytes.word(offset);
        int head = (int) word & 0xFF;
        hasValue = (head & TreeFormat.VALUE) != 0;
        if (hasValue) {
            value = bytes.varint(offset + 1, TreeBytes.byteOf(word, 1));
        }
        isLine = (head & TreeFormat.LINE) != 0;
        int part = TreeBytes.afterValue(word);
        end = offset + (isLine ? decodeLine(head, word, part) : decodeBranch(head, word, part));
        if (end > bytes.size()) {
            throw bytes.corrupt(offset, Reason.OVERLAP, "a node extends beyond the end of the file");
        }
        if (end > limit) {
            bytes.deviate(offset, Reason.OVERLAP, "a node overlaps the node that refers to it");
        }
        next = first;
        left = childCount;
        maskFrom = 0;
    }

    private int decodeBranch(int head, long word, int part) {
        int count = head & TreeFormat.COUNT;
        childCount = count;
        segmentSize = 0;
        isMask = count == TreeFormat.MASK_COUNT;
        if (count == 0) {
            return part;
        }
        bytes.requireCount(offset, count);
        first = bytes.reference(offset, word, part);
        int listPart = bytes.afterDistance(offset, word, part);
        childBytes = offset + listPart;
        if (isMask) {
            childCount = ChildList.maskCount(bytes, childBytes);
        } else {
            ChildList.requireAscending(bytes, childBytes, count);
        }
        return listPart + count;
    }

    private int decodeLine(int head, long word, int part) {
        bytes.requirePlainLine(offset, head);
        childCount = head & TreeFormat.LINE_CHILD;
        if (childCount != 0) {
            first = bytes.reference(offset, word, part);
        }
        int dataPart = bytes.lineDataPart(offset, word);
        long data = bytes.reference(offset, word, dataPart);
        segmentSize = bytes.segmentSize(offset, data);
        segment = data + bytes.varintSize(data);
        return bytes.afterDistance(offset, word, dataPart);
    }

    /// Whether a walk visits the value. The value of a line with a child is found by lookups only.
    boolean hasVisibleValue() {
        return hasValue && !(isLine && childCount > 0);
    }

    /// The number of path bytes from the node to its children, or to its end when it has none.
    int edgeSize() {
        return isLine ? segmentSize : Math.min(childCount, 1);
    }

    /// The bytes that lead to the children of a branch.
    byte[] childBytes() {
        byte[] all = new byte[childCount + Long.BYTES];
        ChildList.copy(bytes, childBytes, isMask, 0, childCount, all);
        return Arrays.copyOf(all, childCount);
    }

    /// The number of children of a branch with smaller bytes than this one, which need not be among them.
    private int smallerCount(int wanted) {
        if (isMask) {
            return ChildList.smallerInMask(bytes, childBytes, wanted);
        }
        int count = 0;
        while (count < childCount && bytes.u8(childBytes + count) < wanted) {
            count++;
        }
        return count;
    }
}
