// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

/// Random numbers as a function of a key and a counter: the same everywhere, in any order.
///
/// The function is the finaliser of SplitMix64, whose every output bit depends on every input bit.
final class Mix {
    private static final long STEP = 0x9E3779B97F4A7C15L;

    private Mix() {}

    /// The number at a place of a sequence.
    static long at(long key, long counter) {
        return finish(key + finish(counter + STEP) * STEP);
    }

    private static long finish(long value) {
        long z = (value ^ value >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }

    /// A number below a bound, at a place of a sequence, every one as likely as the others.
    static long below(long bound, long key, long counter) {
        long word = at(key, counter);
        // Of the 2^64 words the first few are rejected, so that each number has as many as the others.
        long rejectedBelow = Long.remainderUnsigned(-bound, bound);
        long attemptKey = key;
        while (word * bound >= 0 && word * bound < rejectedBelow) {
            attemptKey = at(attemptKey, ~counter);
            word = at(attemptKey, counter);
        }
        return Math.unsignedMultiplyHigh(word, bound);
    }

    /// A number from 0 to below 1, at a place of a sequence.
    static double unit(long key, long counter) {
        return (at(key, counter) >>> 11) * 0x1p-53;
    }
}
