// SPDX-License-Identifier: Apache-2.0
package dev.penstock.doctor;

import dev.penstock.Io;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/// A set of record indices, which takes a bit for each record of the ranges that have any.
final class RecordMarks {
    /// The number of records in a page of bits.
    private static final int PAGE_COUNT = 1 << 16;

    private final TreeMap<Long, long[]> pages = new TreeMap<>();
    private long count;

    void add(long index) {
        long[] page = pages.computeIfAbsent(index / PAGE_COUNT, _ -> new long[PAGE_COUNT / Long.SIZE]);
        int place = (int) (index % PAGE_COUNT);
        long bit = 1L << place;
        if ((page[place / Long.SIZE] & bit) == 0) {
            page[place / Long.SIZE] |= bit;
            count++;
        }
    }

    /// The number of different indices.
    long count() {
        return count;
    }

    /// Passes the indices on in ascending order, some at a time.
    void forEach(Io.Consumer<long[]> consumer) throws IOException {
        for (Map.Entry<Long, long[]> page : pages.entrySet()) {
            consumer.accept(indices(page.getKey() * PAGE_COUNT, page.getValue()));
        }
    }

    private static long[] indices(long first, long[] page) {
        long[] found = new long[PAGE_COUNT];
        int count = 0;
        for (int word = 0; word < page.length; word++) {
            for (long bits = page[word]; bits != 0; bits &= bits - 1) {
                found[count++] = first + (long) word * Long.SIZE + Long.numberOfTrailingZeros(bits);
            }
        }
        return Arrays.copyOf(found, count);
    }
}
