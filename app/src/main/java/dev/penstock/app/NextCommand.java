// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Dataset;
import dev.penstock.file.Location;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Suggests the most useful command after `info`, as a line that can be copied into a shell.
final class NextCommand {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:@%+=,-]+");

    private NextCommand() {}

    /// @param paths   the paths of the dataset
    /// @param options the options without which it does not open, as a shell takes them, or an empty text
    static String after(Dataset dataset, List<Location> paths, String options) {
        if (dataset.count() == 0) {
            String name = quoted(paths.getFirst()) + options;
            return "next: the dataset has no records; penstock verify " + name + " checks its files";
        }
        String names = paths.stream().map(NextCommand::quoted).collect(Collectors.joining(" ")) + options;
        return "next: penstock head " + names + " shows records; penstock stats " + names + " summarises the fields";
    }

    /// Quotes a path for a shell.
    static String quoted(Location path) {
        return quoted(path.toString());
    }

    /// Quotes a word for a shell.
    static String quoted(String text) {
        return PLAIN.matcher(text).matches() ? text : "'" + text.replace("'", "'\\''") + "'";
    }
}
