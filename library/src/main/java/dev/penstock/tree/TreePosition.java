// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import java.util.OptionalLong;

/// A path and its place in a tree. It exists when the tree has this path or a longer path that begins with it.
///
/// **Ownership.** It must not be used after its reader is closed.
///
/// **Threads.** One thread at a time.
final class TreePosition {
    private static final byte[] NO_CHILDREN = {};

    private final TreeLookup lookup;
    private final TreeBytes bytes;

    /// The number of bytes of the path that exist.
    private int existing;

    private boolean exists = true;

    /// The node that covers the position at `existing`: a branch begins exactly there; a line begins there or
    /// before, and ends there only when nothing follows it.
    private TreeNode top;

    TreePosition(TreeLookup lookup, byte[] path) {
        this.lookup = lookup;
        this.bytes = lookup.bytes();
        enter(TreeNode.above(bytes, lookup.root(), bytes.size()).peekChild());
        for (int i = 0; exists && i < path.length; i++) {
            exists = descend(path[i]);
        }
    }

    private void enter(TreeNode node) {
        top = node;
        top.pathSize = existing + top.segmentSize;
    }

    /// Goes down by a byte if the child exists.
    private boolean descend(byte next) {
        boolean isEnd = true;
        if (top.isLine) {
            if (existing == top.pathSize || nextOfLine() != next) {
                return false;
            }
            isEnd = existing + 1 == top.pathSize && top.childCount > 0;
        } else if (!top.skipTo(next & 0xFF, lookup)) {
            return false;
        }
        TreeNode child = isEnd ? top.peekChild() : null;
        existing++;
        if (isEnd) {
            enter(child);
        }
        return true;
    }

    private byte nextOfLine() {
        return (byte) bytes.u8(top.segment + top.segmentSize - (top.pathSize - existing));
    }

    /// Whether the tree has this path or one that begins with it.
    boolean exists() {
        return exists;
    }

    /// The unsigned value at the position.
    OptionalLong value() {
        bytes.requireOpen();
        boolean isHere = exists && top.hasValue && existing == top.pathSize;
        return isHere ? OptionalLong.of(top.value) : OptionalLong.empty();
    }

    /// The bytes that lead to children, in ascending order.
    byte[] children() {
        if (!exists || top.isLine && existing == top.pathSize) {
            return NO_CHILDREN;
        }
        return top.isLine ? new byte[] {nextOfLine()} : top.childBytes();
    }

    /// The number of values at and below the position; `Long.MAX_VALUE` stands for that number or more.
    long count() {
        return exists ? TreeCounter.count(bytes, top.offset, top.above.offset).count : 0L;
    }
}
