// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

/// Random numbers as a function of a key and a counter: reproducible, and available in any order.
///
/// The function is the finaliser of SplitMix64, in which every output bit depends on every input bit.
final class Mix {
    private static final long STEP = 0x9E3779B97F4A7C15L;

    private Mix() {}

    /// The number at a position of a sequence.
    static long at(long key, long counter) {
        return finish(key + finish(counter + STEP) * STEP);
    }

    private static long finish(long value) {
        long z = (value ^ value >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }

    /// A uniformly distributed number below a bound, at a position of a sequence.
    static long below(long bound, long key, long counter) {
        long word = at(key, counter);
        // The first few of the 2^64 words are rejected, so that every number is equally likely.
        long rejectedBelow = Long.remainderUnsigned(-bound, bound);
        long attemptKey = key;
        while (word * bound >= 0 && word * bound < rejectedBelow) {
            attemptKey = at(attemptKey, ~counter);
            word = at(attemptKey, counter);
        }
        return Math.unsignedMultiplyHigh(word, bound);
    }

    /// A number in [0, 1), at a position of a sequence.
    static double unit(long key, long counter) {
        return (at(key, counter) >>> 11) * 0x1p-53;
    }
}
