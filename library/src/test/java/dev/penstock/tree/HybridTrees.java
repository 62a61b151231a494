// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import java.io.IOException;
import java.util.Arrays;
import java.util.SortedMap;

/// What a hybrid tree holds, for tests.
final class HybridTrees {
    private HybridTrees() {}

    static SortedMap<byte[], Long> read(HybridTree tree) throws IOException {
        return read(tree, new byte[0]);
    }

    static SortedMap<byte[], Long> read(HybridTree tree, byte[] prefix) throws IOException {
        SortedMap<byte[], Long> map = TreeKeySets.empty();
        tree.forEach(prefix, (bytes, size, value) -> {
            byte[] path = Arrays.copyOf(bytes, size);
            if (!map.isEmpty() && Arrays.compareUnsigned(map.lastKey(), path) >= 0) {
                throw new AssertionError("out of order: " + KeyText.of(path));
            }
            map.put(path, value);
        });
        return map;
    }
}
