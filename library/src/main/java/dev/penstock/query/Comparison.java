// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import java.util.Arrays;

/// The six comparisons, each defined by the orderings of its two sides that it accepts.
enum Comparison {
    EQUAL("==", 0b0010),
    UNEQUAL("!=", 0b1101),
    LESS("<", 0b0001),
    AT_MOST("<=", 0b0011),
    GREATER(">", 0b0100),
    AT_LEAST(">=", 0b0110);

    /// The ordering of two numbers when one of them is NaN. The other orderings are -1, 0 and 1.
    static final int UNORDERED = 2;

    private final String symbol;
    private final int accepted;

    Comparison(String symbol, int accepted) {
        this.symbol = symbol;
        this.accepted = accepted;
    }

    /// The comparison with a symbol, or null when there is none.
    static Comparison of(String symbol) {
        return Arrays.stream(values())
                .filter(comparison -> comparison.symbol.equals(symbol))
                .findFirst()
                .orElse(null);
    }

    boolean accepts(int order) {
        return (accepted >>> order + 1 & 1) != 0;
    }

    /// The comparison with left and right side exchanged.
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
