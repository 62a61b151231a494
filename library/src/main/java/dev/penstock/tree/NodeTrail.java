// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import java.util.Arrays;

/// The branches on the way from the root to a key, and the number of path bytes that lead to each. The lookup of
/// the next key continues from the deepest branch that both keys share.
///
/// **Threads.** One thread at a time.
final class NodeTrail {
    private long[] nodes = new long[64];
    private int[] positions = new int[64];
    private int last;

    NodeTrail(long root) {
        nodes[0] = root;
    }

    /// Adds a node below the last one, unless it is the last one.
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

    /// Goes back to the last node that begins within the first `size` bytes of the path.
    void rewind(int size) {
        while (positions[last] > size) {
            last--;
        }
    }

    /// The last node.
    long node() {
        return nodes[last];
    }

    /// The number of path bytes that lead to the last node.
    int position() {
        return positions[last];
    }
}
