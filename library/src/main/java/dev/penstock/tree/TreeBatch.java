// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import dev.penstock.memory.Faults;
import dev.penstock.memory.Parallel;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/// Looks up many paths, on several threads when there are enough of them.
///
/// Paths that come in order go on from where each parts from the one before. Sorting others first takes longer
/// than it saves, and so does looking up several in turns.
final class TreeBatch {
    /// Fewer take less time than another thread takes to come.
    private static final int SHARED_MIN = 512;

    /// Small, so that no thread waits long for the last part of another.
    private static final int PART_SIZE = 128;

    private final TreeBytes bytes;
    private final TreeLookup lookup;
    private final List<byte[]> paths;
    private final long[] values;
    private final long otherwise;
    private final AtomicInteger foundCount = new AtomicInteger();

    TreeBatch(TreeBytes bytes, TreeLookup lookup, List<byte[]> paths, long[] values, long otherwise) {
        this.bytes = bytes;
        this.lookup = lookup;
        this.paths = paths;
        this.values = values;
        this.otherwise = otherwise;
    }

    /// @return how many paths have a value
    int get(int threads) throws IOException {
        int count = paths.size();
        int usedThreads = count <= SHARED_MIN ? 1 : threads;
        Parallel.run(Math.ceilDiv(count, PART_SIZE), usedThreads, part -> {
            int start = (int) part * PART_SIZE;
            int limit = Math.min(count, start + PART_SIZE);
            try {
                foundCount.addAndGet(isSorted(start, limit) ? getSorted(start, limit) : getUnsorted(start, limit));
                Faults.settle();
            } catch (RuntimeException | InternalError e) {
                throw bytes.explained(e);
            }
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
        VisitedBranches trail = lookup.newTrail();
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
        values[index] = isFound ? bytes.varint(offset) : otherwise;
        return isFound ? 1 : 0;
    }
}
