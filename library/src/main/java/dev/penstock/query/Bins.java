// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import java.util.Arrays;
import java.util.List;

/// The counts of consecutive histogram bins. The width of a bin is 2 to the power of the level.
///
/// The number of a bin is its values divided by the width, rounded down. So the bin number at the next level is
/// half of it, rounded down.
///
/// **Threads.** One thread at a time.
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

    /// The counts up to the last bin that is not empty.
    List<Long> counts() {
        int limit = counts.length;
        while (limit > 0 && counts[limit - 1] == 0) {
            limit--;
        }
        return Arrays.stream(counts, 0, limit).boxed().toList();
    }

    /// Moves the bins so that they begin at `newFirst` at a level that is not lower than before. All counted
    /// values must fit.
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

    /// Counts one value, given the number of its bin.
    void count(long number) {
        counts[(int) (number - first)]++;
    }

    /// Adds bins of the same or a lower level, all of which must lie inside these.
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
