// SPDX-License-Identifier: Apache-2.0
package dev.penstock.columnar;

import dev.penstock.catalog.Candidate;
import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Finds the Parquet files of a dataset: those of a folder or of its folder `data`, in the order of their names.
///
/// Hugging Face names files `train-00000-of-00012.parquet`. Several splits in one folder are different datasets;
/// `FOLDER/train` is one of them.
final class ParquetFiles {
    private static final String EXTENSION = ".parquet";
    private static final Pattern SPLIT = Pattern.compile("(.+?)-\\d+-of-\\d+(-[0-9a-f]+)?\\.parquet");

    private ParquetFiles() {}

    /// The files of a folder, or none.
    private static List<Location> in(Location folder, ReaderOptions options) throws IOException {
        List<Location> files = named(folder, options);
        Location data = folder.resolve("data");
        return files.isEmpty() && options.storageOf(data).isFolder(data) ? named(data, options) : files;
    }

    private static List<Location> named(Location folder, ReaderOptions options) throws IOException {
        return options.storageOf(folder).list(folder).stream()
                .filter(file -> file.name().endsWith(EXTENSION) && !file.name().startsWith("."))
                .sorted(Comparator.comparing(Location::name))
                .collect(Collectors.toCollection(ArrayList::new));
    }

    private static String split(Location file) {
        Matcher matcher = SPLIT.matcher(file.name());
        return matcher.matches() ? matcher.group(1) : "";
    }

    /// The files at a location: the file itself, those of a folder, or those of a split; none if there are none.
    ///
    /// @throws IllegalArgumentException when a folder has several splits
    static List<Location> at(Candidate candidate) throws IOException {
        Location location = candidate.location();
        if (candidate.kind() == Candidate.Kind.FILE) {
            return List.of(location);
        }
        if (candidate.kind() == Candidate.Kind.FOLDER) {
            return whole(location, in(location, candidate.options()));
        }
        Location folder = location.parent();
        boolean isInside = folder != null
                && candidate.isOnDisk()
                && !folder.toString().isEmpty()
                && candidate.disk().isDirectory(folder.path());
        return isInside
                ? in(folder, candidate.options()).stream()
                        .filter(file -> split(file).equals(location.name()))
                        .toList()
                : List.of();
    }

    private static List<Location> whole(Location folder, List<Location> files) {
        Set<String> splits = new TreeSet<>();
        files.forEach(file -> splits.add(split(file)));
        if (splits.size() > 1 && !splits.contains("")) {
            throw new IllegalArgumentException(
                    folder + " has the splits " + String.join(", ", splits) + "; convert one of them, such as "
                            + folder.resolve(splits.iterator().next()));
        }
        return files;
    }

    /// Whether there are Parquet files at a location that is no file.
    static boolean isFolder(Candidate candidate) throws IOException {
        if (candidate.kind() == Candidate.Kind.FOLDER) {
            return !in(candidate.location(), candidate.options()).isEmpty();
        }
        return candidate.kind() == Candidate.Kind.ABSENT && !at(candidate).isEmpty();
    }
}
