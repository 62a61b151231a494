// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import java.util.Arrays;
import java.util.OptionalLong;

/// A position in a tree that can be moved byte by byte: down, up, to siblings, and in depth-first order.
///
/// A position is a path. It exists when the tree has this path or a longer path that begins with it. `moveTo` and
/// `descendTo` move to any position. All other moves go to existing positions only; if there is none, the cursor
/// does not move.
///
/// A cursor has a root, which it never leaves; its paths are relative to it.
///
/// **Ownership.** It must not be used after its reader is closed.
///
/// **Threads.** One thread at a time; a reader may have any number of cursors.
public final class TreeCursor {
    private static final byte[] NO_CHILDREN = {};

    private final TreeReader tree;
    private final TreeLookup lookup;
    private final TreeBytes bytes;
    private final int rootSize;

    /// The path from the root of the tree, and the number of its bytes that exist.
    private byte[] path = new byte[64];

    private int size;
    private int existing;
    /// The node that covers the position at `existing`: a branch begins exactly there; a line begins there or
    /// before, and ends there only when nothing follows it.
    private TreeNode top;

    TreeCursor(TreeReader tree, TreeLookup lookup, byte[] rootPath) {
        this.tree = tree;
        this.lookup = lookup;
        this.bytes = lookup.bytes();
        this.rootSize = rootPath.length;
        enter(TreeNode.above(bytes, lookup.root(), bytes.size()).peekChild());
        move(rootPath, 0);
    }

    private void enter(TreeNode node) {
        top = node;
        top.pathSize = size + top.segmentSize;
    }

    private void move(byte[] path, int start) {
        for (int i = start; i < path.length; i++) {
            move(path[i]);
        }
    }

    /// Moves down by a byte even if the child does not exist.
    private void move(byte next) {
        if (!descend(next)) {
            append(next);
        }
    }

    private void append(byte next) {
        if (size == path.length) {
            path = Arrays.copyOf(path, 2 * size);
        }
        path[size++] = next;
    }

    /// Moves up until the path has `newSize` bytes.
    private void ascendTo(int newSize) {
        size = newSize;
        existing = Math.min(existing, newSize);
        while (top.pathSize - top.segmentSize > existing) {
            top = top.above;
        }
    }

    /// The path from the root of the cursor.
    public byte[] path() {
        return Arrays.copyOfRange(path, rootSize, size);
    }

    /// The path from the root of the tree.
    public byte[] fullPath() {
        return Arrays.copyOf(path, size);
    }

    /// The path from the root of the tree to the root of the cursor.
    public byte[] rootPath() {
        return Arrays.copyOf(path, rootSize);
    }

    /// The number of bytes of the path from the root of the cursor.
    public int depth() {
        return size - rootSize;
    }

    public boolean isAtRoot() {
        return size == rootSize;
    }

    /// Whether the tree has this path or one that begins with it.
    public boolean exists() {
        return existing == size;
    }

    public boolean hasValue() {
        return value().isPresent();
    }

    /// The unsigned value at the position.
    public OptionalLong value() {
        bytes.requireOpen();
        boolean isHere = exists() && top.hasValue && existing == top.pathSize;
        return isHere ? OptionalLong.of(top.value) : OptionalLong.empty();
    }

    /// The value at a path below the position, without moving.
    public OptionalLong value(byte[] below) {
        byte[] key = Arrays.copyOf(path, size + below.length);
        System.arraycopy(below, 0, key, size, below.length);
        return tree.get(key);
    }

    /// The number of children.
    public int childCount() {
        return children().length;
    }

