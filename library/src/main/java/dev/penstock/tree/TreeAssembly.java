// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static dev.penstock.file.Layouts.WORDS;

import java.io.IOException;
import java.util.Arrays;

/// Builds the nodes of a tree from paths in ascending order, and writes them as soon as they are complete.
///
/// There is a frame for each position on the previous path where there is a value, paths diverge, or the path
/// ends. A path that diverges from the previous one completes all frames below that position: their children are
/// written as a run, and each frame becomes a child of the frame above, or of a line to it. So runs are written
/// from the leaves upwards and in the order of the paths, which gives the same bytes as the original writer.
final class TreeAssembly implements AutoCloseable {

    /// The number of runs that are remembered for sharing; each takes 16 to 32 bytes.
    private static final long RUN_LIMIT = 1 << 22;

    private static final int ABOVE_ROOT = -1;

    private final ArenaOutput out;
    private final ContentIndex lines;
    /// The runs that were written, or null when equal runs are not shared.
    private final ContentIndex runs;

    private byte[] previous = new byte[64];
    private int previousSize;
    private boolean hasPrevious;

    /// A position on the previous path. Frames are reused.
    private static final class Frame {
        private final Frame above;
        private Frame below;
        /// The number of path bytes that lead to the position.
        private int depth;
        /// The index of the first pending child.
        private int firstPending;

        private boolean hasValue;
        private long value;

        Frame(Frame above) {
            this.above = above;
        }
    }

    /// The frame above the root. A root that is not needed becomes a part of a line as any other frame does.
    private final Frame base = new Frame(null);

    private Frame top = base;
    /// A stack of nodes, which are reused.
    private PendingNode[] pending = new PendingNode[0];

    private int pendingCount;

    private byte[] candidate = new byte[1 << 10];
    private long keyCount;
    private long lineDataCount;
    private long reusedLineCount;
    private long sharedRunCount;
    private long sharedBytes;

    TreeAssembly(TreeWriter.Options options, ArenaOutput out) {
        this.out = out;
        this.lines = new ContentIndex(options.lineLimit());
        this.runs = options.isSharing() ? new ContentIndex(RUN_LIMIT) : null;
        base.depth = ABOVE_ROOT;
        pushFrame(0, 0);
    }

    /// Adds a path. A rejected path changes nothing.
    ///
    /// @throws IllegalArgumentException when the path is too long, or not larger than the previous path
    void append(byte[] bytes, int start, int size, boolean hasValue, long value) throws IOException {
        TreeFormat.requireKeySize(size);
        int shared = sharedSize(bytes, start, size);
        boolean isSame = hasPrevious && shared == size && size == previousSize;
        requireOrder(bytes, start, size, shared, isSame && !(hasValue && top.hasValue));
        if (!isSame) {
            if (isNextLeaf(size, shared)) {
                pushNode().setLeaf(previous[shared], top.value);
                top.firstPending = pendingCount;
                top.hasValue = false;
            } else {
                closeTo(shared);
                if (size > 0) {
                    pushFrame(size, pendingCount);
                }
            }
            remember(bytes, start, size, shared);
        }
        if (hasValue) {
            top.hasValue = true;
            top.value = value;
            keyCount++;
        }
    }

    /// The number of leading bytes that a path shares with the previous one. Most paths are short, for which this
    /// is faster than the runtime's comparison of arrays.
    private int sharedSize(byte[] bytes, int start, int size) {
        int limit = Math.min(previousSize, size);
        int i = 0;
        for (; i <= limit - Long.BYTES; i += Long.BYTES) {
            long difference = (long) WORDS.get(previous, i) ^ (long) WORDS.get(bytes, start + i);
            if (difference != 0) {
                return i + Long.numberOfTrailingZeros(difference) / Byte.SIZE;
            }
        }
        while (i < limit && previous[i] == bytes[start + i]) {
            i++;
        }
        return i;
    }

    private void requireOrder(byte[] bytes, int start, int size, int shared, boolean isSameAllowed) {
        boolean isLarger =
                shared < size && (shared == previousSize || (bytes[start + shared] & 0xFF) > (previous[shared] & 0xFF));
        if (!hasPrevious || isLarger || isSameAllowed) {
            return;
        }
        String path = "the path " + KeyText.shortened(Arrays.copyOfRange(bytes, start, start + size));
        throw new IllegalArgumentException(
                shared == size && size == previousSize
                        ? path + " occurs twice"
                        : path + " follows a larger path: paths must be in ascending order of unsigned bytes");
    }

    /// Whether a path and the previous one differ only in their last byte, at a position where paths already
    /// diverged. In this most common case the deepest frame becomes a leaf and is reused.
    private boolean isNextLeaf(int size, int shared) {
        return size == shared + 1
                && top.depth == size
                && top.above.depth == shared
                && top.hasValue
                && top.firstPending == pendingCount;
    }

    private void remember(byte[] bytes, int start, int size, int shared) {
        if (previous.length - Long.BYTES < size) {
            previous = Arrays.copyOf(previous, Math.max(size + Long.BYTES, 2 * previous.length));
        }
        System.arraycopy(bytes, start + shared, previous, shared, size - shared);
        previousSize = size;
        hasPrevious = true;
    }

