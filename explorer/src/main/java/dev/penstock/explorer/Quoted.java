// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import java.util.regex.Pattern;

/// Texts in the commands and the Python that a page shows.
final class Quoted {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:@%+=,-]+");

    private Quoted() {}

    /// Quotes a word for a shell.
    static String shell(String text) {
        return PLAIN.matcher(text).matches() ? text : "'" + text.replace("'", "'\\''") + "'";
    }

    /// A literal of Python.
    static String python(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
    }
}
