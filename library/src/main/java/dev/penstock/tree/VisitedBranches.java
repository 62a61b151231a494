// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import java.util.Arrays;

/// The branches that a lookup went through, so that the next one can go on from one of them.
///
/// **Threads.** One at a time.
final class VisitedBranches {
    private long[] nodes = new long[64];
    private int[] positions = new int[64];
    private int depth;

    void add(long node, int position) {
        if (depth == nodes.length) {
            nodes = Arrays.copyOf(nodes, 2 * depth);
            positions = Arrays.copyOf(positions, 2 * depth);
        }
        nodes[depth] = node;
        positions[depth++] = position;
    }

    /// Drops the branches behind the shared part of the keys.
    ///
    /// @return whether one is left
    boolean rewind(int sharedSize) {
        while (depth > 0 && positions[depth - 1] > sharedSize) {
            depth--;
        }
        return depth > 0;
    }

    /// Takes the deepest branch off: the lookup that goes on from it adds it again.
    void pop() {
        depth--;
    }

    /// The branch that was taken off last, and how many bytes of the key lead to it.
    long node() {
        return nodes[depth];
    }

    int position() {
        return positions[depth];
    }
}
