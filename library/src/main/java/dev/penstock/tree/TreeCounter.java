// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/// Counts the values below a node.
///
/// Runs of children may be shared, so a small file can have more paths than can be counted one by one. Therefore
/// the sum of every expensive run is kept: the time is proportional to the number of nodes in the file, and the
/// memory to a small part of them.
final class TreeCounter extends TreeWalk {
    /// The sum of a run with fewer steps is computed again instead of being kept.
    private static final int WORK_MIN = 32;

    /// The content of a run of children, including everything below it.
    static final class Sum {
        /// The number of values; `Long.MAX_VALUE` stands for that number or more.
        long count;
        /// The size of the longest path in bytes.
        long longestSize;

        private long work;

        private void add(long values, long steps, long size) {
            long sum = count + values;
            count = sum < 0 ? Long.MAX_VALUE : sum;
            work += steps;
            longestSize = Math.max(longestSize, size);
        }
    }

    private final Map<Long, Sum> known = new HashMap<>();
    /// The sums of the runs in progress, the deepest first.
    private final Deque<Sum> sums = new ArrayDeque<>();

    /// Counts the values at and below a node.
    ///
    /// @param limit the offset of its parent
    static Sum count(TreeBytes bytes, long start, long limit) {
        TreeCounter counter = new TreeCounter();
        counter.sums.push(new Sum());
        counter.walk(bytes, start, limit);
        return counter.sums.pop();
    }

    @Override
    boolean enter(TreeNode node, TreeNode parent) {
        sums.peek().add(node.hasVisibleValue() ? 1 : 0, 1, node.edgeSize());
        if (node.childCount == 0) {
            return false;
        }
        Sum below = known.get(node.first);
        if (below == null) {
            sums.push(new Sum());
            return true;
        }
        sums.peek().add(below.count, 1, node.edgeSize() + below.longestSize);
        return false;
    }

    @Override
    void leave(TreeNode parent) {
        Sum sum = sums.pop();
        if (sum.work >= WORK_MIN) {
            known.put(parent.first, sum);
        }
        sums.peek().add(sum.count, sum.work, parent.edgeSize() + sum.longestSize);
    }
}
