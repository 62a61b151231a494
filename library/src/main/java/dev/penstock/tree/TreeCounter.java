// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import java.util.HashMap;
import java.util.Map;

/// Counts the values below a node.
///
/// Runs may be shared, so that a small file can hold more paths than anybody could count one by one. The result
/// for every run that took some work is therefore kept: time is proportional to the nodes in the file, and the
/// memory for the results to a small part of them.
final class TreeCounter extends TreeWalk {
    /// What took less is done again rather than remembered.
    private static final int WORK_MIN = 32;

    /// What is below a node.
    ///
    /// @param count       values; `Long.MAX_VALUE` stands for that many and more
    /// @param longestSize bytes of the longest path
    record Sum(long count, long longestSize) {}

    private final Map<Long, Sum> known = new HashMap<>();

    private TreeCounter(TreeBytes bytes) {
        super(bytes);
    }

    /// Counts what is at and below a node.
    ///
    /// @param limit where its parent is
    static Sum count(TreeBytes bytes, long start, long limit) {
        Run all = new TreeCounter(bytes).walk(start, limit);
        return new Sum(all.count, all.longestSize);
    }

    @Override
    boolean enter(TreeNode node, Run run) {
        // A value at the end of a line that goes on is one that no iteration sees.
        boolean isSeen = node.hasValue && !(node.isLine && node.childCount > 0);
        add(run, isSeen ? 1 : 0, 1, node.edgeSize());
        Sum below = node.childCount > 0 ? known.get(node.first) : null;
        if (below != null) {
            add(run, below.count, 1, node.edgeSize() + below.longestSize);
        }
        return below == null;
    }

    @Override
    void leave(Run run) {
        if (run.work >= WORK_MIN) {
            known.put(run.first, new Sum(run.count, run.longestSize));
        }
        add(run.above, run.count, run.work, run.edgeSize + run.longestSize);
    }

    private static void add(Run run, long count, long steps, long size) {
        long sum = run.count + count;
        run.count = sum < 0 ? Long.MAX_VALUE : sum;
        run.work += steps;
        run.longestSize = Math.max(run.longestSize, size);
    }
}
