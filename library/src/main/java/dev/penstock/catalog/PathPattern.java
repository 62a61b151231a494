// SPDX-License-Identifier: Apache-2.0
package dev.penstock.catalog;

import dev.penstock.file.Disk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.PatternSyntaxException;

/// A path with wildcards that matches several paths, as in `stores/day-*`.
///
/// `*` matches any characters of one name, `?` one character, and `[a-c]` one of several. Names that begin with a
/// dot match only a pattern that begins with a dot.
final class PathPattern {
    private PathPattern() {}

    /// Whether a path has wildcards.
    static boolean isPattern(Path path) {
        return isPattern(path.toString());
    }

    private static boolean isPattern(String text) {
        return text.chars().anyMatch(character -> character == '*' || character == '?' || character == '[');
    }

    /// The matching paths, in the order of the UTF-8 bytes of their names; at least one.
    ///
    /// @throws NoSuchFileException      when nothing matches
    /// @throws IllegalArgumentException when the pattern is invalid
    static List<Path> expand(Disk disk, Path pattern) throws IOException {
        List<Path> found = new ArrayList<>();
        found.add(pattern.isAbsolute() ? pattern.getRoot() : Path.of(""));
        for (Path name : pattern) {
            List<Path> next = new ArrayList<>();
            for (Path folder : found) {
                addMatches(disk, folder, name.toString(), next);
            }
            found = next;
        }
        if (found.isEmpty()) {
            throw new NoSuchFileException(pattern.toString(), null, "no file or folder matches this pattern");
        }
        found.sort((one, other) -> Arrays.compareUnsigned(bytes(one), bytes(other)));
        return found;
    }

    private static byte[] bytes(Path path) {
        return path.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void addMatches(Disk disk, Path folder, String name, List<Path> matches) throws IOException {
        if (!isPattern(name)) {
            if (disk.exists(folder.resolve(name))) {
                matches.add(folder.resolve(name));
            }
            return;
        }
        if (!disk.isDirectory(folder)) {
            return;
        }
        PathMatcher matcher = matcher(name);
        for (Path file : disk.list(folder)) {
            String found = file.getFileName().toString();
            boolean isHidden = found.startsWith(".") && !name.startsWith(".");
            if (!isHidden && matcher.matches(file.getFileName())) {
                matches.add(folder.resolve(found));
            }
        }
    }

    private static PathMatcher matcher(String name) {
        // Braces and backslashes have a special meaning in Java's patterns but not in a shell's.
        String glob = name.replaceAll("[\\\\{}]", "\\\\$0");
        try {
            return FileSystems.getDefault().getPathMatcher("glob:" + glob);
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException("'" + name + "' is not a valid pattern: " + e.getDescription(), e);
        }
    }
}
