// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static dev.penstock.file.Layouts.WORDS;

import dev.penstock.Reason;

/// The bytes that lead to the children of a branch: a list in ascending order, or a mask of 256 bits.
///
/// Eight bytes of a list are processed together. A byte is marked by its high bit.
final class ChildList {
    private static final long HIGH = 0x8080_8080_8080_8080L;
    private static final long ONES = 0x0101_0101_0101_0101L;

    private ChildList() {}

    /// The rank of a byte in a list, or -1 when the list does not have it.
    static int rankInList(TreeBytes bytes, long list, int count, int wanted) {
        long pattern = wanted * ONES;
        if (count <= Long.BYTES) {
            return rankInWord(bytes, list, bytes.word(list), count, pattern);
        }
        int smaller = 0;
        int rank = -1;
        for (int i = 0; i < count; i += Long.BYTES) {
            long word = bytes.word(list + i);
            int here = rankInWord(bytes, list + i, word, count - i, pattern);
            rank = here >= 0 ? smaller + here : rank;
            smaller += Long.bitCount(lessThan(word, pattern) & HIGH & firstBytes(count - i));
        }
        return rank;
    }

    /// The rank of a byte among the next eight of a list.
    private static int rankInWord(TreeBytes bytes, long list, long word, int left, long pattern) {
        requireAscending(bytes, list, word, left);
        long valid = HIGH & firstBytes(left);
        long difference = word ^ pattern;
        long equal = ~(((difference & ~HIGH) + ~HIGH) | difference) & valid;
        // In a sorted list all bytes before the equal one are smaller.
        return equal == 0 ? -1 : Long.bitCount(lessThan(word, pattern) & valid);
    }

    static void requireAscending(TreeBytes bytes, long list, int count) {
        for (int i = 0; i < count; i += Long.BYTES) {
            requireAscending(bytes, list + i, bytes.word(list + i), count - i);
        }
    }

    /// Requires that each of the next eight bytes of a list is smaller than its successor.
    private static void requireAscending(TreeBytes bytes, long list, long word, int left) {
        long pairs = HIGH & firstBytes(left - 1);
        long successors = left <= Long.BYTES ? word >>> 8 : bytes.word(list + 1);
        if ((lessThan(word, successors) & pairs) != pairs) {
            bytes.deviate(list, Reason.UNSORTED, "the bytes of a branch are not in ascending order");
        }
    }

    private static long firstBytes(int count) {
        return count >= Long.BYTES ? -1 : ~(-1L << (8 * count));
    }

    /// Marks the bytes that are smaller than their counterparts, as unsigned numbers.
    private static long lessThan(long a, long b) {
        long greaterOrEqual = (a & ~b) | (~(a ^ b) & ((a | HIGH) - (b & ~HIGH)));
        return ~greaterOrEqual & HIGH;
    }

    /// The number of children in a mask.
    static int maskCount(TreeBytes bytes, long mask) {
        int count = smallerInMask(bytes, mask, 256);
        if (count < TreeFormat.MASK_COUNT) {
            bytes.deviate(mask, Reason.NOT_CANONICAL, "a mask has fewer than 32 children");
        }
        return count;
    }

    /// The rank of a byte in a mask, or -1 when its bit is not set.
    static int rankInMask(TreeBytes bytes, long mask, int wanted) {
        boolean isSet = (bytes.u64(mask + 8L * (wanted >>> 6)) >>> wanted & 1) != 0;
        return isSet ? smallerInMask(bytes, mask, wanted) : -1;
    }

    /// The number of set bits of a mask below a limit.
    static int smallerInMask(TreeBytes bytes, long mask, int limit) {
        int count = 0;
        for (int start = 0; start < limit; start += Long.SIZE) {
            long kept = limit - start >= Long.SIZE ? -1 : ~(-1L << limit);
            count += Long.bitCount(bytes.u64(mask + start / 8) & kept);
        }
        return count;
    }

    /// Copies bytes that lead to neighbouring children.
    ///
    /// @param first  the rank of the first child in a list; for a mask, the smallest byte that it can have
    /// @param target has space for `count` bytes, rounded up to a multiple of eight
    static void copy(TreeBytes bytes, long list, boolean isMask, int first, int count, byte[] target) {
        if (!isMask) {
            for (int i = 0; i < count; i += Long.BYTES) {
                WORDS.set(target, i, bytes.word(list + first + i));
            }
            return;
        }
        int wordIndex = first >>> 6;
        long word = bytes.u64(list + 8L * wordIndex) & -1L << first;
        for (int i = 0; i < count; i++) {
            while (word == 0) {
                wordIndex++;
                word = bytes.u64(list + 8L * wordIndex);
            }
            target[i] = (byte) (wordIndex << 6 | Long.numberOfTrailingZeros(word));
            word &= word - 1;
        }
    }

    /// The first set bit of a mask at or after a position, or 256.
    static int nextInMask(TreeBytes bytes, long mask, int from) {
        long kept = -1L << from;
        for (int wordIndex = from >>> 6; wordIndex < 4; wordIndex++) {
            long word = bytes.u64(mask + 8L * wordIndex) & kept;
            if (word != 0) {
                return wordIndex * Long.SIZE + Long.numberOfTrailingZeros(word);
            }
            kept = -1;
        }
        return 256;
    }
}
