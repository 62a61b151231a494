// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import java.util.Arrays;
import java.util.OptionalLong;

/// A place in a tree that can be moved byte by byte: down, up, to siblings, and on in depth-first order.
///
/// A place is a path, whether or not it exists: it does when it is the beginning of a path in the tree, or one
/// itself. Moves that could leave the tree say so: `moveTo` and `descendTo` go anywhere, the others only where
/// something is, and stay where they are when nothing is.
///
/// A cursor is made at a root, which it never leaves; its paths count from there.
///
/// **Ownership.** It dies with its reader.
///
/// **Threads.** One at a time; any number of cursors of one reader.
public final class TreeCursor {
    private final TreeBytes bytes;
    private final TreeLookup lookup;
    private final CursorTrack track;
    private final long treeRoot;
    private final int rootSize;

    TreeCursor(TreeBytes bytes, TreeLookup lookup, long treeRoot, byte[] rootPath) {
        this.bytes = bytes;
        this.lookup = lookup;
        this.treeRoot = treeRoot;
        this.rootSize = rootPath.length;
        this.track = bytes.read(() -> {
            CursorTrack start = new CursorTrack(bytes, lookup, treeRoot);
            for (byte next : rootPath) {
                start.move(next & 0xFF);
            }
            return start;
        });
    }

    /// The path from the root of the cursor.
    public byte[] path() {
        return Arrays.copyOfRange(track.path, rootSize, track.size);
    }

    /// The path from the root of the tree.
    public byte[] fullPath() {
        return Arrays.copyOf(track.path, track.size);
    }

    /// The path from the root of the tree to that of the cursor.
    public byte[] rootPath() {
        return Arrays.copyOf(track.path, rootSize);
    }

