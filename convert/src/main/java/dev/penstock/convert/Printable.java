// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import java.util.Locale;

/// Makes text of other programs safe to show.
public final class Printable {
    private Printable() {}

    /// Replaces control characters by escapes, so that they do not reach a terminal.
    public static String of(String text) {
        StringBuilder shown = new StringBuilder();
        text.codePoints().forEach(c -> {
            if (Character.isISOControl(c) || Character.getType(c) == Character.FORMAT) {
                shown.append(String.format(Locale.ROOT, "\\u%04x", c));
            } else {
                shown.appendCodePoint(c);
            }
        });
        return shown.toString();
    }
}
