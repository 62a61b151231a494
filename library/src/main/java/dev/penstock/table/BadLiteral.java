// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

/// A text is not of the grammar, or does not mean a type.
final class BadLiteral extends Exception {
    private final int position;

    BadLiteral(int position, String what) {
        super(what);
        this.position = position;
    }

    /// Which character of the text it is about.
    int position() {
        return position;
    }
}
