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

    /// The call of Python that opens a dataset or a view of it.
    static String open(Shelf.Entry entry) {
        String path = python(entry.location().toString());
        return switch (entry.view()) {
            case null -> "penstock.open(" + path + ")";
            case Views.GROUPS -> "penstock.open(" + path + ")  # ds.groups has the attributes";
            case String view
            when entry.format().equals("store") -> "penstock.open(" + path + ", snapshot=" + python(view) + ")";
            case String view -> "penstock.open(" + path + ")  # the stored bytes; the commands show " + view;
        };
    }
}
