// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static dev.penstock.memory.Layouts.WORDS;

import java.io.IOException;
import java.util.Arrays;

/// Makes the nodes of a tree out of paths in ascending order, and puts them out as soon as they are complete.
///
/// There is a frame for each place on the path before where a value is, or something parts, or the path ends. A
/// path that parts from it completes all frames below the place where it does: their children are put out as a
/// run, and they become a child themselves, of the frame above, or of a line to it. So runs are put out from
/// the leaves upwards and in the order of the paths, which is what makes the bytes those of the original.
final class TreeAssembly implements AutoCloseable {

    /// Runs that are remembered when equal ones are shared; each takes 16 to 32 bytes.
    private static final long RUN_LIMIT = 1 << 22;

    private final ArenaOutput out;
    private final ContentIndex lines;
    private final ContentIndex runs;
    private final PendingNodes pending = new PendingNodes();
    private final byte[] lengthBytes = new byte[Varint.SIZE_MAX];

    private byte[] previous = new byte[64];
    private int previousSize;
    private boolean hasPrevious;

    /// A place on the path before. Frames are used again.
    private static final class Frame {
        private final Frame above;
        private Frame below;
        /// The bytes of path that lead to the place.
        private int depth;
        /// The first pending child.
        private int firstPending;

        private boolean hasValue;
        private long value;

        Frame(Frame above) {
            this.above = above;
        }
    }

    private final Frame root = new Frame(null);
    private Frame top = root;

    private byte[] runBytes = new byte[1 << 10];
    private int segmentStart;
    private int segmentSize;
    private int runStart;
    private final ContentIndex.Check lineCheck = this::isLineAt;
    private final ContentIndex.Check runCheck = this::isRunAt;

    private long keyCount;
    private long lineDataCount;
    private long reusedLineCount;
    private long sharedRunCount;
    private long sharedBytes;

    TreeAssembly(TreeWriter.Options options, ArenaOutput out) {
        this.out = out;
        this.lines = new ContentIndex(options.lineLimit());
        this.runs = options.isSharing() ? new ContentIndex(RUN_LIMIT) : null;
    }

    /// How many bytes a path has in common with the one before. Most paths are short, which the runtime's own
    /// comparison of arrays is not made for.
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

