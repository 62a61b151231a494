// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.memory.Layouts;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/// One bit for each row of a batch: whether it matches.
///
/// **Threads.** One at a time.
public final class Mask {
    static final int WORD_BITS = 64;

    private final long rowCount;
    private final long[] words;

    Mask(long rowCount) {
        this.rowCount = rowCount;
        this.words = new long[Math.toIntExact((rowCount + WORD_BITS - 1) / WORD_BITS)];
    }

    /// How many rows there are, matching or not.
    public long rowCount() {
        return rowCount;
    }

    /// Whether a row matches.
    public boolean get(long rowIndex) {
        Objects.checkIndex(rowIndex, rowCount);
        return (words[(int) (rowIndex / WORD_BITS)] >>> rowIndex & 1) != 0;
    }

    /// How many rows match.
    public long count() {
        long count = 0;
        for (long word : words) {
            count += Long.bitCount(word);
        }
        return count;
    }

    /// The matching rows in ascending order, each with a number added.
    public long[] toIndices(long start) {
        long[] indices = new long[Math.toIntExact(count())];
        int filled = 0;
        for (int i = 0; i < words.length; i++) {
            for (long rest = words[i]; rest != 0; rest &= rest - 1) {
                indices[filled++] = start + (long) i * WORD_BITS + Long.numberOfTrailingZeros(rest);
            }
        }
        return indices;
    }

    /// Sets the rows from a multiple of 64 on.
    void setWord(long rowIndex, long word) {
        words[(int) (rowIndex / WORD_BITS)] = word;
    }

    void fill(boolean isMatch) {
        for (int i = 0; i < words.length; i++) {
            words[i] = isMatch ? -1 : 0;
        }
        clearTail();
    }

    void and(Mask other) {
        for (int i = 0; i < words.length; i++) {
            words[i] &= other.words[i];
        }
    }

    void or(Mask other) {
        for (int i = 0; i < words.length; i++) {
            words[i] |= other.words[i];
        }
    }

    void invert() {
        for (int i = 0; i < words.length; i++) {
            words[i] = ~words[i];
        }
        clearTail();
    }

    /// Clears the rows whose byte is not 0.
    void clear(MemorySegment bytes) {
        for (long start = 0; start < rowCount; start += WORD_BITS) {
            long word = 0;
            for (long row = start; row < Math.min(start + WORD_BITS, rowCount); row++) {
                word |= (bytes.get(Layouts.U8, row) != 0 ? 1L : 0L) << row;
            }
            words[(int) (start / WORD_BITS)] &= ~word;
        }
    }

    /// Bits behind the last row stay 0, or they would be counted.
    private void clearTail() {
        if (rowCount % WORD_BITS != 0) {
            words[words.length - 1] &= -1L >>> -rowCount;
        }
    }
}
