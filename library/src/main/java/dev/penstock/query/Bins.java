// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import java.util.Arrays;
import java.util.List;

/// Counters of consecutive bins, each of width 2 to the power of a level.
///
/// The number of a bin is what its values give when they are divided by the width and rounded down, so the number
/// at the next level is half of it, rounded down too.
///
/// **Threads.** One at a time.
final class Bins {
    private long[] counts = new long[Histogram.BINS_MAX];
    private long first;
    private int level;
    private boolean isEmpty = true;

    int level() {
        return level;
    }

    long first() {
        return first;
    }

    /// Counts up to the last bin that is not empty.
    List<Long> counts() {
        int limit = counts.length;
        while (limit > 0 && counts[limit - 1] == 0) {
            limit--;
        }
        return Arrays.stream(counts, 0, limit).boxed().toList();
    }

    /// Makes bins from `newFirst` on, of a level that is not lower than before and holds all that was counted.
    void cover(long newFirst, int newLevel) {
        if (isEmpty) {
            isEmpty = false;
        } else if (newFirst != first || newLevel != level) {
            long[] old = counts;
            counts = new long[Histogram.BINS_MAX];
            addAll(old, first, newLevel - level, newFirst);
        }
        first = newFirst;
        level = newLevel;
    }

    /// Counts one value by the number of its bin.
    void count(long number) {
        counts[(int) (number - first)]++;
    }

    /// Adds bins of the same or a lower level, all of which are covered here.
    void add(Bins other) {
        addAll(other.counts, other.first, level - other.level, first);
    }

    private void addAll(long[] others, long otherFirst, int levelsUp, long target) {
        int shift = Math.min(levelsUp, Long.SIZE - 1);
        for (int i = 0; i < others.length; i++) {
            if (others[i] != 0) {
                counts[(int) ((otherFirst + i >> shift) - target)] += others[i];
            }
        }
    }
}
