// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.memory.Parallel;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/// Looks up many paths, on several threads if there are enough of them.
///
/// If the paths are sorted, the lookup of each continues from where it diverges from the one before ([NodeTrail]).
/// Sorting unsorted paths first takes longer than it saves, and so does interleaving several lookups.
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
            foundCount.addAndGet(lookup.bytes().read(() -> get(start, limit)));
        });
        return foundCount.get();
    }

    private int get(int start, int limit) {
        NodeTrail trail = isSorted(start, limit) ? new NodeTrail(lookup) : null;
        int found = 0;
        for (int i = start; i < limit; i++) {
            byte[] path = paths.get(i);
            long offset = lookup.isForeign(path)
                    ? TreeLookup.ABSENT
                    : trail == null ? lookup.valueOffset(path) : trail.valueOffset(path);
            boolean isFound = offset != TreeLookup.ABSENT;
            values[i] = isFound ? lookup.bytes().varint(offset) : otherwise;
            found += isFound ? 1 : 0;
        }
        return found;
    }

    private boolean isSorted(int start, int limit) {
        for (int i = start + 1; i < limit; i++) {
            if (Arrays.compareUnsigned(paths.get(i - 1), paths.get(i)) > 0) {
                return false;
            }
        }
        return true;
    }
}
