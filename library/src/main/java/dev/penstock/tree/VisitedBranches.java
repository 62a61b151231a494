// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import java.util.Arrays;

/// The root and the branches that a lookup went through, so that the next one can go on from one of them.
///
/// **Threads.** One at a time.
final class VisitedBranches {
    private long[] nodes = new long[64];
    private int[] positions = new int[64];
    private int last;

    VisitedBranches(long root) {
        nodes[0] = root;
    }

    /// Adds a branch behind the last one, unless it is the last one.
    void add(long node, int position) {
        if (nodes[last] == node) {
            return;
        }
        last++;
        if (last == nodes.length) {
            nodes = Arrays.copyOf(nodes, 2 * last);
            positions = Arrays.copyOf(positions, 2 * last);
        }
        nodes[last] = node;
        positions[last] = position;
    }

    /// Goes back to the last branch within the bytes that the next key shares with this one.
    void rewind(int sharedSize) {
        while (positions[last] > sharedSize) {
            last--;
        }
    }

    /// The node to go on from, and how many bytes of the key lead to it.
    long node() {
        return nodes[last];
    }

    int position() {
        return positions[last];
    }
}
