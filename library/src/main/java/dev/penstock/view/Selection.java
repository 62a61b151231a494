// SPDX-License-Identifier: Apache-2.0
package dev.penstock.view;

import dev.penstock.Fingerprint;
import dev.penstock.Indices;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;

/// The records that a [Subset] takes from its base, in order: a list of indices, or ranges of consecutive records.
///
/// Ranges need memory for each range and not for each record, so a selection of whole groups of rows stays small.
///
/// **Threads.** Immutable, so safe for any number of threads.
public abstract sealed class Selection permits Selection.Listed, Selection.Ranged {
    private Selection() {}

    /// The number of records.
    public abstract long count();

    /// The base index of the record at a position.
    ///
    /// @throws IndexOutOfBoundsException when the position is out of range
    public abstract long at(long position);

    /// The number of selected records whose base index is below a limit. The records must be in ascending order.
    public abstract long countBelow(long baseLimit);

    /// Translates positions to base indices.
    ///
    /// @throws IndexOutOfBoundsException when a position is out of range
    public void translate(MemorySegment positions, MemorySegment target) {
        long rowCount = Indices.count(positions);
        for (long row = 0; row < rowCount; row++) {
            target.setAtIndex(Indices.LAYOUT, row, at(Indices.at(positions, row)));
        }
    }

    /// Returns the selection that results from applying `next` to the records of this one.
    public Selection then(Selection next) {
        if (next instanceof Ranged ranges && this instanceof Ranged own) {
            return own.cut(ranges);
        }
        long[] indices = new long[Math.toIntExact(next.count())];
        for (int i = 0; i < indices.length; i++) {
            indices[i] = at(next.at(i));
        }
        return new Listed(indices);
    }

    abstract long greatest();

    abstract long least();

    /// Adds the records to the fingerprint of a view.
    public abstract void addTo(Fingerprint fingerprint);

    /// Selects records by index. Indices may repeat and may be in any order.
    public static Selection of(long[] indices) {
        return new Listed(indices.clone());
    }

    /// Selects records by ascending indices, stored as ranges if that takes less memory.
    public static Selection ofAscending(long[] indices) {
        int rangeCount = 0;
        for (int i = 0; i < indices.length; i++) {
            rangeCount += i == 0 || indices[i] != indices[i - 1] + 1 ? 1 : 0;
        }
        if (rangeCount > indices.length / 4) {
            return new Listed(indices.clone());
        }
        long[] starts = new long[rangeCount];
        long[] limits = new long[rangeCount];
        int filled = -1;
        for (int i = 0; i < indices.length; i++) {
            if (i == 0 || indices[i] != indices[i - 1] + 1) {
                starts[++filled] = indices[i];
            }
            limits[filled] = indices[i] + 1;
        }
        return new Ranged(starts, limits);
    }

    /// Selects ranges of consecutive records, from each start up to its exclusive limit. The ranges must be in
    /// ascending order and must not overlap; some may be empty.
    ///
    /// @throws IllegalArgumentException when ranges overlap or are not in ascending order
    public static Selection ofRanges(long[] starts, long[] limits) {
        if (starts.length != limits.length) {
            throw new IllegalArgumentException(
                    starts.length + " range starts but " + limits.length + " range limits; the numbers must be equal");
        }
        long previous = 0;
        for (int i = 0; i < starts.length; i++) {
            if (starts[i] < previous || limits[i] < starts[i]) {
                throw new IllegalArgumentException("range " + i + " is " + starts[i] + " to " + limits[i]
                        + "; ranges must be in ascending order and must not overlap");
            }
            previous = limits[i];
        }
        return Ranged.joined(starts, limits);
    }

    /// A list of indices.
    static final class Listed extends Selection {
        private final long[] indices;

        private Listed(long[] indices) {
            this.indices = indices;
        }

        @Override
        public long count() {
            return indices.length;
        }

        @Override
        public long at(long position) {
            return indices[(int) Objects.checkIndex(position, (long) indices.length)];
        }

        @Override
        public long countBelow(long baseLimit) {
            int found = Arrays.binarySearch(indices, baseLimit);
            while (found > 0 && indices[found - 1] == baseLimit) {
                found--;
            }
            return found < 0 ? -found - 1 : found;
        }

        @Override
        long greatest() {
            return Arrays.stream(indices).max().orElse(-1);
        }

        @Override
        long least() {
            return Arrays.stream(indices).min().orElse(0);
        }

        @Override
        public void addTo(Fingerprint fingerprint) {
            fingerprint.add(indices);
        }
    }

    /// A list of ranges. A table of hints leads from a position to its range without a search through all ranges.
    static final class Ranged extends Selection {
        private static final int HINTS_PER_RANGE = 4;

        private final long[] starts;
        /// The position of the first record of each range, followed by the number of all records.
        private final long[] firsts;

        private final int hintShift;
        private final int[] hints;

