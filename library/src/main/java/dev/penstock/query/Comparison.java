// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import java.util.Arrays;

/// The six comparisons, each as the orders of its two sides that it accepts.
enum Comparison {
    EQUAL("==", 0b0010),
    UNEQUAL("!=", 0b1101),
    LESS("<", 0b0001),
    AT_MOST("<=", 0b0011),
    GREATER(">", 0b0100),
    AT_LEAST(">=", 0b0110);

    /// The order of two numbers one of which is NaN; the others are -1, 0 and 1.
    static final int UNORDERED = 2;

    private final String symbol;
    private final int accepted;

    Comparison(String symbol, int accepted) {
        this.symbol = symbol;
        this.accepted = accepted;
    }

    /// The one of a symbol, or null.
    static Comparison of(String symbol) {
        return Arrays.stream(values())
                .filter(comparison -> comparison.symbol.equals(symbol))
                .findFirst()
                .orElse(null);
    }

    boolean accepts(int order) {
        return (accepted >>> order + 1 & 1) != 0;
    }

    /// The same with the sides exchanged.
    Comparison mirrored() {
        return switch (this) {
            case EQUAL, UNEQUAL -> this;
            case LESS -> GREATER;
            case AT_MOST -> AT_LEAST;
            case GREATER -> LESS;
            case AT_LEAST -> AT_MOST;
        };
    }
}
