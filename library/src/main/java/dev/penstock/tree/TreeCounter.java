// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.Reason;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/// Counts the values below a node without looking at paths.
///
/// Runs may be shared, so that a small file can hold more paths than anybody could count one by one. The result
/// for every run that took some work is therefore kept: time is proportional to the nodes in the file, and the
/// memory for the results to a small part of them.
///
/// **Threads.** One at a time.
final class TreeCounter {
    /// What took less is done again rather than remembered.
    private static final int WORK_MIN = 32;

    private static final int DEPTH_START = 64;

    private final TreeBytes bytes;
    private final TreeNode node;
    /// The values below a run, and the bytes of the longest path there.
    private record Known(long count, long longestSize) {}

    private final Map<Long, Known> known = new HashMap<>();
    private long[] runs = new long[DEPTH_START];
    private long[] parents = new long[DEPTH_START];
    private long[] nextChild = new long[DEPTH_START];
    private int[] childrenLeft = new int[DEPTH_START];
    private long[] counts = new long[DEPTH_START];
    private long[] work = new long[DEPTH_START];
    /// The longest path below the run, and the bytes that lead to the run from above.
    private long[] sizes = new long[DEPTH_START];

    private int[] edges = new int[DEPTH_START];
    private int depth;

    TreeCounter(TreeBytes bytes) {
        this.bytes = bytes;
        this.node = new TreeNode(bytes);
    }

    /// The values at and below a node; `Long.MAX_VALUE` stands for that many and more.
    long count(long start, long limit) {
        push(start, 1, limit, 0);
        while (true) {
            int top = depth - 1;
            if (childrenLeft[top] == 0) {
                depth--;
                if (depth == 0) {
                    return counts[0];
                }
                if (work[top] >= WORK_MIN) {
                    known.put(runs[top], new Known(counts[top], sizes[top]));
                }
                addTo(depth - 1, counts[top], work[top], edges[top] + sizes[top]);
            } else {
                childrenLeft[top]--;
                step(top);
            }
        }
    }

    /// The bytes of the longest path below what was counted last.
    long longestSize() {
        return sizes[0];
    }

    private void step(int top) {
        node.decode(nextChild[top], parents[top]);
        nextChild[top] = node.end;
        // A value at the end of a line that goes on is one that no iteration sees.
        boolean isSeen = node.hasValue && !(node.isLine && node.childCount > 0);
        int edge = node.isLine ? node.segmentSize : node.childCount > 0 ? 1 : 0;
        addTo(top, isSeen ? 1 : 0, 1, edge);
        if (node.childCount > 0) {
            Known below = known.get(node.first);
            if (below != null) {
                addTo(top, below.count, 1, edge + below.longestSize);
            } else {
                push(node.first, node.childCount, node.offset, edge);
            }
        }
    }

    private void addTo(int frame, long count, long steps, long size) {
        long sum = counts[frame] + count;
        counts[frame] = sum < 0 ? Long.MAX_VALUE : sum;
        work[frame] += steps;
        sizes[frame] = Math.max(sizes[frame], size);
    }

    private void push(long run, int childCount, long parent, int edge) {
        if (depth == runs.length) {
            grow();
        }
        runs[depth] = run;
        nextChild[depth] = run;
        childrenLeft[depth] = childCount;
        parents[depth] = parent;
        counts[depth] = 0;
        work[depth] = 0;
        sizes[depth] = 0;
        edges[depth] = edge;
        depth++;
    }

    private void grow() {
        if (depth >= TreeFormat.DEPTH_MAX) {
            throw bytes.corrupt(node.offset, Reason.SIZE_OVERFLOW, "too many nodes on one path to count");
        }
        int size = 2 * depth;
        runs = Arrays.copyOf(runs, size);
        nextChild = Arrays.copyOf(nextChild, size);
        childrenLeft = Arrays.copyOf(childrenLeft, size);
        parents = Arrays.copyOf(parents, size);
        counts = Arrays.copyOf(counts, size);
        work = Arrays.copyOf(work, size);
        sizes = Arrays.copyOf(sizes, size);
        edges = Arrays.copyOf(edges, size);
    }
}
