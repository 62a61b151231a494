// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import java.math.BigDecimal;
import java.math.RoundingMode;

/// Formats numbers as the original program does in JSON and on the command line.
public final class NumberText {
    private static final float PLAIN_MIN = 0.001f;
    private static final int FLOAT_POINT_MIN = -6;
    private static final int FLOAT_POINT_MAX = 13;
    private static final int DOUBLE_POINT_MIN = -5;
    private static final int DOUBLE_POINT_MAX = 16;
    private static final int FIXED_DIGITS = 3;

    private NumberText() {}

    /// Returns the shortest text that is read back as the same 32-bit float, or `null` for NaN and infinities.
    public static String json(float value) {
        if (value >= PLAIN_MIN && value < 1) {
            // Java's own text is the same in this range, which has most branch values.
            return Float.toString(value);
        }
        if (!Float.isFinite(value)) {
            return "null";
        }
        return text(
                shortest(Float.toString(Math.abs(value)), value),
                value < 0 || 1 / value < 0,
                FLOAT_POINT_MIN,
                FLOAT_POINT_MAX);
    }

    /// Returns the shortest text that is read back as the same 64-bit float, or `null` for NaN and infinities.
    public static String json(double value) {
        if (!Double.isFinite(value)) {
            return "null";
        }
        return text(
                shortest(Double.toString(Math.abs(value)), value),
                value < 0 || 1 / value < 0,
                DOUBLE_POINT_MIN,
                DOUBLE_POINT_MAX);
    }

    /// Returns the number with three decimals, rounded half to even from the exact value.
    public static String fixed3(double value) {
        if (!Double.isFinite(value)) {
            return Double.isNaN(value) ? "NaN" : value > 0 ? "inf" : "-inf";
        }
        String text = new BigDecimal(value)
                .setScale(FIXED_DIGITS, RoundingMode.HALF_EVEN)
                .toPlainString();
        boolean isNegative = value < 0 || 1 / value < 0;
        return isNegative && !text.startsWith("-") ? "-" + text : text;
    }

    /// Digits and the position of the point: `0.digits * 10^point`.
    private record Decimal(String digits, int point) {}

    /// Java prints at least two digits, even if one is enough.
    private static Decimal shortest(String text, float value) {
        Decimal decimal = decimal(text);
        if (decimal.digits().length() == 2) {
            float wanted = Math.abs(value);
            Decimal shorter = shorter(decimal, wanted, candidate -> Float.parseFloat(candidate) == wanted);
            return shorter == null ? decimal : shorter;
        }
        return decimal;
    }

    private static Decimal shortest(String text, double value) {
        Decimal decimal = decimal(text);
        if (decimal.digits().length() == 2) {
            double wanted = Math.abs(value);
            Decimal shorter = shorter(decimal, wanted, candidate -> Double.parseDouble(candidate) == wanted);
            return shorter == null ? decimal : shorter;
        }
        return decimal;
    }

    private interface Match {
        boolean isSame(String candidate);
    }

    /// The nearer of the two one-digit numbers around a two-digit number, if it is read back as the same float.
    private static Decimal shorter(Decimal decimal, double value, Match match) {
        int tens = decimal.digits().charAt(0) - '0';
        Decimal best = null;
        BigDecimal exact = new BigDecimal(value);
        for (int digit = tens; digit <= tens + 1; digit++) {
            Decimal candidate =
                    digit == 10 ? new Decimal("1", decimal.point() + 1) : new Decimal("" + digit, decimal.point());
            if (digit > 0
                    && match.isSame(plain(candidate))
                    && (best == null || distance(candidate, exact).compareTo(distance(best, exact)) < 0)) {
                best = candidate;
            }
        }
        return best;
    }

    private static BigDecimal distance(Decimal decimal, BigDecimal exact) {
        return new BigDecimal(plain(decimal)).subtract(exact).abs();
    }

    private static String plain(Decimal decimal) {
        return "0." + decimal.digits() + "E" + decimal.point();
    }

    private static Decimal decimal(String text) {
        int exponentAt = text.indexOf('E');
        int exponent = exponentAt < 0 ? 0 : Integer.parseInt(text.substring(exponentAt + 1));
        String mantissa = exponentAt < 0 ? text : text.substring(0, exponentAt);
        int pointAt = mantissa.indexOf('.');
        String digits = mantissa.substring(0, pointAt) + mantissa.substring(pointAt + 1);
        int start = 0;
        while (start < digits.length() - 1 && digits.charAt(start) == '0') {
            start++;
        }
        int limit = digits.length();
        while (limit > start + 1 && digits.charAt(limit - 1) == '0') {
            limit--;
        }
        return new Decimal(digits.substring(start, limit), pointAt - start + exponent);
    }

    private static String text(Decimal decimal, boolean isNegative, int pointMin, int pointMax) {
        String digits = decimal.digits();
        int point = decimal.point();
        String sign = isNegative ? "-" : "";
        if (digits.equals("0")) {
            return sign + "0.0";
        }
        if (point > pointMin && point <= 0) {
            return sign + "0." + "0".repeat(-point) + digits;
        }
        if (point > 0 && point <= pointMax) {
            return point >= digits.length()
                    ? sign + digits + "0".repeat(point - digits.length()) + ".0"
                    : sign + digits.substring(0, point) + "." + digits.substring(point);
        }
        String fraction = digits.length() == 1 ? "" : "." + digits.substring(1);
        return sign + digits.charAt(0) + fraction + "e" + (point - 1);
    }
}
