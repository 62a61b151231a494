// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.file.Layouts.U64;

import java.lang.foreign.MemorySegment;

/// A permutation of the numbers below a count, chosen by a key. It is computed and needs no table.
///
/// A number is written as two digits with the bases `left` and `right`: the square root of the count rounded up,
/// and the smallest base that is then sufficient. In each round a hash of one digit is added to the other (a
/// Feistel network), which is invertible. A result that is not below the count is permuted again (cycle walking).
/// Because the two bases fit the count closely, that happens for only one number in about the square root of the
/// count.
///
/// **Threads.** Safe for any number of threads.
final class Bijection {
    /// The largest count whose square root still fits the arithmetic.
    static final long COUNT_MAX = 1L << 62;

    /// Enough rounds that no test of [Sampler] quality distinguishes large permutations from a full shuffle. Small
    /// ones, whose digits have little to hash, take more rounds.
    private static final int ROUND_COUNT = 8;

    private static final int SMALL_ROUND_COUNT = 16;
    private static final long SMALL_COUNT = 1 << 16;

    /// Small enough that the digits stay in the CPU cache, and large enough for vectorised loops.
    private static final int CHUNK = 512;

    private static final ThreadLocal<int[][]> SCRATCH = ThreadLocal.withInitial(() -> new int[3][CHUNK]);

    private final long count;
    private final long left;
    private final long right;
    private final int[] keys;

    Bijection(long count, long key) {
        if (count < 0 || count > COUNT_MAX) {
            throw new IllegalArgumentException("cannot permute " + count + " numbers: the limit is 2^62");
        }
        this.count = count;
        this.left = Math.max(1, rootAbove(count));
        this.right = Math.max(1, Math.ceilDiv(count, left));
        this.keys = new int[2 * (count <= SMALL_COUNT ? SMALL_ROUND_COUNT : ROUND_COUNT)];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = (int) (Mix.at(key, i) >>> 32);
        }
    }

    private static long rootAbove(long count) {
        long root = (long) Math.sqrt((double) count);
        while (root * root < count) {
            root++;
        }
        return root;
    }

    /// The position that a number is mapped to.
    long forward(long number) {
        long result = number;
        do {
            result = forwardOnce(result);
        } while (result >= count);
        return result;
    }

    private long forwardOnce(long number) {
        long l = number / right;
        long r = number % right;
        for (int i = 0; i < keys.length; i += 4) {
            l = add(l, hash((int) r, keys[i], keys[i + 1]), left);
            r = add(r, hash((int) l, keys[i + 2], keys[i + 3]), right);
        }
        return l * right + r;
    }

    /// The number that is mapped to a position.
    long inverse(long number) {
        long result = number;
        do {
            result = inverseOnce(result);
        } while (result >= count);
        return result;
    }

    private long inverseOnce(long number) {
        long l = number / right;
        long r = number % right;
        for (int i = keys.length - 4; i >= 0; i -= 4) {
            r = subtract(r, hash((int) l, keys[i + 2], keys[i + 3]), right);
            l = subtract(l, hash((int) r, keys[i], keys[i + 1]), left);
        }
        return l * right + r;
    }

    /// The positions that consecutive numbers are mapped to.
    ///
    /// @param target memory for the 64-bit results
    void forward(long first, MemorySegment target) {
        long total = target.byteSize() / U64.byteSize();
        // For larger bases, digits and their sums need more than the 31 bits of the fast loop.
        boolean isSmall = left <= 1 << 30;
        for (long done = 0; done < total; done += CHUNK) {
            int chunkCount = (int) Math.min(CHUNK, total - done);
            if (isSmall) {
                forwardChunk(first + done, chunkCount, target, done);
            } else {
                for (int i = 0; i < chunkCount; i++) {
                    target.setAtIndex(U64, done + i, forward(first + done + i));
                }
            }
        }
    }

    private void forwardChunk(long first, int chunkCount, MemorySegment target, long done) {
        int[][] scratch = SCRATCH.get();
        int[] l = scratch[0];
        int[] r = scratch[1];
        int[] hashes = scratch[2];
        splitConsecutive(first, chunkCount, l, r);
        for (int i = 0; i < keys.length; i += 4) {
            hash(r, hashes, chunkCount, keys[i], keys[i + 1]);
            add(l, hashes, chunkCount, (int) left);
            hash(l, hashes, chunkCount, keys[i + 2], keys[i + 3]);
            add(r, hashes, chunkCount, (int) right);
        }
        long excess = 0;
        for (int i = 0; i < chunkCount; i++) {
            long result = l[i] * right + r[i];
            target.setAtIndex(U64, done + i, result);
            excess |= count - 1 - result;
        }
        if (excess < 0) {
            walk(target, done, chunkCount);
        }
    }

    /// Permutes results again that are not below the count.
    private void walk(MemorySegment target, long done, int chunkCount) {
        for (long i = done; i < done + chunkCount; i++) {
            long result = target.getAtIndex(U64, i);
            if (result >= count) {
                target.setAtIndex(U64, i, forward(result));
            }
        }
    }

    /// The digits of consecutive numbers, with a single division.
    private void splitConsecutive(long first, int chunkCount, int[] l, int[] r) {
        int high = (int) (first / right);
        int low = (int) (first % right);
        int done = 0;
        while (done < chunkCount) {
            int limit = (int) Math.min(chunkCount, done + right - low);
            for (int i = done; i < limit; i++) {
                l[i] = high;
                r[i] = low + i - done;
            }
            done = limit;
            low = 0;
            high++;
        }
    }

    /// [#hash] of many digits. It is separate from [#add], because the compiler vectorises the two loops but not a
    /// combined one.
    private static void hash(int[] digits, int[] hashes, int chunkCount, int key, int secondKey) {
        for (int i = 0; i < chunkCount; i++) {
            hashes[i] = hash(digits[i], key, secondKey);
        }
    }

    /// [#add] for many digits.
    private static void add(int[] digits, int[] hashes, int chunkCount, int base) {
        for (int i = 0; i < chunkCount; i++) {
            int sum = digits[i] + (int) ((hashes[i] & 0xFFFFFFFFL) * base >>> 32) - base;
            digits[i] = sum + (base & (sum >> 31));
        }
    }

    private static long add(long digit, int hash, long base) {
        long sum = digit + ((hash & 0xFFFFFFFFL) * base >>> 32);
        return sum >= base ? sum - base : sum;
    }

    private static long subtract(long digit, int hash, long base) {
        long difference = digit - ((hash & 0xFFFFFFFFL) * base >>> 32);
        return difference < 0 ? difference + base : difference;
    }

    private static int hash(int digit, int key, int secondKey) {
        int h = (digit ^ key) * 0x85EBCA6B;
        h = (h ^ h >>> 15) * 0xC2B2AE35;
        h = (h ^ h >>> 13) * 0x27D4EB2F + secondKey;
        return h ^ h >>> 16;
    }
}
