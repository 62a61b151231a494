// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.DatasetException;
import dev.penstock.Reason;

/// Visits the nodes of a tree from parents to children, without following paths.
///
/// **Threads.** One thread at a time.
abstract class TreeWalk {
    /// Visits a node.
    ///
    /// @return whether to visit its children
    abstract boolean enter(TreeNode node, TreeNode parent);

    /// Called when all children of a node have been visited.
    void leave(TreeNode parent) {}

    /// Called for a node that cannot be read. It is skipped, with its later siblings and everything below it.
    void refuse(DatasetException refusal) {
        throw refusal;
    }

    /// Visits a node and everything below it.
    ///
    /// @param limit the offset of its parent
    final void walk(TreeBytes bytes, long start, long limit) {
        TreeNode parent = TreeNode.above(bytes, start, limit);
        while (parent.left > 0 || parent.above != null) {
            if (parent.left == 0) {
                leave(parent);
                parent = parent.above;
                continue;
            }
            try {
                TreeNode node = parent.peekChild();
                parent.pass(node);
                if (enter(node, parent) && node.childCount > 0) {
                    parent = node;
                }
            } catch (IndexOutOfBoundsException e) {
                parent.left = 0;
                refuse(bytes.corrupt(parent.next, Reason.TRUNCATED, "a node extends beyond the end of the file"));
            } catch (DatasetException e) {
                parent.left = 0;
                refuse(e);
            }
        }
    }
}
