// SPDX-License-Identifier: Apache-2.0
package dev.penstock.query;

import java.util.Arrays;

/// How a text is searched for in the values of a field.
enum TextSearch {
    CONTAINS("contains"),
    STARTS_WITH("startswith"),
    ENDS_WITH("endswith");

    private final String word;

    TextSearch(String word) {
        this.word = word;
    }

    /// The search with a word, or null when there is none.
    static TextSearch of(String word) {
        return Arrays.stream(values())
                .filter(search -> search.word.equals(word))
                .findFirst()
                .orElse(null);
    }

    boolean finds(TextValue text, TextValue in) {
        return switch (this) {
            case CONTAINS -> in.contains(text);
            case STARTS_WITH -> in.hasAt(0, text);
            case ENDS_WITH -> in.hasAt(in.size() - text.size(), text);
        };
    }

    @Override
    public String toString() {
        return word;
    }
}
