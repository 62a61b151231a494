// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.catalog.Candidate;
import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import dev.penstock.file.Storage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/// A folder with the shards of one source. Hidden files and subfolders are left out, as are files that describe
/// the shards: texts, JSON, YAML, checksums and the index files of other programs.
final class ShardFolder {
    private static final List<String> DESCRIBING =
            List.of(".json", ".jsonl", ".md", ".txt", ".yaml", ".yml", ".idx", ".index", ".csv", ".sqlite", ".sha256");

    private ShardFolder() {}

    /// Whether all files of a folder have one of the endings, apart from those that describe them.
    static boolean has(Candidate folder, List<String> endings) throws IOException {
        return has(folder, file -> isNamed(file, endings));
    }

    static boolean has(Candidate folder, Predicate<Location> isShard) throws IOException {
        List<Location> files = visible(folder.storage(), folder.location());
        boolean isOnlyShards = files.stream().allMatch(file -> isShard.test(file) || isNamed(file, DESCRIBING));
        return isOnlyShards && files.stream().anyMatch(isShard);
    }

    /// The file itself, or the shards of a folder in the order of the UTF-8 bytes of their names.
    static List<Location> files(Location location, ReaderOptions options, List<String> endings) throws IOException {
        return files(location, options, file -> isNamed(file, endings));
    }

    static List<Location> files(Location location, ReaderOptions options, Predicate<Location> isWanted)
            throws IOException {
        Storage storage = options.storageOf(location);
        if (!storage.isFolder(location)) {
            return List.of(location);
        }
        List<Location> files = new ArrayList<>(visible(storage, location));
        files.removeIf(isWanted.negate());
        if (files.isEmpty()) {
            throw new NoSuchFileException(location.toString(), null, "this folder has no shards any more");
        }
        return files;
    }

    static boolean isNamed(Location file, List<String> endings) {
        return endings.stream().anyMatch(file.name()::endsWith);
    }

    private static List<Location> visible(Storage storage, Location folder) throws IOException {
        List<Location> files = new ArrayList<>();
        for (Location file : storage.list(folder)) {
            if (!file.name().startsWith(".") && !storage.isFolder(file)) {
                files.add(file);
            }
        }
        files.sort((one, other) -> Arrays.compareUnsigned(bytes(one), bytes(other)));
        return files;
    }

    private static byte[] bytes(Location file) {
        return file.name().getBytes(StandardCharsets.UTF_8);
    }
}