    /// Bytes of the path from the root of the cursor.
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
        return bytes.read(track::hasValue);
    }

    /// The value here, unsigned.
    public OptionalLong value() {
        return bytes.read(() -> track.hasValue() ? OptionalLong.of(track.value()) : OptionalLong.empty());
    }

    /// The value at a path from here, without moving.
    public OptionalLong value(byte[] below) {
        return bytes.read(() -> {
            byte[] key = Arrays.copyOf(track.path, track.size + below.length);
            System.arraycopy(below, 0, key, track.size, below.length);
            long offset = lookup.valueOffset(key);
            return offset == TreeLookup.ABSENT ? OptionalLong.empty() : OptionalLong.of(bytes.varint(offset));
        });
    }

    /// How many bytes lead on from here.
    public int childCount() {
        return bytes.read(track::childCount);
    }

    /// The bytes that lead on from here, in ascending order.
    public byte[] children() {
        return bytes.read(() -> {
            byte[] children = new byte[track.childCount()];
            for (int i = 0; i < children.length; i++) {
                children[i] = (byte) track.childByte(i);
            }
            return children;
        });
    }

    /// How many values are here and below; `Long.MAX_VALUE` stands for that many and more.
    public long count() {
        return bytes.read(() -> track.exists()
                ? TreeCounter.count(bytes, track.subtree(), track.subtreeLimit())
                        .count()
                : 0L);
    }

    /// Back to the root of the cursor.
    public void reset() {
        track.ascendTo(rootSize);
    }

    /// Goes to a path from the root of the cursor, whether it exists or not.
    ///
    /// @return how many bytes of the path before are kept
    public int moveTo(byte[] path) {
        int kept = Arrays.mismatch(track.path, rootSize, track.size, path, 0, path.length);
        int keptSize = kept < 0 ? path.length : kept;
        track.ascendTo(rootSize + keptSize);
        descendTo(Arrays.copyOfRange(path, keptSize, path.length));
        return keptSize;
    }

    /// Goes down by a path, whether it exists or not.
    ///
    /// @return whether it does
    public boolean descendTo(byte[] path) {
        return bytes.read(() -> {
            for (byte next : path) {
                track.move(next & 0xFF);
            }
            return track.exists();
        });
    }

    /// Goes down by a path as far as it exists.
    ///
    /// @return the bytes gone
    public int descendExisting(byte[] path) {
        return descend(path, false);
    }

    /// Goes down by a path to the first value below here, or as far as it exists.
    ///
    /// @return the bytes gone
    public int descendToValue(byte[] path) {
        return descend(path, true);
    }

    private int descend(byte[] path, boolean isValueEnough) {
        return bytes.read(() -> {
            int count = 0;
            while (count < path.length
                    && !(count > 0 && isValueEnough && track.hasValue())
                    && track.descend(path[count] & 0xFF)) {
                count++;
            }
            return count;
        });
    }

    /// Goes down by a byte if it leads somewhere.
    public boolean descend(byte next) {
        return bytes.read(() -> track.descend(next & 0xFF));
    }

    /// Goes down to the child with so many before it.
    public boolean descendIndex(int index) {
        return bytes.read(() -> index >= 0 && index < track.childCount() && track.descend(track.childByte(index)));
    }

    public boolean descendFirst() {
        return descendIndex(0);
    }

    public boolean descendLast() {
        return descendIndex(childCount() - 1);
    }

    /// Goes down by last children to a place that has none.
    public boolean descendLastPath() {
        boolean hasMoved = false;
        while (descendLast()) {
            hasMoved = true;
        }
        return hasMoved;
    }

    /// Goes down while there is one way only, to the next value, branch or end.
    ///
    /// @param max the most bytes to go
    /// @return the bytes gone
    public int descendUntil(int max) {
        return bytes.read(() -> {
            int count = 0;
            while (count < max && track.childCount() == 1) {
                track.descend(track.childByte(0));
                count++;
                if (track.hasValue()) {
                    break;
                }
            }
            return count;
        });
    }

    /// Goes up, at most to the root of the cursor.
    ///
    /// @return the bytes gone
    public int ascend(int count) {
        int steps = Math.min(count, depth());
        track.ascendTo(track.size - steps);
        return steps;
    }

    /// Goes up to the next value or branch, at most to the root of the cursor.
    ///
    /// @return the bytes gone
    public int ascendUntil() {
        return bytes.read(() -> ascendUntil(true));
    }

    /// Goes up to the next branch, at most to the root of the cursor.
    ///
    /// @return the bytes gone
    public int ascendUntilBranch() {
        return bytes.read(() -> ascendUntil(false));
    }

    private int ascendUntil(boolean isValueEnough) {
        int start = track.size;
        if (track.exists()) {
            ascend(1);
        } else {
            track.ascendTo(Math.max(rootSize, track.existing));
        }
        while (!isAtRoot() && track.childCount() < 2 && !(isValueEnough && track.hasValue())) {
            ascend(1);
        }
        return start - track.size;
    }

    /// To the next larger byte that the place above leads to.
    public boolean nextSibling() {
        return toSibling(true);
    }

    /// To the next smaller byte that the place above leads to.
    public boolean previousSibling() {
        return toSibling(false);
    }

    private boolean toSibling(boolean isForward) {
        return bytes.read(() -> {
            int sibling = isAtRoot() ? -1 : track.siblingByte(isForward);
            if (sibling < 0) {
                return false;
            }
            track.ascendTo(track.size - 1);
            return track.descend(sibling);
        });
    }

    /// To the next existing place in depth-first order; behind the last one, to the root.
    public boolean next() {
        if (descendFirst()) {
            return true;
        }
        while (!isAtRoot()) {
            if (nextSibling()) {
                return true;
            }
            ascend(1);
        }
        return false;
    }

    /// To the next value in depth-first order; behind the last one, to the root. What is at the root itself is
    /// never come to.
    public boolean nextValue() {
        while (next()) {
            if (hasValue()) {
                return true;
            }
        }
        return false;
    }

    /// To the first place that is exactly so many bytes below, or nowhere.
    public boolean descendFirstAtDepth(int below) {
        int base = track.size;
        return below > 0 && firstAtDepth(base + below, base);
    }

    /// To the next place of the same depth below the place so many bytes above; when there is none, to that
    /// place.
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
        while (track.size > base) {
            if (nextSibling()) {
                return firstAtDepth(target, base);
            }
            ascend(1);
        }
        return false;
    }

    /// Goes on in depth-first order until the path has so many bytes, without coming back to `base`.
    private boolean firstAtDepth(int target, int base) {
        while (track.size < target) {
            if (!descendFirst()) {
                while (track.size > base && !nextSibling()) {
                    ascend(1);
                }
                if (track.size == base) {
                    return false;
                }
            }
        }
        return true;
    }

    /// A cursor whose root is here.
    public TreeCursor fork() {
        return new TreeCursor(bytes, lookup, treeRoot, fullPath());
    }
}
