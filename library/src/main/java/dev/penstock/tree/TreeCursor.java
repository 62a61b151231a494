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
    private final TreeReader tree;
    private final CursorTrack track;
    private final int rootSize;

    TreeCursor(TreeReader tree, CursorTrack track, byte[] rootPath) {
        this.tree = tree;
        this.track = track;
        this.rootSize = rootPath.length;
        move(rootPath, 0);
    }

    private void move(byte[] path, int start) {
        for (int i = start; i < path.length; i++) {
            track.move(path[i]);
        }
    }

    /// The path from the root of the cursor.
    public byte[] path() {
        return Arrays.copyOfRange(track.path, rootSize, track.size);
    }

    /// The path from the root of the tree.
    public byte[] fullPath() {
        return Arrays.copyOf(track.path, track.size);
    }

    /// The path from the root of the tree to the root of the cursor.
    public byte[] rootPath() {
        return Arrays.copyOf(track.path, rootSize);
    }

    /// The number of bytes of the path from the root of the cursor.
    public int depth() {
        return track.size - rootSize;
    }

    public boolean isAtRoot() {
        return track.size == rootSize;
    }

    /// Whether the tree has this path or one that begins with it.
    public boolean exists() {
        return track.exists();
    }

    public boolean hasValue() {
        return value().isPresent();
    }

    /// The unsigned value at the position.
    public OptionalLong value() {
        return track.value();
    }

    /// The value at a path below the position, without moving.
    public OptionalLong value(byte[] below) {
        byte[] key = Arrays.copyOf(track.path, track.size + below.length);
        System.arraycopy(below, 0, key, track.size, below.length);
        return tree.get(key);
    }

    /// The number of children.
    public int childCount() {
        return children().length;
    }

    /// The bytes that lead to children, in ascending order.
    public byte[] children() {
        return track.children();
    }

    /// The number of values at and below the position; `Long.MAX_VALUE` stands for that number or more.
    public long count() {
        return track.count();
    }

    /// Moves to the root of the cursor.
    public void reset() {
        track.ascendTo(rootSize);
    }

    /// Moves to a path from the root of the cursor, even if it does not exist.
    ///
    /// @return the number of bytes that the old and the new path share
    public int moveTo(byte[] path) {
        int difference = Arrays.mismatch(track.path, rootSize, track.size, path, 0, path.length);
        int keptSize = difference < 0 ? path.length : difference;
        track.ascendTo(rootSize + keptSize);
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
        return track.descend(next);
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
        track.ascendTo(track.size - steps);
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
        int start = track.size;
        // From a position that does not exist, the first step leads to one that does.
        int first = exists() ? track.size - 1 : track.existing;
        track.ascendTo(Math.max(rootSize, first));
        while (!isAtRoot() && childCount() < 2 && !(isValueEnough && hasValue())) {
            ascend(1);
        }
        return start - track.size;
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
        byte last = track.path[track.size - 1];
        ascend(1);
        byte[] siblings = children();
        int rank = isForward ? 0 : siblings.length - 1;
        int step = isForward ? 1 : -1;
        while (rank >= 0 && rank < siblings.length && step * Byte.compareUnsigned(siblings[rank], last) <= 0) {
            rank += step;
        }
        boolean isFound = rank >= 0 && rank < siblings.length;
        track.move(isFound ? siblings[rank] : last);
        return isFound;
    }

    /// Moves to the next existing position in depth-first order; after the last one, to the root.
    public boolean next() {
        return descendFirst() || toNextSiblingAbove(rootSize);
    }

    /// Moves to the next sibling of this position or of the nearest position above that has one, but not at or
    /// above a depth. If there is none, moves to that depth.
    private boolean toNextSiblingAbove(int base) {
        while (track.size > base) {
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
        return below > 0 && firstAtDepth(track.size + below, track.size);
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
        int target = track.size;
        int base = target - above;
        return toNextSiblingAbove(base) && firstAtDepth(target, base);
    }

    /// Continues in depth-first order until the path has `target` bytes, without returning to `base`.
    private boolean firstAtDepth(int target, int base) {
        while (track.size < target) {
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
