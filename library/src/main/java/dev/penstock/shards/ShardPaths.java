// SPDX-License-Identifier: Apache-2.0
package dev.penstock.shards;

import dev.penstock.Reason;
import dev.penstock.Verification.Problem;
import dev.penstock.Verification.Severity;
import dev.penstock.file.DatasetFiles;
import dev.penstock.file.Location;
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

/// The files of a corpus, in the order of its rows.
///
/// @param folder   the folder that was opened, or null for a file, a list or a pattern
/// @param files    the files in the order of the rows; may be empty
/// @param problems names that cannot be used
record ShardPaths(Location folder, List<Location> files, List<Problem> problems) {
    /// A file and the UTF-8 bytes of its name. Java orders strings by UTF-16, in which U+1F600 comes before
    /// U+FF21.
    private record Named(Location file, byte[] name) {}

    /// Finds the files of a folder, a pattern such as `DIR/*.shard`, or a single file.
    ///
    /// @throws NoSuchFileException when the path does not exist
    static ShardPaths find(Storage storage, Location path) throws IOException {
        if (storage.isFolder(path)) {
            List<Location> files = storage.list(path);
            if (!path.isLocal() && !files.contains(path.resolve(ShardFormat.MANIFEST))) {
                DatasetFiles.requireComplete(path, files);
            }
            return sorted(path, files.stream().filter(ShardPaths::isShard).toList());
        }
        if (storage.exists(path)) {
            return of(List.of(path));
        }
        List<Location> matches = matches(storage, path);
        if (matches.isEmpty()) {
            throw new NoSuchFileException(path.toString());
        }
        return sorted(null, matches);
    }

    /// A list of files in the given order.
    static ShardPaths of(List<Location> files) {
        return new ShardPaths(null, List.copyOf(files), List.of());
    }

    private static ShardPaths sorted(Location folder, List<Location> files) {
        List<Location> usable = new ArrayList<>();
        List<Problem> problems = new ArrayList<>();
        for (Location file : files) {
            if (isText(file)) {
                usable.add(file);
            } else {
                problems.add(new Problem(
                        file,
                        0,
                        Severity.ERROR,
                        Reason.NOT_UTF8,
                        "the file name is not UTF-8, so its position in the order is not defined; rename the file"));
            }
        }
        return new ShardPaths(folder, inOrder(usable), problems);
    }

    /// Sorts by the bytes of the names, which are encoded once for each file.
    private static List<Location> inOrder(List<Location> files) {
        List<Named> named = new ArrayList<>(files.size());
        files.forEach(file -> named.add(new Named(file, bytes(file))));
        named.sort((one, other) -> Arrays.compareUnsigned(one.name, other.name));
        return named.stream().map(Named::file).toList();
    }

    /// Whether a name has the extension `shard`. The name `.shard` itself has no extension.
    static boolean isShard(Location file) {
        return isShard(file.name());
    }

    /// Whether a name is that of a shard.
    static boolean isShard(String name) {
        return name.endsWith(ShardFormat.EXTENSION) && name.length() > ShardFormat.EXTENSION.length();
    }

    /// Whether a folder has shards.
    static boolean hasShards(Storage storage, Location folder) throws IOException {
        return storage.list(folder).stream().anyMatch(ShardPaths::isShard);
    }

    /// The files that match a pattern in the last part of a path; empty when the path is not a pattern. A pattern
    /// for shards finds the same files as opening their folder, so the name `.shard` does not match.
    static List<Location> matches(Storage storage, Location path) throws IOException {
        Location folder = path.isLocal() && path.parent() == null ? Location.of(Path.of("")) : path.parent();
        boolean isPattern = path.name().chars().anyMatch(c -> "*?[{".indexOf(c) >= 0);
        if (!isPattern || folder == null || !storage.isFolder(folder)) {
            return List.of();
        }
        PathMatcher matcher;
        try {
            matcher = FileSystems.getDefault().getPathMatcher("glob:" + path.name());
        } catch (PatternSyntaxException e) {
            // The name contains a bracket but is not a pattern.
            return List.of();
        }
        List<Location> found = new ArrayList<>();
        for (Location file : storage.list(folder)) {
            boolean isOnlyExtension = file.name().equals(ShardFormat.EXTENSION);
            if (!isOnlyExtension && matcher.matches(Path.of(file.name()))) {
                found.add(file);
            }
        }
        return found;
    }

    /// Java shows bytes of a name that are not UTF-8 as U+FFFD, and a path made from that text is another path.
    private static boolean isText(Location file) {
        if (!file.isLocal() || file.name().indexOf('\uFFFD') < 0) {
            return true;
        }
        Path name = file.path().getFileName();
        return name.getFileSystem().getPath(name.toString()).equals(name);
    }

    private static byte[] bytes(Location file) {
        return file.name().getBytes(StandardCharsets.UTF_8);
    }
}
