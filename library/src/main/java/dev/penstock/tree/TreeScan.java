// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static dev.penstock.memory.Layouts.WORDS;

import dev.penstock.Reason;
import dev.penstock.memory.Faults;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/// The paths of a tree that have values, in order: all of them, those of a prefix, or those of a range.
///
/// ```java
/// TreeScan scan = tree.scan();
/// while (scan.next()) {
///     use(scan.pathBytes(), scan.pathSize(), scan.value());
/// }
/// ```
///
/// Each node is decoded once and each stretch of path copied once; nothing is allocated for an entry.
///
/// **Ownership.** [#pathBytes] is the scan's own array and says something else after the next [#next]. The scan
/// itself dies with its reader.
///
/// **Threads.** One at a time; any number of scans of one reader.
public final class TreeScan implements PathScan {
    private static final int PATH_START = 256;
    private static final long NONE = -1;

    private final TreeBytes bytes;
    private final TreeLookup lookup;
    private final TreeNode node;
    private final LeafReadAhead leaves;
    private final byte[] limit;
    private final boolean isWithEnds;
    private byte[] path = new byte[PATH_START];
    private int pathSize;
    private long value;
    private boolean hasValue;
    /// The node to enter next, with the offset of its parent and how much of its line is in the path already.
    private long pending = NONE;

    private long pendingLimit;
    private boolean isOver;
    private long piece = NONE;

    /// The deepest branch that has children left; the frame without one above it is no branch.
    private Frame top = new Frame(null);

    /// A branch that has children left. Frames are used again, so that going through a tree makes no garbage.
    private static final class Frame {
        private final Frame above;
        private Frame below;
        /// Where the branch is.
        private long offset;
        /// The next child, and how many there are.
        private long next;
        private int left;
        /// Where the bytes of the children are, and which comes next: an index into a list, or the least byte in
        /// a mask minus 256.
        private long childBytes;
        private int cursor;
        /// The size of the path to the branch.
        private int pathSize;

        Frame(Frame above) {
            this.above = above;
        }
    }

    private TreeScan(TreeBytes bytes, TreeLookup lookup, byte[] limit, boolean isWithEnds) {
        this.bytes = bytes;
        this.lookup = lookup;
        this.node = new TreeNode(bytes);
        this.leaves = new LeafReadAhead(bytes);
        this.limit = limit;
        this.isWithEnds = isWithEnds;
    }

    /// All paths of a tree from one on, up to another.
    ///
    /// @param limit      the first path that does not belong to it, or null
    /// @param isWithEnds whether paths that end without a value are gone to as well
    static TreeScan ofRange(
            TreeBytes bytes, TreeLookup lookup, long root, byte[] from, byte[] limit, boolean isWithEnds) {
        return bytes.read(() -> {
            TreeScan scan = new TreeScan(bytes, lookup, limit, isWithEnds);
            scan.seek(root, from);
            return scan;
        });
    }

    /// All paths that begin with a prefix.
    static TreeScan ofPrefix(TreeBytes bytes, TreeLookup lookup, long root, byte[] prefix) {
        return ofRange(bytes, lookup, root, prefix, afterPrefix(prefix), false);
    }

    /// The smallest path that is larger than all with a prefix, or null when there is none.
    public static byte[] afterPrefix(byte[] prefix) {
        int size = prefix.length;
        while (size > 0 && prefix[size - 1] == (byte) 0xFF) {
            size--;
        }
        if (size == 0) {
            return null;
        }
        byte[] after = Arrays.copyOf(prefix, size);
        after[size - 1]++;
        return after;
    }

    @Override
    public boolean next() {
        if (!leaves.isEmpty()) {
            bytes.requireOpen();
            takeLeaf();
            isOver = isBeyondLimit();
            if (isOver) {
                leaves.clear();
            }
            return !isOver;
        }
        try {
            boolean isFound = !isOver && advance() && !isBeyondLimit();
            Faults.settle();
            isOver = !isFound;
            return isFound;
        } catch (RuntimeException | InternalError e) {
            throw bytes.explained(e);
        }
    }

    @Override
    public byte[] pathBytes() {
        return path;
    }

    @Override
    public int pathSize() {
        return pathSize;
    }

    /// Whether the path has a value; it always has unless the scan goes to all ends.
    public boolean hasValue() {
        return hasValue;
    }

    @Override
    public long value() {
        return value;
    }

    private boolean isBeyondLimit() {
        return limit != null && Arrays.compareUnsigned(path, 0, pathSize, limit, 0, limit.length) >= 0;
    }

    private void takeLeaf() {
        path[pathSize - 1] = leaves.childByte();
        value = leaves.takeValue();
    }

    /// Reads some leaves ahead if those come next.
    private boolean takeLeaves() {
        Frame branch = top;
        int count = leaves.fill(branch.next, branch.left, branch.offset, branch.childBytes, branch.cursor);
        if (count == 0) {
            return false;
        }
        pathSize = branch.pathSize;
        append(0);
        branch.next = leaves.next;
        branch.cursor = leaves.cursor;
        branch.left -= count;
        if (branch.left == 0) {
            top = branch.above;
        }
        hasValue = true;
        takeLeaf();
        return true;
    }

    private boolean advance() {
        while (true) {
            if (pending == NONE) {
                if (top.above == null) {
                    return false;
                }
                if (bytes.u8(top.next) == TreeFormat.VALUE && takeLeaves()) {
                    return true;
                }
                takeChild();
            }
            if (enter()) {
                return true;
            }
        }
    }

