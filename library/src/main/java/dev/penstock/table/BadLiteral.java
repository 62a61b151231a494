// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

/// A text does not follow the grammar, or does not describe a type.
final class BadLiteral extends Exception {
    private final int position;

    BadLiteral(int position, String what) {
        super(what);
        this.position = position;
    }

    /// The index of the character with the problem.
    int position() {
        return position;
    }
}
