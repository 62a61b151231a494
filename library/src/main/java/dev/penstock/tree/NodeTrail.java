// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import java.util.Arrays;

/// Looks up keys in ascending order. It remembers the branches on the way from the root to the last key, and
/// continues from the deepest branch that the next key shares.
///
/// It reads every node from the file: a key usually diverges from the one before near its end, and the caches of
/// [TreeLookup] would take as long as reading a node or two.
///
/// **Threads.** One thread at a time.
final class NodeTrail {
    private final TreeLookup lookup;
    private byte[] lastKey = {};
    /// The branches, and the number of key bytes that lead to each.
    private long[] nodes = new long[64];

    private int[] positions = new int[64];
    private int last;

    NodeTrail(TreeLookup lookup) {
        this.lookup = lookup;
        nodes[0] = lookup.root();
    }

    /// The offset of the value of a key, or [TreeLookup#ABSENT].
    long valueOffset(byte[] key) {
        int shared = Arrays.mismatch(lastKey, key);
        lastKey = key;
        while (shared >= 0 && positions[last] > shared) {
            last--;
        }
        TreeBytes bytes = lookup.bytes();
        long node = nodes[last];
        int position = positions[last];
        while (true) {
            long word = bytes.word(node);
            if ((word & TreeFormat.LINE) != 0) {
                int size = bytes.matchLine(node, word, key, position);
                position += size;
                long next = size == 0 ? TreeLookup.ABSENT : lookup.behindLine(node, word, position == key.length);
                if (next < 0 || next > node) {
                    return next;
                }
                node = next;
            } else if (position == key.length) {
                return lookup.valueOfBranch(node, word);
            } else {
                add(node, position);
                node = lookup.child(node, word, key[position++] & 0xFF);
                if (node == TreeLookup.ABSENT) {
                    return TreeLookup.ABSENT;
                }
            }
        }
    }

    /// Adds a branch below the last one, unless it is the last one.
    private void add(long node, int position) {
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
}
