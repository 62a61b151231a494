// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/// Records for the store benchmark: random bytes, which do not compress and differ from record to record.
final class StoreRecords {
    static final int SIZE = 1536;

    private final MemorySegment batch;
    private final int count;

    StoreRecords(int count, long seed) {
        this.count = count;
        // LMDB cannot use memory that can be closed.
        this.batch = Arena.ofAuto().allocate((long) count * SIZE, Long.BYTES);
        SplittableRandom random = new SplittableRandom(seed);
        for (long at = 0; at < batch.byteSize(); at += Long.BYTES) {
            batch.set(ValueLayout.JAVA_LONG, at, random.nextLong());
        }
    }

    int count() {
        return count;
    }

    long bytes() {
        return batch.byteSize();
    }

    /// The records with a number in their first bytes.
    MemorySegment numbered(long number) {
        for (int i = 0; i < count; i++) {
            batch.set(ValueLayout.JAVA_LONG, (long) i * SIZE, number + i);
        }
        return batch;
    }
}
