// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import java.util.List;

/// One of the four moves. The order is that of branch values, legality bits and stored move numbers.
public enum Move {
    UP,
    DOWN,
    LEFT,
    RIGHT;

    /// The number of moves.
    public static final int COUNT = 4;

    private static final List<Move> ALL = List.of(values());

    /// Returns the move with a stored number.
    ///
    /// @throws IndexOutOfBoundsException when the number is not 0 to 3
    public static Move of(int code) {
        return ALL.get(code);
    }

    /// Returns the stored number: 0 up, 1 down, 2 left, 3 right.
    public int code() {
        return ordinal();
    }

    /// Returns the bit of this move in a set of legality bits: 1, 2, 4 or 8.
    public int bit() {
        return 1 << ordinal();
    }
}
