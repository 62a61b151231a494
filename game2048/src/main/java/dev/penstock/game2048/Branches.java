// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import java.util.Arrays;

/// The player's evaluation of the four moves of one step: which are legal, and the value of each legal move.
///
/// @param legalBits legality bits, see [Move#bit]
/// @param valueBits the bits of the four 32-bit values, in the order of [Move]; 0 if a move is illegal
public record Branches(int legalBits, int[] valueBits) {
    /// The value of the best branch: just below 1, with a margin for rounding.
    static final int BEST_BITS = 0x3F7F_FFFE;

    private static final float HALF = 0.5f;
    private static final double EQUAL_BELOW = 0x1p-52;

    public Branches {
        valueBits = valueBits.clone();
    }

    @Override
    public int[] valueBits() {
        return valueBits.clone();
    }

    /// Returns whether a move is legal.
    public boolean isLegal(Move move) {
        return (legalBits & move.bit()) != 0;
    }

    /// Returns the value of a move, 0 when it is illegal.
    public float value(Move move) {
        return Float.intBitsToFloat(valueBits[move.code()]);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Branches branches
                && branches.legalBits == legalBits
                && Arrays.equals(branches.valueBits, valueBits);
    }

    @Override
    public int hashCode() {
        return legalBits * 31 + Arrays.hashCode(valueBits);
    }

    /// Normalises the values of a search as the original program does: the lowest legal value becomes 0, the
    /// highest becomes just below 1.
    ///
    /// @param legalBits the legal moves
    /// @param values    the values of the search for the legal moves
    /// @param target    receives the bits of the four stored values at `offset`
    public static void normalise(int legalBits, double[] values, int[] target, int offset) {
        double min = Double.NaN;
        double max = Double.NaN;
        for (int move = 0; move < Move.COUNT; move++) {
            if ((legalBits >>> move & 1) != 0 && !Double.isNaN(values[move])) {
                min = Double.isNaN(min) ? values[move] : Math.min(min, values[move]);
                max = Double.isNaN(max) ? values[move] : Math.max(max, values[move]);
            }
        }
        boolean isSingle = Integer.bitCount(legalBits) == 1;
        boolean isEqual = Math.abs(max - min) < EQUAL_BELOW;
        for (int move = 0; move < Move.COUNT; move++) {
            int bits = 0;
            if ((legalBits >>> move & 1) != 0) {
                bits = isSingle ? BEST_BITS : stored(values[move], min, max, isEqual);
            }
            target[offset + move] = bits;
        }
    }

    private static int stored(double value, double min, double max, boolean isEqual) {
        float share = isEqual ? HALF : (float) (value - min) / (float) (max - min);
        return share >= 1 ? BEST_BITS : Float.floatToRawIntBits(share);
    }
}
