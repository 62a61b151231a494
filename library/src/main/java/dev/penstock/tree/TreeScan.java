// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static dev.penstock.file.Layouts.U64;
import static dev.penstock.file.Layouts.WORDS;

import dev.penstock.Reason;
import dev.penstock.file.Faults;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/// A scan over the paths of a tree that have values, in order: all of them, those with a prefix, or a range.
///
/// ```java
/// TreeScan scan = tree.scan();
/// while (scan.next()) {
///     use(scan.pathBytes(), scan.pathSize(), scan.value());
/// }
/// ```
///
/// Each node is decoded once and each part of a path is copied once; nothing is allocated for an entry. Most nodes
/// of a tree are leaves, and reading many neighbouring leaves at once costs little more than reading one, so they
/// are read ahead.
///
/// A scan reads up to 64 neighbouring leaves at once and stops before any node that is not a plain
/// leaf. Most nodes are leaves. Errors are reported at the same path as without it.
///
/// **Ownership.** [#pathBytes] is an array of the scan, which the next call of [#next] changes. The scan must not
/// be used after its reader is closed.
///
/// **Threads.** One thread at a time; a reader may have any number of scans.
public final class TreeScan implements PathScan {
    private static final int PATH_START = 256;

    /// The file is prefetched in pieces of 2 MB.
    private static final int PIECE_BITS = 21;

    /// The largest number of leaves that are read at once.
    private static final int LEAVES_MAX = 64;

    private final TreeBytes bytes;
    private final TreeLookup lookup;
    private final byte[] limit;
    private final boolean isWithEnds;
    private byte[] path = new byte[PATH_START];
    private int pathSize;
    private long value;
    private boolean hasValue;
    private boolean isOver;
    private RuntimeException failure;
    private long piece = -1;

    /// The deepest node that may have children left.
    private TreeNode top;

    /// The bytes and values of leaves that were read ahead, the next leaf, and the number of leaves.
    private final byte[] leafBytes = new byte[LEAVES_MAX];

    private final long[] leafValues = new long[LEAVES_MAX];
    private int leafIndex;
    private int leafCount;

    /// Starts with the first path that is not smaller than `from`.
    ///
    /// @param limit      the exclusive end, or null
    /// @param isWithEnds whether paths that end without a value are visited as well
    TreeScan(TreeLookup lookup, byte[] from, byte[] limit, boolean isWithEnds) {
        this.bytes = lookup.bytes();
        this.lookup = lookup;
        this.limit = limit;
        this.isWithEnds = isWithEnds;
        this.top = TreeNode.above(bytes, lookup.root(), bytes.size());
        seek(from);
    }

    /// The smallest path that is larger than all paths with a prefix, or null when there is none.
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
        if (leafIndex < leafCount) {
            bytes.requireOpen();
            takeLeaf();
            isOver = isBeyondLimit();
            if (isOver) {
                leafCount = 0;
            }
            return !isOver;
        }
        if (failure != null) {
            throw failure;
        }
        try {
            boolean isFound = !isOver && advance() && !isBeyondLimit();
            Faults.settle();
            isOver = !isFound;
            return isFound;
        } catch (RuntimeException | InternalError e) {
            failure = bytes.explained(e);
            throw failure;
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

    /// Whether the path has a value; always true unless the scan visits all ends.
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
        path[pathSize - 1] = leafBytes[leafIndex];
        value = leafValues[leafIndex++];
    }

    private boolean advance() {
        while (true) {
            if (top.left == 0) {
                if (top.above == null) {
                    return false;
                }
                top = top.above;
                continue;
            }
            pathSize = top.pathSize;
            if (!top.isLine && bytes.u8(top.next) == TreeFormat.VALUE && readLeaves()) {
                append(0);
                hasValue = true;
                takeLeaf();
                return true;
            }
            if (enterChild()) {
                return true;
            }
        }
    }

