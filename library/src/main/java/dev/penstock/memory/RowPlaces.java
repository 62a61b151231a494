// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import static dev.penstock.memory.Layouts.U64;
import static dev.penstock.memory.Layouts.U8;
import static dev.penstock.memory.RowCopy.ALL;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Objects;

/// Where rows of one size lie: in one run of memory or several, each of which goes on where the one before ends.
///
/// **Threads.** Any number.
public final class RowPlaces {
    /// Entries of the table that says where to begin looking for a row: small enough to stay in the cache.
    private static final int GUESS_COUNT_MAX = 1024;

    /// As many as one call of a loop takes.
    private static final long COUNT_MAX = 1 << 30;

    private static MethodHandle locateOne = SeparatelyCompiled.of(
            MethodHandles.lookup(),
            "locateOne",
            MethodType.methodType(long.class, long.class, int.class, long.class, long.class, long.class));

    private static MethodHandle locateMany = SeparatelyCompiled.of(
            MethodHandles.lookup(),
            "locateMany",
            MethodType.methodType(boolean.class, long.class, int.class, RowPlaces.class));

    /// Where the bytes of [#touch] go, so that the compiler has to read them.
    private static byte touched;

    private final long rowSize;
    /// The first row of each run, and behind them the number of all rows.
    private final long[] starts;
    /// Where row 0 would be if a run reached back to it.
    private final long[] origins;
    /// The run that holds the first row of each of so many equal parts.
    private final int[] guesses;

    private final int guessShift;

    /// @param starts    the first row of each run, and behind them the number of all rows
    /// @param addresses of the first row of each run, or zeros when only numbers are asked for
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

    /// Rows of all runs.
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

    /// Where a row is in memory.
    public long address(long rowIndex) {
        return origins[runOf(rowIndex)] + rowIndex * rowSize;
    }

    /// The last of some runs that begins at a row or before. Runs without rows are passed over.
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

    /// Whether there are rows of all these indices, from one to before another.
    public boolean hasAll(MemorySegment indices, long from, long to) {
        long bad = 0;
        long last = count() - 1;
        for (long i = from; i < to; i++) {
            long index = indices.getAtIndex(U64, i);
            bad |= index | (last - index);
        }
        return bad >= 0;
    }

    /// Checks row indices, from one to before another, and overwrites each index by the address of its row.
    ///
    /// The memory holds indices before the call and addresses after it. Writing the addresses to other memory
    /// would cost a gather as much as the check itself: the loop is limited by memory traffic.
    ///
    /// Where there is one run, the last of these rows is touched: a file is shortened from its end, so that if
    /// that row is there, all others are (see [RowCopy]).
    ///
    /// @param indices private memory of the caller outside the heap, so that nobody changes an index once it was
    ///                checked
    /// @return false when an index has no row; what is written then is of no use
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

    /// @return whether there is such a row
    private boolean touch(long highest) {
        if (highest >= 0 && rowSize > 0) {
            touched = ALL.get(U8, origins[0] + highest * rowSize + rowSize - 1);
            Faults.settle();
        }
        return highest >= 0;
    }

    /// No branch, so that the loop compiles to vectors: the sign of a bad index, or of what it has too much, is
    /// kept.
    ///
    /// @return the highest index, or a negative number when one is bad
    private static long locateOne(long at, int count, long rowCount, long origin, long rowSize) {
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
