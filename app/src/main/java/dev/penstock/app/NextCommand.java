// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Dataset;
import java.nio.file.Path;
import java.util.regex.Pattern;

/// Suggests the most useful command after `info`, as a line that can be copied into a shell.
final class NextCommand {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:@%+=,-]+");

    private NextCommand() {}

    static String after(Dataset dataset, Path path) {
        String name = quoted(path);
        if (dataset.count() == 0) {
            return "next: the dataset has no records; penstock verify " + name + " checks its files";
        }
        return "next: penstock head " + name + " shows records; penstock stats " + name + " summarises the fields";
    }

    /// Quotes a path for a shell.
    static String quoted(Path path) {
        String text = path.toString();
        return PLAIN.matcher(text).matches() ? text : "'" + text.replace("'", "'\\''") + "'";
    }
}