    /// The bytes that lead to children, in ascending order.
    public byte[] children() {
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

    /// The number of values at and below the position; `Long.MAX_VALUE` stands for that number or more.
    public long count() {
        return bytes.read(() -> exists() ? TreeCounter.count(bytes, top.offset, top.above.offset).count : 0L);
    }

    /// Moves to the root of the cursor.
    public void reset() {
        ascendTo(rootSize);
    }

    /// Moves to a path from the root of the cursor, even if it does not exist.
    ///
    /// @return the number of bytes that the old and the new path share
    public int moveTo(byte[] path) {
        int difference = Arrays.mismatch(this.path, rootSize, size, path, 0, path.length);
        int keptSize = difference < 0 ? path.length : difference;
        ascendTo(rootSize + keptSize);
        move(path, keptSize);
        return keptSize;
    }

    /// Moves down by a path, even if it does not exist.
    ///
    /// @return whether it exists
    public boolean descendTo(byte[] path) {
        move(path, 0);
        return exists();
    }

    /// Moves down by a path as far as it exists.
    ///
    /// @return the number of bytes moved
    public int descendExisting(byte[] path) {
        int count = 0;
        while (count < path.length && descend(path[count])) {
            count++;
        }
        return count;
    }

    /// Moves down by a path to the first value, or as far as it exists.
    ///
    /// @return the number of bytes moved
    public int descendToValue(byte[] path) {
        int count = 0;
        while (count < path.length && !(count > 0 && hasValue()) && descend(path[count])) {
            count++;
        }
        return count;
    }

    /// Moves down by a byte if the child exists.
    public boolean descend(byte next) {
        return exists() && bytes.read(() -> descendExisting(next));
    }

    private boolean descendExisting(byte next) {
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
        append(next);
        existing = size;
        if (isEnd) {
            enter(child);
        }
        return true;
    }

    /// Moves down to the child with an index.
    public boolean descendIndex(int index) {
        byte[] children = children();
        return index >= 0 && index < children.length && descend(children[index]);
    }

    public boolean descendFirst() {
        return descendIndex(0);
    }

    public boolean descendLast() {
        return descendIndex(childCount() - 1);
    }

    /// Moves down by last children to a position without children.
    public boolean descendLastPath() {
        boolean hasMoved = false;
        while (descendLast()) {
            hasMoved = true;
        }
        return hasMoved;
    }

    /// Moves down while there is only one child, to the next value, branch or end.
    ///
    /// @param max the largest number of bytes to move
    /// @return the number of bytes moved
    public int descendUntil(int max) {
        int count = 0;
        while (count < max && !(count > 0 && hasValue()) && childCount() == 1) {
            descendFirst();
            count++;
        }
        return count;
    }

    /// Moves up, at most to the root of the cursor.
    ///
    /// @return the number of bytes moved
    public int ascend(int count) {
        int steps = Math.min(count, depth());
        ascendTo(size - steps);
        return steps;
    }

    /// Moves up to the next value or branch, at most to the root of the cursor.
    ///
    /// @return the number of bytes moved
    public int ascendUntil() {
        return ascendUntil(true);
    }

    /// Moves up to the next branch, at most to the root of the cursor.
    ///
    /// @return the number of bytes moved
    public int ascendUntilBranch() {
        return ascendUntil(false);
    }

    private int ascendUntil(boolean isValueEnough) {
        int start = size;
        // From a position that does not exist, the first step leads to one that does.
        int first = exists() ? size - 1 : existing;
        ascendTo(Math.max(rootSize, first));
        while (!isAtRoot() && childCount() < 2 && !(isValueEnough && hasValue())) {
            ascend(1);
        }
        return start - size;
    }

    /// Moves to the sibling with the next larger byte.
    public boolean nextSibling() {
        return toSibling(true);
    }

    /// Moves to the sibling with the next smaller byte.
    public boolean previousSibling() {
        return toSibling(false);
    }

    private boolean toSibling(boolean isForward) {
        if (isAtRoot()) {
            return false;
        }
        byte last = path[size - 1];
        ascend(1);
        byte[] siblings = children();
        int rank = isForward ? 0 : -1;
        for (byte sibling : siblings) {
            rank += Byte.compareUnsigned(sibling, last) < (isForward ? 1 : 0) ? 1 : 0;
        }
        boolean isFound = rank >= 0 && rank < siblings.length;
        move(isFound ? siblings[rank] : last);
        return isFound;
    }

    /// Moves to the next existing position in depth-first order; after the last one, to the root.
    public boolean next() {
        return descendFirst() || toNextSiblingAbove(rootSize);
    }

    /// Moves to the next sibling of this position or of the nearest position above that has one, but not at or
    /// above a depth. If there is none, moves to that depth.
    private boolean toNextSiblingAbove(int base) {
        while (size > base) {
            if (nextSibling()) {
                return true;
            }
            ascend(1);
        }
        return false;
    }

    /// Moves to the next value in depth-first order; after the last one, to the root. A value at the root itself
    /// is not visited.
    public boolean nextValue() {
        while (next()) {
            if (hasValue()) {
                return true;
            }
        }
        return false;
    }

    /// Moves to the first position exactly `below` bytes deeper, if there is one.
    public boolean descendFirstAtDepth(int below) {
        return below > 0 && firstAtDepth(size + below, size);
    }

    /// Moves to the next position of the same depth below the position `above` bytes higher. If there is none,
    /// moves to that position.
    public boolean nextAtDepth(int above) {
        if (above <= 0) {
            return false;
        }
        if (above > depth()) {
            reset();
            return false;
        }
        int target = size;
        int base = target - above;
        return toNextSiblingAbove(base) && firstAtDepth(target, base);
    }

    /// Continues in depth-first order until the path has `target` bytes, without returning to `base`.
    private boolean firstAtDepth(int target, int base) {
        while (size < target) {
            if (!descendFirst() && !toNextSiblingAbove(base)) {
                return false;
            }
        }
        return true;
    }

    /// Creates a cursor whose root is this position.
    public TreeCursor fork() {
        return tree.cursor(fullPath());
    }
}
