// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import java.util.Arrays;

/// Goes to every node of a file that can be reached, once, however many parents share it.
abstract class TreeSurvey {
    private static final int DEPTH_START = 64;

    private final TreeBytes bytes;
    private final OffsetSet met;
    private final TreeNode node;
    private long[] nextChild = new long[DEPTH_START];
    private long[] parents = new long[DEPTH_START];
    private int[] childrenLeft = new int[DEPTH_START];
    private int depth;

    TreeSurvey(TreeBytes bytes) {
        this.bytes = bytes;
        this.met = new OffsetSet(bytes.size());
        this.node = new TreeNode(bytes);
    }

    /// Something to be done with a node that is met for the first time.
    abstract void visit(TreeNode node);

    /// Told that a run has another parent than the one it was met through.
    void visitShared() {}

    /// What to do about a node that cannot be read, with all behind it in its run and below it.
    void refuse(DatasetException refusal) {
        throw refusal;
    }

    /// Decodes a node; a subclass may look closer.
    void decode(TreeNode node, long offset, long limit) {
        node.decode(offset, limit);
    }

    final void run(long root) {
        push(root, 1, bytes.size());
        while (depth > 0) {
            int top = depth - 1;
            if (childrenLeft[top] == 0) {
                depth--;
            } else {
                childrenLeft[top]--;
                try {
                    step(top);
                } catch (IndexOutOfBoundsException e) {
                    leave(top, bytes.corrupt(nextChild[top], Reason.TRUNCATED, "a node reaches beyond the end"));
                } catch (DatasetException e) {
                    leave(top, e);
                }
            }
        }
    }

    private void leave(int top, DatasetException refusal) {
        depth = top;
        refuse(refusal);
    }

    private void step(int top) {
        decode(node, nextChild[top], parents[top]);
        nextChild[top] = node.end;
        if (!met.add(node.offset)) {
            return;
        }
        visit(node);
        if (node.childCount > 0) {
            if (met.contains(node.first)) {
                visitShared();
            }
            push(node.first, node.childCount, node.offset);
        }
    }

    private void push(long first, int count, long parent) {
        if (depth == nextChild.length) {
            if (depth >= TreeFormat.DEPTH_MAX) {
                throw bytes.corrupt(parent, Reason.SIZE_OVERFLOW, "too many nodes on one path to follow");
            }
            nextChild = Arrays.copyOf(nextChild, 2 * depth);
            parents = Arrays.copyOf(parents, 2 * depth);
            childrenLeft = Arrays.copyOf(childrenLeft, 2 * depth);
        }
        nextChild[depth] = first;
        childrenLeft[depth] = count;
        parents[depth++] = parent;
    }
}
