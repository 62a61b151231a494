// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

/// The number of a type of real numbers that is nearest to a double, ties to even.
public final class Rounding {
    private Rounding() {}

    /// The nearest number of a type; infinite where the type has no such large ones.
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

    /// The float on either side of a double that has an odd last bit, or the double if it is a float. Rounding
    /// the nearest float once more would come out wrong where that is a tie and the double was none.
    private static float toOdd(double value) {
        float nearest = (float) value;
        boolean isEven = (Float.floatToRawIntBits(nearest) & 1) == 0;
        if (nearest == value || Double.isNaN(value) || !isEven) {
            return nearest;
        }
        return value > nearest ? Math.nextUp(nearest) : Math.nextDown(nearest);
    }
}