        private Ranged(long[] starts, long[] limits) {
            this.starts = starts;
            this.firsts = new long[starts.length + 1];
            for (int i = 0; i < starts.length; i++) {
                firsts[i + 1] = Math.addExact(firsts[i], limits[i] - starts[i]);
            }
            int shift = 0;
            while (count() >>> shift > (long) HINTS_PER_RANGE * starts.length) {
                shift++;
            }
            this.hintShift = shift;
            this.hints = new int[(int) (count() >>> shift) + 2];
            int range = 0;
            for (int i = 0; i < hints.length; i++) {
                while (range < starts.length - 1 && firsts[range + 1] <= (long) i << shift) {
                    range++;
                }
                hints[i] = range;
            }
        }

        /// Removes empty ranges and joins adjacent ranges.
        static Ranged joined(long[] starts, long[] limits) {
            long[] ownStarts = new long[starts.length];
            long[] ownLimits = new long[starts.length];
            int count = 0;
            for (int i = 0; i < starts.length; i++) {
                if (starts[i] == limits[i]) {
                    continue;
                }
                if (count > 0 && ownLimits[count - 1] == starts[i]) {
                    ownLimits[count - 1] = limits[i];
                } else {
                    ownStarts[count] = starts[i];
                    ownLimits[count++] = limits[i];
                }
            }
            return new Ranged(Arrays.copyOf(ownStarts, count), Arrays.copyOf(ownLimits, count));
        }

        @Override
        public long count() {
            return firsts[starts.length];
        }

        /// Positions of a batch are in random order, so whether the hint is right cannot be predicted: the first
        /// step from the hint is arithmetic and no branch. That it is not enough is rare.
        @Override
        public void translate(MemorySegment positions, MemorySegment target) {
            long rowCount = Indices.count(positions);
            long count = count();
            for (long row = 0; row < rowCount; row++) {
                long position = Objects.checkIndex(Indices.at(positions, row), count);
                int range = hints[(int) (position >>> hintShift)];
                range += (int) (firsts[range + 1] - 1 - position >>> 63);
                if (firsts[range + 1] <= position) {
                    range = range(position);
                }
                target.setAtIndex(Indices.LAYOUT, row, starts[range] + (position - firsts[range]));
            }
        }

        @Override
        public long at(long position) {
            Objects.checkIndex(position, count());
            int range = range(position);
            return starts[range] + (position - firsts[range]);
        }

        private int range(long position) {
            int hint = (int) (position >>> hintShift);
            int low = hints[hint];
            int high = hints[hint + 1];
            while (low < high) {
                int middle = low + high + 1 >>> 1;
                if (firsts[middle] <= position) {
                    low = middle;
                } else {
                    high = middle - 1;
                }
            }
            return low;
        }

        @Override
        public long countBelow(long baseLimit) {
            int found = Arrays.binarySearch(starts, baseLimit);
            if (found >= 0) {
                return firsts[found];
            }
            int range = -found - 2;
            return range < 0 ? 0 : Math.min(firsts[range + 1], firsts[range] + baseLimit - starts[range]);
        }

        /// Turns ranges of positions into ranges of the base.
        Ranged cut(Ranged positions) {
            long[] cutStarts = new long[starts.length + positions.starts.length];
            long[] cutLimits = new long[cutStarts.length];
            int filled = 0;
            for (int i = 0; i < positions.starts.length; i++) {
                long position = positions.starts[i];
                long limit = position + positions.firsts[i + 1] - positions.firsts[i];
                Objects.checkFromToIndex(position, limit, count());
                for (int range = range(position); position < limit; range++) {
                    long end = Math.min(limit, firsts[range + 1]);
                    cutStarts[filled] = starts[range] + (position - firsts[range]);
                    cutLimits[filled] = cutStarts[filled] + (end - position);
                    filled++;
                    position = end;
                }
            }
            return joined(Arrays.copyOf(cutStarts, filled), Arrays.copyOf(cutLimits, filled));
        }

        @Override
        long greatest() {
            int last = starts.length - 1;
            return last < 0 ? -1 : starts[last] + firsts[last + 1] - firsts[last] - 1;
        }

        @Override
        long least() {
            return starts.length == 0 ? 0 : starts[0];
        }

        @Override
        public void addTo(Fingerprint fingerprint) {
            fingerprint.add("ranges").add(starts).add(firsts);
        }
    }

    /// The number of ranges, or -1 when the records are a list of indices.
    public int rangeCount() {
        return this instanceof Ranged ranges ? ranges.starts.length : -1;
    }

    /// The first record of a range.
    public long rangeStart(int range) {
        return ((Ranged) this).starts[range];
    }

    /// The exclusive limit of a range.
    public long rangeLimit(int range) {
        Ranged ranges = (Ranged) this;
        return ranges.starts[range] + ranges.firsts[range + 1] - ranges.firsts[range];
    }
}
