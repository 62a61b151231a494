// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

/// Rounds a double to the nearest number of a floating-point type, ties to even.
public final class Rounding {
    private Rounding() {}

    /// Rounds to the nearest number of the type, or to infinity when the value is too large for it.
    public static double toType(ElementType type, double value) {
        return switch (type) {
            case F16 -> Float.float16ToFloat(Float.floatToFloat16(toOdd(value)));
            case BF16 -> toBrain(toOdd(value));
            case F32 -> (float) value;
            default -> value;
        };
    }

    private static float toBrain(float value) {
        int bits = Float.floatToRawIntBits(value);
        int half = 0x7fff + (bits >>> 16 & 1);
        return Float.isNaN(value) ? value : Float.intBitsToFloat(bits + half & 0xffff_0000);
    }

    /// Rounds to odd: returns the double if it is a float, otherwise the neighbouring float whose last bit is odd.
    /// A second rounding of this float then gives the right result. Rounding to the nearest float first could
    /// create a tie that the double did not have.
    private static float toOdd(double value) {
        float nearest = (float) value;
        boolean isEven = (Float.floatToRawIntBits(nearest) & 1) == 0;
        if (nearest == value || Double.isNaN(value) || !isEven) {
            return nearest;
        }
        return value > nearest ? Math.nextUp(nearest) : Math.nextDown(nearest);
    }
}