    /// Adds a path. One that is refused changes nothing.
    ///
    /// @throws IllegalArgumentException when it is too long, or does not follow the path before
    void append(byte[] bytes, int start, int size, boolean hasValue, long value) throws IOException {
        TreeFormat.requireKeySize(size);
        int shared = sharedSize(bytes, start, size);
        boolean isSame = hasPrevious && shared == size && size == previousSize;
        requireOrder(bytes, start, size, shared, isSame && !(hasValue && top.hasValue));
        if (!isSame) {
            if (isNextLeaf(size, shared)) {
                pending.addLeaf(previous[shared], top.value);
                top.firstPending = pending.count();
                top.hasValue = false;
            } else {
                closeTo(shared);
                if (size > 0) {
                    pushFrame(size, pending.count());
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

    private void requireOrder(byte[] bytes, int start, int size, int shared, boolean isSameAllowed) {
        boolean isLarger =
                shared < size && (shared == previousSize || (bytes[start + shared] & 0xFF) > (previous[shared] & 0xFF));
        if (!hasPrevious || isLarger || isSameAllowed) {
            return;
        }
        String path = "the path " + KeyText.shortened(Arrays.copyOfRange(bytes, start, start + size));
        throw new IllegalArgumentException(
                shared == size && size == previousSize
                        ? path + " comes twice"
                        : path + " comes after a larger one: paths must be in ascending order, unsigned");
    }

    /// Whether a path and the one before differ in their last byte only, and parted there before: the commonest
    /// case, in which the deepest frame becomes a leaf and serves again.
    private boolean isNextLeaf(int size, int shared) {
        return top != root
                && size == shared + 1
                && top.depth == size
                && top.above.depth == shared
                && top.hasValue
                && top.firstPending == pending.count();
    }

    private void remember(byte[] bytes, int start, int size, int shared) {
        if (previous.length - Long.BYTES < size) {
            previous = Arrays.copyOf(previous, Math.max(size + Long.BYTES, 2 * previous.length));
        }
        if (size - shared <= Long.BYTES) {
            for (int i = shared; i < size; i++) {
                previous[i] = bytes[start + i];
            }
        } else {
            System.arraycopy(bytes, start + shared, previous, shared, size - shared);
        }
        previousSize = size;
        hasPrevious = true;
    }

    /// Completes all frames deeper than this and makes sure that there is one exactly there, if any was.
    private void closeTo(int depth) throws IOException {
        while (top.depth > depth) {
            int closedDepth = top.depth;
            fold();
            while (top.depth > depth && !isNeeded()) {
                top = top.above;
            }
            if (top.depth < depth) {
                // Its first child is on top of the pending nodes already.
                pushFrame(depth, pending.count() - 1);
            }
            if (closedDepth - top.depth >= 2) {
                wrap(top.depth + 1, closedDepth);
            }
            pending.setTopByte(previous[top.depth]);
        }
    }

    /// A frame that has no value and, but for the node on top of the pending ones, no child is only a part of a
    /// line.
    private boolean isNeeded() {
        return top.hasValue || pending.count() - 1 > top.firstPending;
    }

    /// Takes the deepest frame off: its children are put out, and it is on top of the pending nodes as a branch.
    private void fold() throws IOException {
        int start = top.firstPending;
        long first = pending.count() > start ? putRun(start, pending.count()) : 0;
        pending.fold(start, first, top.hasValue, top.value);
        top = top.above;
    }

    /// Makes the node on top of the pending ones a line of a part of the path before.
    private void wrap(int start, int end) throws IOException {
        long line = putLine(start, end - start);
        long child = 0;
        if (pending.topHasChild()) {
            child = putRun(pending.count() - 1, pending.count());
        }
        pending.wrapTop(line, child);
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

    /// Puts out what is left.
    ///
    /// @return where the root is
    long finish(TreeWriter.RootStyle rootStyle) throws IOException {
        boolean isLine = rootStyle == TreeWriter.RootStyle.LINE
                && top != root
                && !root.hasValue
                && root.below.firstPending == root.firstPending;
        if (isLine) {
            finishLine();
        } else {
            closeTo(0);
            fold();
        }
        long root = putRun(pending.count() - 1, pending.count());
        out.append(new byte[TreeFormat.PADDING_SIZE], 0, TreeFormat.PADDING_SIZE);
        out.flush();
        return root;
    }

    /// All paths begin with the same byte: the root is a line down to where they first part.
    private void finishLine() throws IOException {
        Frame frame = root.below;
        while (frame != top && !frame.hasValue && frame.below.firstPending == frame.firstPending) {
            frame = frame.below;
        }
        int depth = frame.depth;
        closeTo(depth);
        fold();
        wrap(0, depth);
    }

    /// Puts pending nodes out, or finds them.
    ///
    /// @return where they are
    private long putRun(int start, int end) throws IOException {
        if (runs == null) {
            return writeRun(start, end);
        }
        runStart = start;
        long hash = pending.hash(start, end);
        long offset = runs.find(hash, runCheck);
        if (offset != ContentIndex.ABSENT) {
            sharedRunCount++;
            sharedBytes += encodeRun(offset);
            return offset;
        }
        offset = writeRun(start, end);
        runs.add(hash, offset);
        return offset;
    }

    private long writeRun(int start, int end) throws IOException {
        long first = out.position();
        for (int i = start; i < end; i++) {
            out.reserve(PendingNodes.ENCODED_MAX);
            out.fillTo(pending.encode(i, out.position(), out.window(), out.filled()));
        }
        return first;
    }

    /// The distances of a run depend on where it is, so it is compared as it would look there.
    private boolean isRunAt(long offset) throws IOException {
        int size = encodeRun(offset);
        return out.isAt(offset, runBytes, 0, size);
    }

    private int encodeRun(long offset) {
        int size = 0;
        for (int i = runStart; i < pending.count(); i++) {
            if (runBytes.length - size < PendingNodes.ENCODED_MAX) {
                runBytes = Arrays.copyOf(runBytes, 2 * runBytes.length);
            }
            size = pending.encode(i, offset + size, runBytes, size);
        }
        return size;
    }

    /// Puts line data out, or finds it.
    ///
    /// @return where it is
    private long putLine(int start, int size) throws IOException {
        segmentStart = start;
        segmentSize = size;
        long hash = hash(previous, start, size);
        long offset = lines.find(hash, lineCheck);
        if (offset != ContentIndex.ABSENT) {
            reusedLineCount++;
            return offset;
        }
        offset = out.position();
        out.append(lengthBytes, 0, Varint.write(lengthBytes, 0, size));
        out.append(previous, start, size);
        lines.add(hash, offset);
        lineDataCount++;
        return offset;
    }

    private boolean isLineAt(long offset) throws IOException {
        int lengthSize = Varint.sizeOf(segmentSize);
        return out.isAt(offset + lengthSize, previous, segmentStart, segmentSize)
                && out.isAt(offset, lengthBytes, 0, Varint.write(lengthBytes, 0, segmentSize));
    }

    private static long hash(byte[] bytes, int start, int size) {
        long hash = PendingNodes.mix(0, size);
        int i = 0;
        for (; i <= size - Long.BYTES; i += Long.BYTES) {
            hash = PendingNodes.mix(hash, (long) WORDS.get(bytes, start + i));
        }
        // The array has some bytes more than the path before.
        long rest = i == size ? 0 : (long) WORDS.get(bytes, start + i) & ~(-1L << 8 * (size - i));
        long mixed = PendingNodes.mix(hash, rest);
        return mixed ^ mixed >>> 32;
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
