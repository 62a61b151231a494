// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.file.Parallel;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/// Looks up many paths, on several threads if there are enough of them.
///
/// The lookup of each path continues from where it diverges from the one before. Sorting unsorted paths first
/// takes longer than it saves, and so does interleaving several lookups.
final class TreeBatch {
    /// Fewer paths take less time than starting another thread.
    private static final int SHARED_MIN = 512;

    /// Small, so that no thread waits long for the last part of another.
    private static final int PART_SIZE = 128;

    private final TreeLookup lookup;
    private final List<byte[]> paths;
    private final long[] values;
    private final long otherwise;
    private final AtomicInteger foundCount = new AtomicInteger();

    TreeBatch(TreeLookup lookup, List<byte[]> paths, long[] values, long otherwise) {
        this.lookup = lookup;
        this.paths = paths;
        this.values = values;
        this.otherwise = otherwise;
    }

    /// @return the number of paths that have a value
    int get(int threads) throws IOException {
        int count = paths.size();
        int usedThreads = count <= SHARED_MIN ? 1 : threads;
        Parallel.run(Math.ceilDiv(count, PART_SIZE), usedThreads, part -> {
            int start = (int) part * PART_SIZE;
            int limit = Math.min(count, start + PART_SIZE);
            foundCount.addAndGet(lookup.bytes()
                    .read(() -> isSorted(start, limit) ? getSorted(start, limit) : getUnsorted(start, limit)));
        });
        return foundCount.get();
    }

    private boolean isSorted(int start, int limit) {
        for (int i = start + 1; i < limit; i++) {
            if (Arrays.compareUnsigned(paths.get(i - 1), paths.get(i)) > 0) {
                return false;
            }
        }
        return true;
    }

    private int getSorted(int start, int limit) {
        NodeTrail trail = new NodeTrail(lookup.root());
        byte[] before = {};
        int found = 0;
        for (int i = start; i < limit; i++) {
            byte[] key = paths.get(i);
            int shared = Arrays.mismatch(before, key);
            found += take(i, lookup.valueOffset(key, shared < 0 ? key.length : shared, trail));
            before = key;
        }
        return found;
    }

    private int getUnsorted(int start, int limit) {
        int found = 0;
        for (int i = start; i < limit; i++) {
            byte[] key = paths.get(i);
            found += take(i, lookup.isForeign(key) ? TreeLookup.ABSENT : lookup.valueOffset(key));
        }
        return found;
    }

    private int take(int index, long offset) {
        boolean isFound = offset != TreeLookup.ABSENT;
        values[index] = isFound ? lookup.bytes().varint(offset) : otherwise;
        return isFound ? 1 : 0;
    }
}
