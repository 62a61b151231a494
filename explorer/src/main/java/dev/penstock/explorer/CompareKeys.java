// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.Io;
import dev.penstock.query.Scan;
import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/// The records of a dataset by their keys, in memory: 16 bytes for each.
///
/// **Threads.** One thread at a time.
final class CompareKeys {
    private static final int COUNT_MAX = 1 << 20;
    private static final int INDEX_BITS = 20;

    /// The upper bits of a key and the index of its record, ascending. Different keys may share these bits, so that
    /// the whole key is compared as well.
    private final long[] sorted;

    private final long[] keys;
    private final BitSet taken;
    private long repeatedCount;
    private boolean isReported;

    private CompareKeys(long[] sorted, long[] keys) {
        this.sorted = sorted;
        this.keys = keys;
        this.taken = new BitSet(keys.length);
    }

    /// @throws IllegalArgumentException when there are too many records for the memory of the server
    static void requireFew(long count) {
        if (count > COUNT_MAX) {
            throw new IllegalArgumentException("matching by key needs memory for each record, which the explorer has"
                    + " for at most " + COUNT_MAX + " records, not " + count + "; match by index");
        }
    }

    static CompareKeys of(Dataset dataset, CompareMatch match, Tracker tracker) throws IOException {
        requireFew(dataset.count());
        long[] keys = new long[(int) dataset.count()];
        List<Field> fields = match.field() == null ? List.of() : List.of(match.field());
        Scan.of(dataset).withFields(fields).withThreads(1).withProgress(tracker).forEach(chunk -> {
            Column column = fields.isEmpty() ? null : chunk.batch().column(0);
            for (int row = 0; row < chunk.indices().length; row++) {
                long index = chunk.indices()[row];
                keys[(int) index] = match.key(dataset, index, column, row);
            }
        });
        long[] sorted = new long[keys.length];
        for (int i = 0; i < keys.length; i++) {
            sorted[i] = place(keys[i], i);
        }
        Arrays.sort(sorted);
        return new CompareKeys(sorted, keys);
    }

    private static long place(long key, int index) {
        return key >>> INDEX_BITS << INDEX_BITS | index;
    }

    /// The first record with a key that was not taken yet, or -1.
    long take(long key) {
        int at = Arrays.binarySearch(sorted, place(key, 0));
        boolean isRepeated = false;
        for (int i = at < 0 ? -at - 1 : at; i < sorted.length && sorted[i] >>> INDEX_BITS == key >>> INDEX_BITS; i++) {
            int index = (int) (sorted[i] & (1 << INDEX_BITS) - 1);
            if (keys[index] == key) {
                if (!taken.get(index)) {
                    taken.set(index);
                    repeatedCount += isRepeated ? 1 : 0;
                    return index;
                }
                isRepeated = true;
            }
        }
        return -1;
    }

    /// Passes on the records that were never taken.
    void report(Io.Consumer<Long> sink) throws IOException {
        if (isReported) {
            return;
        }
        isReported = true;
        for (int index = taken.nextClearBit(0); index < keys.length; index = taken.nextClearBit(index + 1)) {
            sink.accept((long) index);
        }
    }

    boolean isReported() {
        return isReported;
    }

    /// How many records had the key of an earlier one.
    long repeatedCount() {
        return repeatedCount;
    }
}
