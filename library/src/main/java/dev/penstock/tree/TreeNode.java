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
        int at = 1;
        hasValue = (head & TreeFormat.VALUE) != 0;
        if (hasValue) {
            int first = TreeBytes.byteOf(word, 1);
            value = first <= Varint.SINGLE_MAX ? first : bytes.varint(offset + 1);
            at += Varint.sizeFrom(first);
        }
        isLine = (head & TreeFormat.LINE) != 0;
        end = isLine ? decodeLine(head, word, at) : decodeBranch(head, word, at);
        if (end > limit && bytes.isStrict() || end > bytes.size()) {
            throw bytes.corrupt(offset, Reason.OVERLAP, "a node reaches into the one that refers to it");
        }
    }

    private long decodeBranch(int head, long word, int at) {
        int count = head & TreeFormat.COUNT;
        childCount = count;
        if (count == 0) {
            isMask = false;
            return offset + at;
        }
        int distance = at < Long.BYTES ? TreeBytes.byteOf(word, at) : Varint.SINGLE_MAX + 1;
        if (count > Long.BYTES || distance > Varint.SINGLE_MAX || offset + TreeFormat.NODE_SIZE_MAX > bytes.size()) {
            return decodeWideBranch(count, offset + at);
        }
        isMask = false;
        first = bytes.target(offset, offset + at, distance);
        childBytes = offset + at + 1;
        if (bytes.isStrict()) {
            bytes.requireAscendingWord(childBytes, count);
        }
        return childBytes + count;
    }

    private long decodeWideBranch(int count, long at) {
        bytes.requireCount(offset, count);
        isMask = count == TreeFormat.MASK_COUNT;
        first = bytes.target(offset, at);
        childBytes = at + bytes.varintSize(at);
        if (isMask) {
            childCount = bytes.maskCount(childBytes);
            if (childCount < TreeFormat.MASK_COUNT && bytes.isStrict()) {
                throw bytes.corrupt(childBytes, Reason.NOT_CANONICAL, "a mask of fewer than 32 children");
            }
        } else if (bytes.isStrict()) {
            bytes.requireAscending(childBytes, count);
        }
        return childBytes + count;
    }

    private long decodeLine(int head, long word, int start) {
        int at = start;
        childCount = head & TreeFormat.LINE_CHILD;
        if (bytes.isStrict()) {
            requirePlainLine(bytes, offset, head);
        }
        if (childCount != 0) {
            int distance = at < Long.BYTES ? TreeBytes.byteOf(word, at) : bytes.u8(offset + at);
            first = bytes.target(
                    offset, offset + at, distance <= Varint.SINGLE_MAX ? distance : bytes.varint(offset + at));
            at += Varint.sizeFrom(distance);
        }
        int distance = at < Long.BYTES ? TreeBytes.byteOf(word, at) : bytes.u8(offset + at);
        long data =
                bytes.target(offset, offset + at, distance <= Varint.SINGLE_MAX ? distance : bytes.varint(offset + at));
        segmentSize = segmentSize(bytes, offset, data);
        segment = data + bytes.varintSize(data);
        return offset + at + Varint.sizeFrom(distance);
    }

    static void requirePlainLine(TreeBytes bytes, long offset, int head) {
        if ((head & TreeFormat.LINE_UNUSED) != 0) {
            throw bytes.corrupt(offset, Reason.UNKNOWN_FLAGS, "a line with bits set that mean nothing");
        }
        if ((head & TreeFormat.VALUE) != 0 && (head & TreeFormat.LINE_CHILD) != 0) {
            throw bytes.corrupt(offset, Reason.NOT_CANONICAL, "a line with both a value and a child");
        }
    }

    /// The length that line data begins with, held against where it has to end.
    static int segmentSize(TreeBytes bytes, long node, long data) {
        long length = bytes.varint(data);
        long room = node - data - bytes.varintSize(data);
        if (length < 1 || length > room) {
            throw bytes.corrupt(
                    data,
                    Reason.OUT_OF_RANGE,
                    "line data of " + Long.toUnsignedString(length) + " bytes where 1 to " + room + " fit");
        }
        if (length > TreeFormat.KEY_SIZE_MAX) {
            throw bytes.corrupt(data, Reason.SIZE_OVERFLOW, "a line longer than any path may be");
        }
        return (int) length;
    }

    /// The rank of a child among the children of a branch, or -1.
    int rank(int wanted) {
        if (childCount == 0) {
            return -1;
        }
        return isMask ? bytes.rankInMask(childBytes, wanted) : bytes.rankInList(childBytes, childCount, wanted);
    }

    /// The byte that leads to a child of a branch, by its rank.
    int childByte(int rank) {
        if (!isMask) {
            return bytes.u8(childBytes + rank);
        }
        int found = -1;
        for (int i = 0; i <= rank; i++) {
            found = bytes.nextInMask(childBytes, found + 1);
        }
        return found;
    }

    /// How many children of a branch have smaller bytes than this, which need not be one of them.
    int smallerCount(int wanted) {
        if (childCount == 0) {
            return 0;
        }
        int count = 0;
        if (isMask) {
            for (int b = bytes.nextInMask(childBytes, 0); b < wanted; b = bytes.nextInMask(childBytes, b + 1)) {
                count++;
            }
            return count;
        }
        while (count < childCount && bytes.u8(childBytes + count) < wanted) {
            count++;
        }
        return count;
    }
}