    /// Completes all deeper frames and makes sure that there is a frame exactly at this depth, if there was any.
    private void closeTo(int depth) throws IOException {
        while (top.depth > depth) {
            int closedDepth = top.depth;
            fold();
            while (top.depth > depth && !isNeeded()) {
                top = top.above;
            }
            if (top.depth < depth) {
                // Its first child is already on top of the pending nodes.
                pushFrame(depth, pendingCount - 1);
            }
            if (closedDepth - top.depth >= 2) {
                wrap(top.depth + 1, closedDepth);
            }
            if (top != base) {
                topNode().childByte = previous[top.depth];
            }
        }
    }

    /// Whether the frame is needed. A frame without a value and with no child except the node on top is only a
    /// part of a line.
    private boolean isNeeded() {
        return top.hasValue || pendingCount - 1 > top.firstPending;
    }

    /// Removes the deepest frame: its children are written, and it becomes a branch on top of the pending nodes.
    private void fold() throws IOException {
        int start = top.firstPending;
        int count = pendingCount - start;
        long first = count > 0 ? putRun(start) : 0;
        pendingCount = start;
        pushNode().setBranch(top.hasValue, top.value, first, pending, start, count);
        top = top.above;
    }

    /// Turns the node on top of the pending nodes into a line with a part of the previous path.
    private void wrap(int start, int end) throws IOException {
        long line = putLine(start, end - start);
        topNode().setLine(line, topNode().hasChild() ? putRun(pendingCount - 1) : 0);
    }

    private PendingNode topNode() {
        return pending[pendingCount - 1];
    }

    private PendingNode pushNode() {
        if (pendingCount == pending.length) {
            pending = Arrays.copyOf(pending, Math.max(64, 2 * pendingCount));
            Arrays.setAll(pending, i -> pending[i] == null ? new PendingNode() : pending[i]);
        }
        return pending[pendingCount++];
    }

    private void pushFrame(int depth, int firstPending) {
        if (top.below == null) {
            top.below = new Frame(top);
        }
        top = top.below;
        top.depth = depth;
        top.firstPending = firstPending;
        top.hasValue = false;
    }

    /// Writes the remaining nodes.
    ///
    /// @return the offset of the root
    long finish(TreeWriter.RootStyle rootStyle) throws IOException {
        if (rootStyle == TreeWriter.RootStyle.BRANCH) {
            closeTo(0);
        }
        closeTo(ABOVE_ROOT);
        long rootOffset = putRun(pendingCount - 1);
        out.append(new byte[TreeFormat.PADDING_SIZE], 0, TreeFormat.PADDING_SIZE);
        out.flush();
        return rootOffset;
    }

    /// Writes the pending nodes from an index on as a run, or finds an equal run.
    ///
    /// @return the offset of the run
    private long putRun(int start) throws IOException {
        if (runs == null) {
            return writeRun(start);
        }
        long hash = pendingCount - start;
        for (int i = start; i < pendingCount; i++) {
            hash = pending[i].addTo(hash);
        }
        long found = runs.find(hash, offset -> isRunAt(start, offset));
        if (found != ContentIndex.ABSENT) {
            sharedRunCount++;
            sharedBytes += encodeRun(start, found);
            return found;
        }
        long offset = writeRun(start);
        runs.add(hash, offset);
        return offset;
    }

    private long writeRun(int start) throws IOException {
        long offset = out.position();
        for (int i = start; i < pendingCount; i++) {
            out.append(pending[i]);
        }
        return offset;
    }

    /// The distances in a run depend on its offset, so it is compared as it would be encoded there.
    private boolean isRunAt(int start, long offset) throws IOException {
        int size = encodeRun(start, offset);
        return out.isAt(offset, candidate, 0, size);
    }

    private int encodeRun(int start, long offset) {
        int size = 0;
        for (int i = start; i < pendingCount; i++) {
            if (candidate.length - size < TreeFormat.NODE_SIZE_MAX) {
                candidate = Arrays.copyOf(candidate, 2 * candidate.length);
            }
            size = pending[i].encode(offset + size, candidate, size);
        }
        return size;
    }

    /// Writes a part of the previous path as line data, or finds equal line data.
    ///
    /// @return the offset of the line data
    private long putLine(int start, int size) throws IOException {
        byte[] length = new byte[Varint.SIZE_MAX];
        int lengthSize = Varint.write(length, 0, size);
        long hash = hash(start, size);
        long found = lines.find(
                hash,
                offset -> out.isAt(offset + lengthSize, previous, start, size)
                        && out.isAt(offset, length, 0, lengthSize));
        if (found != ContentIndex.ABSENT) {
            reusedLineCount++;
            return found;
        }
        long offset = out.position();
        out.append(length, 0, lengthSize);
        out.append(previous, start, size);
        lines.add(hash, offset);
        lineDataCount++;
        return offset;
    }

    /// The hash of a part of the previous path.
    private long hash(int start, int size) {
        long hash = size;
        for (int i = 0; i < size; i += Long.BYTES) {
            // The array is some bytes longer than the path.
            long word = (long) WORDS.get(previous, start + i);
            hash = PendingNode.mix(hash, size - i >= Long.BYTES ? word : word & ~(-1L << 8 * (size - i)));
        }
        return hash;
    }

    TreeWriter.Summary summary() {
        return new TreeWriter.Summary(
                keyCount, out.position(), lineDataCount, reusedLineCount, sharedRunCount, sharedBytes);
    }

    @Override
    public void close() {
        lines.close();
        if (runs != null) {
            runs.close();
        }
    }
}
