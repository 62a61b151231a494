// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import java.util.Arrays;
import java.util.SortedMap;

/// Reads all entries of a hybrid tree, for tests.
final class HybridTrees {
    private HybridTrees() {}

    static SortedMap<byte[], Long> read(HybridTree tree) {
        return read(tree, new byte[0]);
    }

    static SortedMap<byte[], Long> read(HybridTree tree, byte[] prefix) {
        SortedMap<byte[], Long> map = TreeKeySets.empty();
        try (HybridScan scan = tree.scanPrefix(prefix)) {
            while (scan.next()) {
                byte[] path = scan.path();
                if (!map.isEmpty() && Arrays.compareUnsigned(map.lastKey(), path) >= 0) {
                    throw new AssertionError("out of order: " + KeyText.of(path));
                }
                map.put(path, scan.value());
            }
        }
        return map;
    }
}
