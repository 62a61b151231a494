// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

/// The metadata of a run. The numbers are stored by the recorder and not checked against the steps.
///
/// @param steps        the number of steps, an unsigned 32-bit number
/// @param startUnixS   the start in seconds since 1970, an unsigned 64-bit number; 0 means unknown
/// @param elapsedBits  the bits of the 32-bit float [#elapsedS], which may be a NaN with a payload
/// @param maxScore     the highest score, an unsigned 64-bit number
/// @param highestTile  the highest tile, an unsigned 32-bit number
/// @param engine       the name of the player, or null
public record RunMeta(long steps, long startUnixS, int elapsedBits, long maxScore, long highestTile, String engine) {
    private static final long U32_MAX = 0xFFFF_FFFFL;

    public RunMeta {
        requireU32("steps", steps);
        requireU32("highestTile", highestTile);
    }

    /// Creates metadata with the duration as a number.
    public static RunMeta of(
            long steps, long startUnixS, float elapsedS, long maxScore, long highestTile, String engine) {
        return new RunMeta(steps, startUnixS, Float.floatToRawIntBits(elapsedS), maxScore, highestTile, engine);
    }

    private static void requireU32(String what, long value) {
        if (value < 0 || value > U32_MAX) {
            throw new IllegalArgumentException(what + " must be between 0 and " + U32_MAX + ", got " + value);
        }
    }

    /// Returns the duration in seconds.
    public float elapsedS() {
        return Float.intBitsToFloat(elapsedBits);
    }
}
