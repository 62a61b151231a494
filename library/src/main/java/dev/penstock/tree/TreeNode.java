// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.Reason;

/// One node, decoded in place: a holder that is used again and again, so that walking makes no garbage.
///
/// **Threads.** One at a time.
final class TreeNode {
    private final TreeBytes bytes;

    long offset;
    /// Where the next node of the run begins.
    long end;
    boolean isLine;
    boolean hasValue;
    long value;
    /// Of a branch; of a line, 1 when it has a child.
    int childCount;
    /// The first child, when there is one.
    long first;
    /// Of a branch: where the list or the mask of its children is.
    long childBytes;
    boolean isMask;
    /// Of a line: where its bytes are, without the length, and how many.
    long segment;
    int segmentSize;

    TreeNode(TreeBytes bytes) {
        this.bytes = bytes;
    }

    /// Decodes the node at an offset.
    ///
    /// @param limit where its parent is, before which it has to end; it may reach further when the reader is
    ///              lenient, but never begin there
    void decode(long offset, long limit) {
        if (offset >= limit) {
            throw bytes.corrupt(offset, Reason.OVERLAP, "a run of children reaches its parent");
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
        if (end > limit && bytes.isStrict() || end > bytes.size()) {
            throw bytes.corrupt(offset, Reason.OVERLAP, "a node reaches into the one that refers to it");
        }
    }

    private int decodeBranch(int head, long word, int part) {
        int count = head & TreeFormat.COUNT;
        childCount = count;
        isMask = count == TreeFormat.MASK_COUNT;
        if (count == 0) {
            return part;
        }
        bytes.requireCount(offset, count);
        int distance = bytes.byteAt(offset, word, part);
        first = bytes.reference(offset, part, distance);
        int listPart = part + Varint.sizeFrom(distance);
        childBytes = offset + listPart;
        if (isMask) {
            childCount = ChildList.maskCount(bytes, childBytes);
        } else if (bytes.isStrict()) {
            ChildList.requireAscending(bytes, childBytes, count);
        }
        return listPart + count;
    }

    private int decodeLine(int head, long word, int part) {
        bytes.requirePlainLine(offset, head);
        childCount = head & TreeFormat.LINE_CHILD;
        int dataPart = part;
        if (childCount != 0) {
            int distance = bytes.byteAt(offset, word, part);
            first = bytes.reference(offset, part, distance);
            dataPart += Varint.sizeFrom(distance);
        }
        int distance = bytes.byteAt(offset, word, dataPart);
        long data = bytes.reference(offset, dataPart, distance);
        segmentSize = bytes.segmentSize(offset, data);
        segment = data + bytes.varintSize(data);
        return dataPart + Varint.sizeFrom(distance);
    }

    /// The bytes of path from the node to its children, or to its end when it has none.
    int edgeSize() {
        return isLine ? segmentSize : Math.min(childCount, 1);
    }

    /// The rank of a child among the children of a branch, or -1.
    int rank(int wanted) {
        if (childCount == 0) {
            return -1;
        }
        return isMask
                ? ChildList.rankInMask(bytes, childBytes, wanted)
                : ChildList.rankInList(bytes, childBytes, childCount, wanted);
    }

    /// The byte that leads to a child of a branch, by its rank.
    int childByte(int rank) {
        if (!isMask) {
            return bytes.u8(childBytes + rank);
        }
        int found = -1;
        for (int i = 0; i <= rank; i++) {
            found = ChildList.nextInMask(bytes, childBytes, found + 1);
        }
        return found;
    }

    /// The number of children of a branch with smaller bytes than this one, which need not be among them.
    int smallerCount(int wanted) {
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
