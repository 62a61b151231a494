// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

/// Selects the rows of a sample by a hash of their ids.
///
/// The selection needs no state and does not depend on batches or shards. Without a seed, samples are nested: the
/// sample of a smaller fraction is part of that of a larger fraction. Both rules are those of the original
/// program.
public final class RowHash {
    private static final long SALT = 0x5372_4154_1F9E_0B25L;
    private static final double TWO_63 = 0x1p63;

    private RowHash() {}

    /// The SplitMix64 hash of a number.
    public static long splitMix64(long value) {
        long mixed = value + 0x9E37_79B9_7F4A_7C15L;
        mixed = (mixed ^ (mixed >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D0_49BB_1331_11EBL;
        return mixed ^ (mixed >>> 31);
    }

    /// Whether a row is in the nested sample of a fraction.
    public static boolean isInFraction(long rowId, double fraction) {
        return isBelow(splitMix64(rowId), fraction);
    }

    /// Whether a row is in the sample of a fraction for a seed.
    public static boolean isIncluded(long rowId, long seed, double fraction) {
        return isBelow(splitMix64(rowId ^ (seed * SALT) ^ SALT), fraction);
    }

    private static boolean isBelow(long hash, double fraction) {
        if (!(fraction > 0)) {
            return false;
        }
        return fraction >= 1 || Long.compareUnsigned(hash, threshold(fraction)) < 0;
    }

    /// The fraction of 2^64, as an unsigned number.
    static long threshold(double fraction) {
        double scaled = fraction * 0x1p64;
        return scaled < TWO_63 ? (long) scaled : (long) (scaled - TWO_63) ^ Long.MIN_VALUE;
    }
}
