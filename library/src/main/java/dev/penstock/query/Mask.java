// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import dev.penstock.file.Layouts;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/// One bit for each row of a batch: whether the row matches.
///
/// **Threads.** One thread at a time.
public final class Mask {
    static final int WORD_BITS = 64;

    private final long rowCount;
    private final long[] words;

    Mask(long rowCount) {
        this.rowCount = rowCount;
        this.words = new long[Math.toIntExact((rowCount + WORD_BITS - 1) / WORD_BITS)];
    }

    /// The number of rows, matching or not.
    public long rowCount() {
        return rowCount;
    }

    /// Whether a row matches.
    public boolean get(long rowIndex) {
        Objects.checkIndex(rowIndex, rowCount);
        return (words[(int) (rowIndex / WORD_BITS)] >>> rowIndex & 1) != 0;
    }

    /// The number of matching rows.
    public long count() {
        long count = 0;
        for (long word : words) {
            count += Long.bitCount(word);
        }
        return count;
    }

    /// The matching rows in ascending order, with `start` added to each.
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

    /// Sets 64 rows, beginning at a multiple of 64.
    void setWord(long rowIndex, long word) {
        words[(int) (rowIndex / WORD_BITS)] = word;
    }

    /// Decodes some rows of a block.
    interface Decoder {
        void decode(long rowIndex, int rowCount);
    }

    /// Tests up to 64 rows of the decoded block and returns one bit for each.
    interface Tester {
        long word(int start, int limit);
    }

    /// Sets all rows, which are decoded in blocks of [Values#BLOCK] and tested 64 at a time.
    void setBlocks(Decoder decoder, Tester tester) {
        for (long row = 0; row < rowCount; row += Values.BLOCK) {
            int count = (int) Math.min(Values.BLOCK, rowCount - row);
            decoder.decode(row, count);
            for (int start = 0; start < count; start += WORD_BITS) {
                setWord(row + start, tester.word(start, Math.min(start + WORD_BITS, count)));
            }
        }
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

    /// Bits after the last row must stay 0, because they would be counted.
    private void clearTail() {
        if (rowCount % WORD_BITS != 0) {
            words[words.length - 1] &= -1L >>> -rowCount;
        }
    }
}
