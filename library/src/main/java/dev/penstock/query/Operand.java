// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/// One side of a comparison.
sealed interface Operand permits Place, Operand.Number, Operand.Text {
    /// A number literal, with the values that each kind of field is compared with.
    ///
    /// @param value   the nearest double
    /// @param floor   the largest integer that is not greater, null for NaN; infinity and numbers of more than
    ///                `DIGITS_MAX` digits are replaced by a number outside the range of every type
    /// @param ceiling the smallest integer that is not less, likewise
    record Number(double value, BigInteger floor, BigInteger ceiling) implements Operand {
        /// More digits than any 64-bit number has.
        private static final int DIGITS_MAX = 25;

        private static final BigInteger OUTSIDE = BigInteger.TEN.pow(DIGITS_MAX);

        static Number of(boolean value) {
            return of(value ? "1" : "0");
        }

        /// Creates a literal for NaN or an infinity.
        static Number of(double value) {
            BigInteger outside = Double.isNaN(value) ? null : value > 0 ? OUTSIDE : OUTSIDE.negate();
            return new Number(value, outside, outside);
        }

        /// Parses decimal digits, optionally with a sign, a fraction and an exponent.
        static Number of(String text) {
            BigDecimal exact = new BigDecimal(text);
            return new Number(
                    Double.parseDouble(text), round(exact, RoundingMode.FLOOR), round(exact, RoundingMode.CEILING));
        }

        /// Checks the number of digits first, because expanding a huge exponent would take too long.
        private static BigInteger round(BigDecimal exact, RoundingMode mode) {
            long digits = (long) exact.precision() - exact.scale();
            if (exact.signum() == 0) {
                return BigInteger.ZERO;
            }
            if (digits > DIGITS_MAX) {
                return exact.signum() > 0 ? OUTSIDE : OUTSIDE.negate();
            }
            if (digits <= 0) {
                boolean isAway = exact.signum() < 0 == (mode == RoundingMode.FLOOR);
                return isAway ? BigInteger.valueOf(exact.signum()) : BigInteger.ZERO;
            }
            return exact.setScale(0, mode).toBigInteger();
        }

        boolean isNan() {
            return floor == null;
        }

        boolean isWhole() {
            return !isNan() && floor.equals(ceiling);
        }
    }

    /// A text literal.
    record Text(String value) implements Operand {}
}