    /// Reads the next children of a branch as long as they are plain leaves. Any other node is read with all
    /// checks afterwards, so that errors are reported at the same path as without reading ahead.
    ///
    /// @return whether there is at least one
    private boolean readLeaves() {
        MemorySegment segment = bytes.segment();
        // A leaf is read eight bytes at a time.
        long end = Math.min(top.offset, bytes.size() - 2 * Long.BYTES);
        int limit = Math.min(top.left, LEAVES_MAX);
        int count = 0;
        long node = top.next;
        while (count < limit && node < end) {
            long word = segment.get(U64, node);
            if (count <= limit - 4 && TreeBytes.isFourLeaves(word)) {
                leafValues[count] = TreeBytes.byteOf(word, 1);
                leafValues[count + 1] = TreeBytes.byteOf(word, 3);
                leafValues[count + 2] = TreeBytes.byteOf(word, 5);
                leafValues[count + 3] = TreeBytes.byteOf(word, 7);
                count += 4;
                node += Long.BYTES;
                continue;
            }
            int first = TreeBytes.byteOf(word, 1);
            int payload = Math.max(0, first - Varint.SINGLE_MAX);
            if ((word & 0xFF) != TreeFormat.VALUE || node + 2 + payload > top.offset) {
                break;
            }
            long value = first;
            if (payload > 0) {
                value = segment.get(U64, node + 2) & -1L >>> (Long.SIZE - 8 * payload);
                if (!Varint.isMinimal(payload, value)) {
                    break;
                }
            }
            leafValues[count++] = value;
            node += 2 + payload;
        }
        leafIndex = 0;
        leafCount = node > top.offset ? 0 : count;
        if (leafCount == 0) {
            return false;
        }
        int first = top.isMask ? top.maskFrom : top.childCount - top.left;
        ChildList.copy(bytes, top.childBytes, top.isMask, first, count, leafBytes);
        top.next = node;
        top.left -= count;
        top.maskFrom = (leafBytes[count - 1] & 0xFF) + 1;
        return true;
    }

    /// Moves to the next child of the deepest node.
    ///
    /// @return whether the scan stops there
    private boolean enterChild() {
        if (top.next >>> PIECE_BITS != piece) {
            piece = top.next >>> PIECE_BITS;
            lookup.willRead(piece << PIECE_BITS, 1 << PIECE_BITS);
        }
        if (!top.isLine) {
            append(top.nextByte());
        }
        TreeNode node = top.takeChild();
        if (node.isLine) {
            append(node.segment, node.segmentSize);
        }
        if (node.childCount > 0) {
            node.pathSize = pathSize;
            top = node;
        }
        value = node.value;
        hasValue = node.hasVisibleValue();
        return hasValue || isWithEnds && node.childCount == 0;
    }

    private void append(int childByte) {
        reserve(1);
        path[pathSize++] = (byte) childByte;
    }

    private void append(long segment, int size) {
        reserve(size);
        if (size <= Long.BYTES && pathSize <= path.length - Long.BYTES && segment <= bytes.size() - Long.BYTES) {
            // Extra bytes are overwritten by what follows.
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
                    top.offset, Reason.SIZE_OVERFLOW, "a path has more than " + TreeFormat.KEY_SIZE_MAX + " bytes");
        }
        if (needed > path.length) {
            path = Arrays.copyOf(path, Math.max(needed, Math.min(2 * path.length, TreeFormat.KEY_SIZE_MAX)));
        }
    }

    /// Moves down along a path, so that the next entry is the first one that is not smaller.
    private void seek(byte[] from) {
        while (pathSize < from.length) {
            TreeNode node = top.peekChild();
            int start = pathSize;
            append(node.segment, node.segmentSize);
            int order = Arrays.compareUnsigned(path, start, pathSize, from, start, Math.min(pathSize, from.length));
            if (order > 0 || order == 0 && pathSize == from.length) {
                // Everything at the end of this line and below it belongs to the range.
                return;
            }
            top.pass(node);
            if (order < 0 || node.childCount == 0) {
                return;
            }
            top = node;
            node.pathSize = pathSize;
            if (!node.isLine) {
                int wanted = from[pathSize] & 0xFF;
                if (!node.skipTo(wanted, lookup)) {
                    return;
                }
                append(wanted);
            }
        }
    }
}
