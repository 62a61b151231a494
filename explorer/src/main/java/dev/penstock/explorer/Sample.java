// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.loader.PermutationSampler;
import dev.penstock.view.Selection;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// The records that a search looks at: all of them in their order, or some at random.
///
/// A sample comes in rounds, each ascending, so that whatever time ended it, what was read is a sample as well.
///
/// @param recordCount the number of records of the dataset
/// @param chosen      the sampled records, or null for all
record Sample(long recordCount, long[] chosen) {
    private static final long SIZE_MAX = 1 << 18;
    private static final int ROUND_SIZE = 256;

    /// The sample that a request asks for by `sample`, the number of records or 0 for all, and `seed`.
    static Sample of(Query query, long recordCount, long usualSize) {
        long size = query.number("sample", usualSize, 0, SIZE_MAX);
        if (size == 0 || size >= recordCount) {
            return new Sample(recordCount, null);
        }
        long[] chosen = new long[(int) size];
        long seed = query.has("sampleSeed") ? query.seed("sampleSeed") : 0;
        new PermutationSampler(recordCount, seed).fill(0, 0, MemorySegment.ofArray(chosen));
        for (int start = 0; start < chosen.length; start += ROUND_SIZE) {
            Arrays.sort(chosen, start, Math.min(start + ROUND_SIZE, chosen.length));
        }
        return new Sample(recordCount, chosen);
    }

    /// Whether these are all records.
    boolean isAll() {
        return chosen == null;
    }

    long count() {
        return isAll() ? recordCount : chosen.length;
    }

    /// The records from a position on.
    Selection rest(long start) {
        return isAll()
                ? Selection.ofRanges(new long[] {start}, new long[] {recordCount})
                : Selection.of(Arrays.copyOfRange(chosen, (int) start, chosen.length));
    }
}
