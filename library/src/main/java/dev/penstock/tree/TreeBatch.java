// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import java.util.Arrays;
import java.util.List;

/// Looks up many paths in their order, so that each lookup goes on from where it parts from the one before.
final class TreeBatch {
    private final TreeBytes bytes;
    private final TreeLookup lookup;

    TreeBatch(TreeBytes bytes, TreeLookup lookup) {
        this.bytes = bytes;
        this.lookup = lookup;
    }

    int get(List<byte[]> paths, long[] values, long otherwise) {
        byte[][] keys = paths.toArray(byte[][]::new);
        int[] order = KeyOrder.of(keys);
        TreeLookup.Trail trail = new TreeLookup.Trail();
        byte[] before = {};
        int foundCount = 0;
        for (int i = 0; i < keys.length; i++) {
            int index = order == null ? i : order[i];
            byte[] key = keys[index];
            int shared = Arrays.mismatch(before, key);
            long offset = lookup.valueOffset(key, shared < 0 ? key.length : shared, trail);
            boolean isFound = offset != TreeLookup.ABSENT;
            values[index] = isFound ? bytes.varint(offset) : otherwise;
            foundCount += isFound ? 1 : 0;
            before = key;
        }
        return foundCount;
    }
}
