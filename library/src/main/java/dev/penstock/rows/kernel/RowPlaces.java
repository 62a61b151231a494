// SPDX-License-Identifier: Apache-2.0
package dev.penstock.rows.kernel;

import static dev.penstock.file.Layouts.U64;
import static dev.penstock.file.Layouts.U8;
import static dev.penstock.rows.kernel.RowCopy.ALL;

import dev.penstock.file.Faults;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Objects;

/// Maps row numbers to addresses. The rows have one size and lie in one or more contiguous runs of memory; each
/// run continues the numbering of the run before.
///
/// **Threads.** Safe for any number of threads.
public final class RowPlaces {
    /// The largest size of the table of search hints; small enough to stay in the CPU cache.
    private static final int GUESS_COUNT_MAX = 1024;

    /// The largest number of rows for one call of a loop.
    private static final long COUNT_MAX = 1 << 30;

    private static MethodHandle locateOne = SeparatelyCompiled.of(
            MethodHandles.lookup(),
            "locateOne",
            MethodType.methodType(long.class, long.class, int.class, long.class, long.class, long.class));

    private static MethodHandle locateMany = SeparatelyCompiled.of(
            MethodHandles.lookup(),
            "locateMany",
            MethodType.methodType(boolean.class, long.class, int.class, RowPlaces.class));

    /// The sink of [#touch], which prevents the compiler from removing the reads.
    private static byte touched;

    private final long rowSize;
    /// The first row of each run, followed by the number of all rows.
    private final long[] starts;
    /// For each run, the address that row 0 would have if the run extended back to it.
    private final long[] origins;
    /// The table of search hints: the run that holds the first row of each of equally large parts.
    private final int[] guesses;

    private final int guessShift;

    /// @param starts    the first row of each run, followed by the number of all rows
    /// @param addresses the address of the first row of each run, or zeros when no addresses are needed
    public RowPlaces(long[] starts, long[] addresses, long rowSize) {
        this.rowSize = rowSize;
        this.starts = starts.clone();
        this.origins = addresses.clone();
        for (int i = 0; i < origins.length; i++) {
            origins[i] -= starts[i] * rowSize;
        }
        this.guessShift = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(count() / GUESS_COUNT_MAX));
        this.guesses = new int[(int) (count() >>> guessShift) + 2];
        for (int i = 0; i < guesses.length; i++) {
            guesses[i] = search((long) i << guessShift, 0, origins.length - 1);
        }
    }

    /// The number of rows in all runs.
    public long count() {
        return starts[starts.length - 1];
    }

    /// The first row of a run.
    public long start(int run) {
        return starts[run];
    }

    /// The run that holds a row.
    public int runOf(long rowIndex) {
        int guess = (int) (rowIndex >>> guessShift);
        return search(rowIndex, guesses[guess], guesses[guess + 1]);
    }

    /// The address of a row.
    public long address(long rowIndex) {
        return origins[runOf(rowIndex)] + rowIndex * rowSize;
    }

    /// Finds the last run in a range of runs that begins at or before a row. Empty runs are skipped.
    private int search(long rowIndex, int first, int last) {
        int low = first;
        int high = last;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (starts[middle] <= rowIndex) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    /// Whether all indices at the positions `from` to `to - 1` are in range.
    public boolean hasAll(MemorySegment indices, long from, long to) {
        long bad = 0;
        long last = count() - 1;
        for (long i = from; i < to; i++) {
            long index = indices.getAtIndex(U64, i);
            bad |= index | (last - index);
        }
        return bad >= 0;
    }

    /// Checks the row indices at the positions `from` to `to - 1`, and overwrites each index with the address of
    /// its row.
    ///
    /// Overwriting is deliberate: the loop is limited by memory traffic, and writing the addresses elsewhere would
    /// cost as much as the check itself.
    ///
    /// If there is one run, the row with the highest index is touched: a file is shortened at its end, so if that
    /// row can be read, all others can (see [RowCopy]).
    ///
    /// @param indices private off-heap memory, so that no other thread changes an index after it was checked
    /// @return false when an index is out of range; the memory then has no useful content
    public boolean locate(MemorySegment indices, long from, long to) {
        Objects.checkFromToIndex(from, to, indices.byteSize() / U64.byteSize());
        boolean hasAll = true;
        try {
            for (long done = from; done < to; done += COUNT_MAX) {
                long at = indices.address() + done * U64.byteSize();
                int count = (int) Math.min(COUNT_MAX, to - done);
                hasAll &= origins.length == 1
                        ? touch((long) locateOne.invokeExact(at, count, count(), origins[0], rowSize))
                        : (boolean) locateMany.invokeExact(at, count, this);
            }
        } catch (Throwable e) {
            throw SeparatelyCompiled.rethrow(e);
        }
        return hasAll;
    }

    /// @return whether the row exists
    private boolean touch(long highest) {
        if (highest >= 0 && rowSize > 0) {
            touched = ALL.get(U8, origins[0] + highest * rowSize + rowSize - 1);
            Faults.settle();
        }
        return highest >= 0;
    }

    /// @return the highest index, or a negative number when an index is invalid
    private static long locateOne(long at, int count, long rowCount, long origin, long rowSize) {
        return count >= VectorRowPlaces.COUNT_MIN && RowCopy.isTrained()
                ? VectorRowPlaces.locate(at, count, rowCount, origin, rowSize)
                : locatePlainly(at, count, rowCount, origin, rowSize);
    }

    /// The loop has no branch, so that it can compile to vectors. The sign bits of invalid indices are
    /// accumulated.
    ///
    /// @return the highest index, or a negative number when an index is invalid
    static long locatePlainly(long at, int count, long rowCount, long origin, long rowSize) {
        long bad = 0;
        long highest = 0;
        long last = rowCount - 1;
        for (int i = 0; i < count; i++) {
            long index = ALL.get(U64, at + i * 8L);
            bad |= index | (last - index);
            highest = Math.max(highest, index);
            ALL.set(U64, at + i * 8L, origin + index * rowSize);
        }
        return bad < 0 ? bad : highest;
    }

    private static boolean locateMany(long at, int count, RowPlaces places) {
        long rowCount = places.count();
        for (int i = 0; i < count; i++) {
            long index = ALL.get(U64, at + i * 8L);
            if (index < 0 || index >= rowCount) {
                return false;
            }
            ALL.set(U64, at + i * 8L, places.origins[places.runOf(index)] + index * places.rowSize);
        }
        return true;
    }
}
