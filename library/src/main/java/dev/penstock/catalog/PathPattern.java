// SPDX-License-Identifier: Apache-2.0
package dev.penstock.catalog;

import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import dev.penstock.file.Storage;
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

/// A location with wildcards that matches several, as in `stores/day-*`.
///
/// `*` matches any characters of one name, `?` one character, and `[a-c]` one of several. Names that begin with a
/// dot match only a pattern that begins with a dot.
final class PathPattern {
    private PathPattern() {}

    /// Whether a location has wildcards.
    static boolean isPattern(Location location) {
        return isPattern(
                location.isLocal() ? location.toString() : location.uri().getPath());
    }

    private static boolean isPattern(String text) {
        return text.chars().anyMatch(character -> character == '*' || character == '?' || character == '[');
    }

    /// The matching locations, in the order of the UTF-8 bytes of their names; at least one.
    ///
    /// @throws NoSuchFileException      when nothing matches
    /// @throws IllegalArgumentException when the pattern is invalid
    static List<Location> expand(ReaderOptions options, Location pattern) throws IOException {
        Storage storage = options.storageOf(pattern);
        List<Location> found = new ArrayList<>(List.of(pattern.isLocal() ? root(pattern.path()) : plainStart(pattern)));
        for (String name : names(pattern)) {
            List<Location> next = new ArrayList<>();
            for (Location folder : found) {
                addMatches(storage, folder, name, next);
            }
            found = next;
        }
        if (found.isEmpty()) {
            throw new NoSuchFileException(pattern.toString(), null, "no file or folder matches this pattern");
        }
        found.sort((one, other) -> Arrays.compareUnsigned(bytes(one), bytes(other)));
        return found;
    }

    private static Location root(Path pattern) {
        return Location.of(pattern.isAbsolute() ? pattern.getRoot() : Path.of(""));
    }

    /// The last folder of a remote pattern before its first wildcard. Each folder above costs a request.
    private static Location plainStart(Location pattern) {
        Location folder = pattern;
        while (isPattern(folder)) {
            folder = folder.parent();
        }
        return folder;
    }

    /// The names that lead from the start to the pattern.
    private static List<String> names(Location pattern) {
        List<String> names = new ArrayList<>();
        if (pattern.isLocal()) {
            pattern.path().forEach(name -> names.add(name.toString()));
            return names;
        }
        for (Location part = pattern; isPattern(part); part = part.parent()) {
            names.addFirst(part.name());
        }
        return names;
    }

    private static byte[] bytes(Location location) {
        return location.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void addMatches(Storage storage, Location folder, String name, List<Location> matches)
            throws IOException {
        if (!isPattern(name)) {
            if (storage.exists(folder.resolve(name))) {
                matches.add(folder.resolve(name));
            }
            return;
        }
        PathMatcher matcher = matcher(name);
        for (Location file : storage.list(folder)) {
            boolean isHidden = file.name().startsWith(".") && !name.startsWith(".");
            if (!isHidden && matcher.matches(Path.of(file.name()))) {
                matches.add(folder.resolve(file.name()));
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
