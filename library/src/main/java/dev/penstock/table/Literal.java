// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import java.util.List;
import java.util.Map;

/// A Python literal of one of the kinds that occur in a NumPy header.
sealed interface Literal {
    /// `'text'`.
    record Text(String value) implements Literal {}

    /// `123`.
    record Number(long value) implements Literal {}

    /// `True` or `False`.
    record Flag(boolean value) implements Literal {}

    /// `(a, b)`, or `[a, b]` when it is not a tuple.
    record Items(List<Literal> values, boolean isTuple) implements Literal {}

    /// `{'key': value}`.
    record Dictionary(Map<String, Literal> values) implements Literal {}

    /// The largest number of characters of a text that a message shows.
    int SHOWN_SIZE_MAX = 100;

    /// Shortens a text from a file for a message.
    static String shown(String text) {
        return text.length() <= SHOWN_SIZE_MAX ? text : text.substring(0, SHOWN_SIZE_MAX) + "...";
    }

    /// Quotes a text as Python's `repr` does.
    static String quote(String text) {
        char quote = text.indexOf('\'') >= 0 && text.indexOf('"') < 0 ? '"' : '\'';
        StringBuilder quoted = new StringBuilder().append(quote);
        text.codePoints().forEach(c -> {
            if (c == quote || c == '\\') {
                quoted.append('\\').appendCodePoint(c);
            } else if (c == '\n') {
                quoted.append("\\n");
            } else if (c == '\r') {
                quoted.append("\\r");
            } else if (c == '\t') {
                quoted.append("\\t");
            } else if (isPrintable(c)) {
                quoted.appendCodePoint(c);
            } else {
                quoted.append(String.format(c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", c));
            }
        });
        return quoted.append(quote).toString();
    }

    /// Writes numbers as a Python tuple: `()`, `(3,)`, `(3, 4)`.
    static String tuple(List<Long> numbers) {
        if (numbers.size() == 1) {
            return "(" + numbers.getFirst() + ",)";
        }
        StringBuilder text = new StringBuilder("(");
        for (int i = 0; i < numbers.size(); i++) {
            text.append(i == 0 ? "" : ", ").append(numbers.get(i));
        }
        return text.append(')').toString();
    }

    private static boolean isPrintable(int codePoint) {
        if (codePoint == ' ') {
            return true;
        }
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SPACE_SEPARATOR -> false;
            default -> true;
        };
    }
}
