// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import java.util.Arrays;
import java.util.OptionalLong;

/// The position of a cursor: its path, the part of it that exists, and the nodes on the way.
final class CursorTrack {
    private static final byte[] NO_CHILDREN = {};

    private final TreeBytes bytes;
    private final TreeLookup lookup;
    /// The node that covers the position at `existing`: a branch begins exactly there; a line begins there or
    /// before, and ends there only when nothing follows it.
    private TreeNode top;

    byte[] path = new byte[64];
    int size;
    int existing;

    CursorTrack(TreeLookup lookup) {
        this.bytes = lookup.bytes();
        this.lookup = lookup;
        enter(TreeNode.above(bytes, lookup.root(), bytes.size()).peekChild());
    }

    private void enter(TreeNode node) {
        top = node;
        top.pathSize = size + top.segmentSize;
    }

    boolean exists() {
        return existing == size;
    }

    /// The value at the position.
    OptionalLong value() {
        bytes.requireOpen();
        boolean isHere = exists() && top.hasValue && existing == top.pathSize;
        return isHere ? OptionalLong.of(top.value) : OptionalLong.empty();
    }

    /// The bytes that lead to children, in ascending order.
    byte[] children() {
        return bytes.read(() -> {
            if (!exists() || top.isLine && existing == top.pathSize) {
                return NO_CHILDREN;
            }
            return top.isLine ? new byte[] {nextOfLine()} : top.childBytes();
        });
    }

    private byte nextOfLine() {
        return (byte) bytes.u8(top.segment + top.segmentSize - (top.pathSize - existing));
    }

    /// The number of values at and below the position.
    long count() {
        return bytes.read(() -> exists() ? TreeCounter.count(bytes, top.offset, top.above.offset).count : 0L);
    }

    /// Moves down by a byte if the child exists.
    boolean descend(byte wanted) {
        return exists() && bytes.read(() -> descendExisting(wanted));
    }

    private boolean descendExisting(byte wanted) {
        boolean isEnd = true;
        if (top.isLine) {
            if (existing == top.pathSize || nextOfLine() != wanted) {
                return false;
            }
            isEnd = existing + 1 == top.pathSize && top.childCount > 0;
        } else if (!top.skipTo(wanted & 0xFF, lookup)) {
            return false;
        }
        TreeNode child = isEnd ? top.peekChild() : null;
        append(wanted);
        existing = size;
        if (isEnd) {
            enter(child);
        }
        return true;
    }

    /// Moves down by a byte even if the child does not exist.
    void move(byte wanted) {
        if (!descend(wanted)) {
            append(wanted);
        }
    }

    /// Moves up until the path has `newSize` bytes.
    void ascendTo(int newSize) {
        size = newSize;
        existing = Math.min(existing, newSize);
        while (top.pathSize - top.segmentSize > existing) {
            top = top.above;
        }
    }

    private void append(byte next) {
        if (size == path.length) {
            path = Arrays.copyOf(path, 2 * size);
        }
        path[size++] = next;
    }
}