    /// Makes the next child of the deepest branch that has one the pending node.
    private void takeChild() {
        Frame branch = top;
        pathSize = branch.pathSize;
        if (branch.cursor < 0) {
            int childByte = ChildList.nextInMask(bytes, branch.childBytes, branch.cursor + 256);
            branch.cursor = childByte + 1 - 256;
            append(childByte);
        } else {
            append(bytes.u8(branch.childBytes + branch.cursor++));
        }
        pending = branch.next;
        pendingLimit = branch.offset;
        branch.left--;
    }

    /// Decodes the pending node.
    ///
    /// @return whether it has a value, which is then in place
    private boolean enter() {
        if (lookup.pages().isScattered() && TreePages.piece(pending) != piece) {
            piece = TreePages.piece(pending);
            lookup.pages().willRead(piece);
        }
        node.decode(pending, pendingLimit);
        pending = NONE;
        // A branch whose last child is entered is done, which keeps a chain of single children from filling memory.
        if (top.next == node.offset) {
            top.next = node.end;
            if (top.left == 0) {
                top = top.above;
            }
        }
        value = node.value;
        if (node.isLine) {
            append(node.segment, node.segmentSize);
            if (node.childCount != 0) {
                pending = node.first;
                pendingLimit = node.offset;
                return false;
            }
        } else if (node.childCount > 0) {
            if (!node.hasValue
                    && node.childCount <= LeafReadAhead.SIZE_MAX
                    && bytes.u8(node.first) == TreeFormat.VALUE
                    && enterLeaves()) {
                return true;
            }
            push(node.first, node.childCount, node.isMask ? -256 : 0);
        }
        hasValue = node.hasValue;
        return hasValue || (isWithEnds && node.childCount == 0);
    }

    /// Reads the children of the branch that was decoded, if all of them are leaves.
    private boolean enterLeaves() {
        int count = leaves.fill(node.first, node.childCount, node.offset, node.childBytes, node.isMask ? -256 : 0);
        if (count < node.childCount) {
            leaves.clear();
            return false;
        }
        append(0);
        hasValue = true;
        takeLeaf();
        return true;
    }

    private void push(long next, int left, int cursor) {
        Frame branch = top.below;
        if (branch == null) {
            branch = new Frame(top);
            top.below = branch;
        }
        branch.offset = node.offset;
        branch.next = next;
        branch.left = left;
        branch.childBytes = node.childBytes;
        branch.cursor = cursor;
        branch.pathSize = pathSize;
        top = branch;
    }

    private void append(int childByte) {
        reserve(1);
        path[pathSize++] = (byte) childByte;
    }

    private void append(long segment, int size) {
        reserve(size);
        if (size <= Long.BYTES && pathSize <= path.length - Long.BYTES && segment <= bytes.size() - Long.BYTES) {
            // What is too much is overwritten by what follows.
            WORDS.set(path, pathSize, bytes.u64(segment));
            pathSize += size;
            return;
        }
        MemorySegment.copy(bytes.segment(), ValueLayout.JAVA_BYTE, segment, path, pathSize, size);
        pathSize += size;
    }

    private void reserve(int size) {
        int needed = pathSize + size;
        if (needed > TreeFormat.KEY_SIZE_MAX) {
            throw bytes.corrupt(
                    node.offset, Reason.SIZE_OVERFLOW, "a path of more than " + TreeFormat.KEY_SIZE_MAX + " bytes");
        }
        if (needed > path.length) {
            path = Arrays.copyOf(path, Math.max(needed, Math.min(2 * path.length, TreeFormat.KEY_SIZE_MAX)));
        }
    }

    /// Goes down along a path and notes what comes after it, so that the next entry is the first one that is not
    /// smaller.
    private void seek(long root, byte[] from) {
        long at = root;
        long atLimit = bytes.size();
        while (true) {
            node.decode(at, atLimit);
            if (pathSize == from.length) {
                pending = at;
                pendingLimit = atLimit;
                return;
            }
            if (node.isLine) {
                int difference = compareSegment(from);
                if (difference > 0) {
                    pending = at;
                    pendingLimit = atLimit;
                }
                if (difference != 0 || node.childCount == 0) {
                    return;
                }
                append(node.segment, node.segmentSize);
                at = node.first;
            } else {
                int wanted = from[pathSize] & 0xFF;
                int rank = node.rank(wanted);
                int smaller = rank >= 0 ? rank : node.smallerCount(wanted);
                boolean isLast = smaller + (rank >= 0 ? 1 : 0) >= node.childCount;
                long child = smaller < node.childCount ? lookup.child(node, smaller) : NONE;
                if (!isLast) {
                    int skipped = rank >= 0 ? smaller + 1 : smaller;
                    long next = rank >= 0 ? bytes.nodeEnd(child) : child;
                    push(next, node.childCount - skipped, node.isMask ? wanted + (rank >= 0 ? 1 : 0) - 256 : skipped);
                }
                if (rank < 0) {
                    return;
                }
                append(wanted);
                at = child;
            }
            atLimit = node.offset;
        }
    }

    /// Compares a line with the rest of a path: positive when all that is behind the line is not smaller, zero
    /// when the line is where the path goes on.
    private int compareSegment(byte[] from) {
        for (int i = 0; i < node.segmentSize; i++) {
            if (pathSize + i == from.length) {
                return 1;
            }
            int difference = bytes.u8(node.segment + i) - (from[pathSize + i] & 0xFF);
            if (difference != 0) {
                return difference;
            }
        }
        // A value at the end of a line that ends where the path does belongs to the range.
        return pathSize + node.segmentSize == from.length ? 1 : 0;
    }
}
