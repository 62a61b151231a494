// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.DatasetException;
import dev.penstock.Reason;

/// Goes through the nodes of a tree from parents to children, without looking at paths.
///
/// **Threads.** One at a time.
abstract class TreeWalk {
    /// A run of children under way. Runs are used again.
    static final class Run {
        final Run above;
        private final int depth;
        private Run below;
        private long parent;
        private long next;
        private int left;
        /// Where the run begins.
        long first;
        /// Sums of a [TreeCounter]: the values in and below the run, the nodes looked at for them, the bytes of
        /// the longest path from here, and the bytes of path that lead to the run from the one above.
        long count;

        long work;
        long longestSize;
        int edgeSize;

        private Run(Run above) {
            this.above = above;
            this.depth = above == null ? 0 : above.depth + 1;
        }
    }

    private final TreeBytes bytes;
    private final TreeNode node;
    private Run top = new Run(null);

    TreeWalk(TreeBytes bytes) {
        this.bytes = bytes;
        this.node = new TreeNode(bytes);
    }

    /// Looks at a node.
    ///
    /// @param run the run that it is in
    /// @return whether to go on to its children
    abstract boolean enter(TreeNode node, Run run);

    /// Told that a run is complete.
    void leave(Run run) {}

    /// What to do about a node that cannot be read, with all behind it in its run and below it.
    void refuse(DatasetException refusal) {
        throw refusal;
    }

    /// Decodes a node; a subclass may look closer.
    void decode(TreeNode node, long offset, long limit) {
        node.decode(offset, limit);
    }

    /// Goes through a node and everything below it.
    ///
    /// @param limit where its parent is
    /// @return the run above all of them, for the sums of a counter
    final Run walk(long start, long limit) {
        Run bottom = top;
        push(start, 1, limit, 0);
        while (top != bottom) {
            Run run = top;
            if (run.left == 0) {
                top = run.above;
                leave(run);
            } else {
                run.left--;
                try {
                    step(run);
                } catch (IndexOutOfBoundsException e) {
                    abandon(run, bytes.corrupt(run.next, Reason.TRUNCATED, "a node reaches beyond the end"));
                } catch (DatasetException e) {
                    abandon(run, e);
                }
            }
        }
        return bottom;
    }

    private void step(Run run) {
        decode(node, run.next, run.parent);
        run.next = node.end;
        if (enter(node, run) && node.childCount > 0) {
            push(node.first, node.childCount, node.offset, node.edgeSize());
        }
    }

    private void abandon(Run run, DatasetException refusal) {
        top = run.above;
        refuse(refusal);
    }

    private void push(long first, int count, long parent, int edgeSize) {
        Run run = top.below;
        if (run == null) {
            if (top.depth >= TreeFormat.DEPTH_MAX) {
                throw bytes.corrupt(parent, Reason.SIZE_OVERFLOW, "too many nodes on one path to follow");
            }
            run = new Run(top);
            top.below = run;
        }
        run.parent = parent;
        run.first = first;
        run.next = first;
        run.left = count;
        run.count = 0;
        run.work = 0;
        run.longestSize = 0;
        run.edgeSize = edgeSize;
        top = run;
    }
}
