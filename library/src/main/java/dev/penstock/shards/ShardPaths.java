// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.Location;
import dev.penstock.Reason;
import dev.penstock.Verification.Problem;
import dev.penstock.Verification.Severity;
import dev.penstock.memory.Disk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.PatternSyntaxException;

/// The files of a corpus, in the order of its rows.
///
/// @param folder   the folder that was opened, or null when a file, a list or a pattern was
/// @param files    in the order of the rows; may be empty
/// @param problems names that cannot be used
record ShardPaths(Path folder, List<Path> files, List<Problem> problems) {
    /// Orders paths by the UTF-8 bytes of their file names. Java's own order of strings is that of UTF-16, in
    /// which U+1F600 comes before U+FF21.
    private static final Comparator<Path> BY_NAME_BYTES =
            (one, other) -> Arrays.compareUnsigned(bytes(one), bytes(other));

    /// Finds the files of a folder, a pattern such as `DIR/*.shard`, or a single file.
    ///
    /// @throws NoSuchFileException when there is nothing
    static ShardPaths find(Disk disk, Path path) throws IOException {
        if (disk.isDirectory(path)) {
            return sorted(
                    path, disk.list(path).stream().filter(ShardPaths::isShard).toList());
        }
        if (disk.exists(path)) {
            return of(List.of(path));
        }
        List<Path> matches = matches(disk, path);
        if (matches.isEmpty()) {
            throw new NoSuchFileException(path.toString());
        }
        return sorted(null, matches);
    }

    /// A list of files in the given order.
    static ShardPaths of(List<Path> files) {
        return new ShardPaths(null, List.copyOf(files), List.of());
    }

    private static ShardPaths sorted(Path folder, List<Path> files) {
        List<Path> usable = new ArrayList<>();
        List<Problem> problems = new ArrayList<>();
        for (Path file : files) {
            if (isText(file)) {
                usable.add(file);
            } else {
                problems.add(new Problem(
                        Location.of(file),
                        0,
                        Severity.ERROR,
                        Reason.NOT_UTF8,
                        "the file name is not UTF-8, so its place in the order is not defined; rename the file"));
            }
        }
        usable.sort(BY_NAME_BYTES);
        return new ShardPaths(folder, List.copyOf(usable), problems);
    }

    /// Whether a name has the extension `shard`: a name that is nothing but `.shard` has none.
    static boolean isShard(Path file) {
        String name = file.getFileName().toString();
        return name.endsWith(ShardFormat.EXTENSION) && name.length() > ShardFormat.EXTENSION.length();
    }

    /// Whether a folder holds shards.
    static boolean hasShards(Disk disk, Path folder) throws IOException {
        return disk.list(folder).stream().anyMatch(ShardPaths::isShard);
    }

    /// The files that match a pattern in the last part of a path; none when the path is not a pattern.
    static List<Path> matches(Disk disk, Path path) throws IOException {
        Path name = path.getFileName();
        Path folder = path.toAbsolutePath().getParent();
        boolean isPattern = name != null && name.toString().chars().anyMatch(c -> "*?[{".indexOf(c) >= 0);
        if (!isPattern || folder == null || !disk.isDirectory(folder)) {
            return List.of();
        }
        PathMatcher matcher;
        try {
            matcher = path.getFileSystem().getPathMatcher("glob:" + name);
        } catch (PatternSyntaxException e) {
            // A name with a bracket, and not a pattern.
            return List.of();
        }
        Path parent = path.getParent();
        List<Path> found = new ArrayList<>();
        for (Path file : disk.list(parent == null ? Path.of("") : parent)) {
            if (matcher.matches(file.getFileName())) {
                found.add(file);
            }
        }
        return found;
    }

    /// Java shows bytes of a name that are not UTF-8 as U+FFFD, and making a path of that gives another one.
    private static boolean isText(Path file) {
        Path name = file.getFileName();
        return name.toString().indexOf('\uFFFD') < 0
                || name.getFileSystem().getPath(name.toString()).equals(name);
    }

    private static byte[] bytes(Path file) {
        return file.getFileName().toString().getBytes(StandardCharsets.UTF_8);
    }
}
