// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.memory.Disk;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The paths of the files that a table is made of, found by their names.
///
/// @param folder   where they are, or null when the table is one file
/// @param series   the name and separator the shards share, such as `steps-`
/// @param files    in the order of the rows; never empty
/// @param member   the member of a zip archive that is the only file, or null when the files are files of the disk
/// @param manifest what is listed about them, or null
/// @param unlisted files of the series that the manifest does not name
/// @param refusal  what is wrong with the manifest, when it was ignored for that; otherwise null
/// @param remark   what a user should know about the manifest; otherwise null
record TablePaths(
        Path folder,
        String series,
        List<Path> files,
        ZipMember member,
        TableManifest manifest,
        List<Path> unlisted,
        DatasetException refusal,
        String remark) {
    private static final Pattern SHARD = Pattern.compile("(.+[-_])(\\d{5,6})\\.npy");

    /// Where some programs put their shards.
    private static final String SHARDS_FOLDER = "shards";

    /// Finds the files of what is at a path: a file, a folder, `FOLDER/NAME`, or `FILE.npz/NAME`.
    ///
    /// @param isLenient whether a manifest that cannot be used is ignored instead of refused
    /// @throws DatasetException    when it is a folder without shards, an unfinished table, or its manifest is
    ///                             damaged or of a newer version
    /// @throws NoSuchFileException when there is nothing
    static TablePaths find(Disk disk, Path path, boolean isLenient) throws IOException {
        if (disk.isDirectory(path)) {
            return findInFolder(disk, path, null, isLenient);
        }
        if (isNamedTable(disk, path)) {
            Path absolute = path.toAbsolutePath();
            return findInFolder(
                    disk, absolute.getParent(), absolute.getFileName().toString(), isLenient);
        }
        Path archive = archiveOf(disk, path);
        if (archive != null) {
            return inArchive(disk, archive, path);
        }
        if (!disk.exists(path)) {
            throw new NoSuchFileException(path.toString());
        }
        return new TablePaths(null, "", List.of(path), null, null, List.of(), null, null);
    }

    /// The zip archive that a path names, or whose member a path `FILE/NAME` names; null when there is none. The
    /// names of members may contain slashes.
    static Path archiveOf(Disk disk, Path path) throws IOException {
        Path file = path;
        while (file != null && !disk.exists(file)) {
            file = file.getParent();
        }
        return file != null && !disk.isDirectory(file) && ZipMembers.isArchive(disk, file) ? file : null;
    }

    private static TablePaths inArchive(Disk disk, Path archive, Path path) throws IOException {
        int depth = archive.getNameCount();
        // A part of the path as it is: the name of a member may contain "..", which means nothing in it.
        String name = path.equals(archive)
                ? null
                : path.subpath(depth, path.getNameCount())
                        .toString()
                        .replace(path.getFileSystem().getSeparator(), "/");
        ZipMember member = ZipMembers.find(disk, archive, name);
        return new TablePaths(null, "", List.of(member.part().location().path()), member, null, List.of(), null, null);
    }

    /// Whether a path `FOLDER/NAME` names shards in a folder.
    static boolean isNamedTable(Disk disk, Path path) throws IOException {
        Path parent = path.toAbsolutePath().getParent();
        return !disk.exists(path)
                && parent != null
                && disk.isDirectory(parent)
                && hasShards(disk, parent, path.toAbsolutePath().getFileName().toString());
    }

    /// Whether a folder is a table.
    static boolean isTable(Disk disk, Path folder) throws IOException {
        return !allSeries(disk, folder).isEmpty() || TableManifest.isOurs(disk, folder);
    }

    private static TablePaths findInFolder(Disk disk, Path folder, String name, boolean isLenient) throws IOException {
        Map<String, List<Path>> allSeries = allSeries(disk, folder);
        if (name != null) {
            allSeries.keySet().removeIf(series -> !isNamed(series, name));
        }
        DatasetException refusal = null;
        try {
            TableManifest manifest = TableManifest.read(disk, folder);
            if (manifest != null && (name == null || isNamed(manifest.series(), name))) {
                return listed(disk, folder, manifest, allSeries);
            }
        } catch (DatasetException e) {
            if (!isLenient || allSeries.isEmpty()) {
                throw e;
            }
            refusal = e;
        }
        if (allSeries.size() > 1) {
            String names = String.join(
                    " or ", allSeries.keySet().stream().map(TablePaths::nameOf).toList());
            throw new DatasetException.WrongFormat(
                    folder, "the folder holds several tables; open " + folder.resolve("NAME") + ", with NAME " + names);
        }
        if (allSeries.isEmpty()) {
            throw new DatasetException.WrongFormat(
                    folder, "the folder holds no shards like NAME-00000.npy; open one of its files");
        }
        Map.Entry<String, List<Path>> only = allSeries.entrySet().iterator().next();
        requireOrder(only.getValue());
        String remark = remark(disk, folder, refusal);
        return new TablePaths(folder, only.getKey(), only.getValue(), null, null, List.of(), refusal, remark);
    }

    private static String remark(Disk disk, Path folder, DatasetException refusal) throws IOException {
        if (refusal != null) {
            return "All shard files in the folder are read, whether the table lists them or not, because its "
                    + TableFormat.MANIFEST + " cannot be used: "
                    + refusal.what().replace(TableManifest.ADVICE, "");
        }
        return TableManifest.isForeign(disk, folder)
                ? TableFormat.MANIFEST + " was written by another program and is not used."
                : null;
    }

    private static void requireOrder(List<Path> files) {
        for (int i = 1; i < files.size(); i++) {
            if (number(files.get(i)) == number(files.get(i - 1))) {
                throw new DatasetException.Corrupt(
                        files.get(i),
                        0,
                        Reason.SHARD_MISMATCH,
                        "it has the same number as " + files.get(i - 1).getFileName()
                                + ", so their order is not known: rename one of them");
            }
        }
    }

    private static TablePaths listed(Disk disk, Path folder, TableManifest manifest, Map<String, List<Path>> allSeries)
            throws IOException {
        List<Path> files = manifest.shards().stream()
                .map(shard -> folder.resolve(shard.file()))
                .toList();
        if (files.isEmpty()) {
            throw new DatasetException.WrongFormat(
                    folder, "the table was never finished: its writer stopped before the end; write it again");
        }
        for (Path file : files) {
            if (!disk.exists(file)) {
                throw new DatasetException.Corrupt(
                        file,
                        0,
                        Reason.MISSING_SHARD,
                        "the shard is listed in " + TableFormat.MANIFEST + " but missing" + TableManifest.ADVICE);
            }
        }
        List<Path> unlisted = new ArrayList<>(allSeries.getOrDefault(manifest.series(), List.of()));
        unlisted.removeAll(files);
        return new TablePaths(folder, manifest.series(), files, null, manifest, unlisted, null, null);
    }

    private static boolean hasShards(Disk disk, Path folder, String name) throws IOException {
        return allSeries(disk, folder).keySet().stream().anyMatch(series -> isNamed(series, name));
    }

    private static boolean isNamed(String series, String name) {
        return nameOf(series).equals(name);
    }

    private static String nameOf(String series) {
        return series.substring(0, Math.max(0, series.length() - 1));
    }

    /// The shards of a folder by their series, each in order: those in the folder itself or, failing that, in its
    /// folder `shards`.
    static Map<String, List<Path>> allSeries(Disk disk, Path folder) throws IOException {
        Map<String, List<Path>> here = seriesIn(disk, folder);
        Path inner = folder.resolve(SHARDS_FOLDER);
        return here.isEmpty() && disk.isDirectory(inner) ? seriesIn(disk, inner) : here;
    }

    private static Map<String, List<Path>> seriesIn(Disk disk, Path folder) throws IOException {
        Map<String, List<Path>> all = new TreeMap<>();
        for (Path file : disk.list(folder)) {
            Matcher matcher = SHARD.matcher(file.getFileName().toString());
            if (matcher.matches()) {
                all.computeIfAbsent(matcher.group(1), series -> new ArrayList<>())
                        .add(file);
            }
        }
        all.values().forEach(files -> files.sort(Comparator.comparingLong(TablePaths::number)));
        return all;
    }

    /// The number in the name of a shard.
    static long number(Path shard) {
        Matcher matcher = matcher(shard);
        return Long.parseLong(matcher.group(2));
    }

    /// The name and separator of a shard.
    static String series(Path shard) {
        return matcher(shard).group(1);
    }

    /// The name of the shard that follows one.
    static Path next(Path shard) {
        String digits = matcher(shard).group(2);
        return shard.resolveSibling(name(series(shard), number(shard) + 1, digits.length()));
    }

    /// The name of a shard.
    static String name(String series, long number, int digitCount) {
        String digits = Long.toString(number);
        if (digits.length() > digitCount) {
            throw new IllegalArgumentException("a table has no more shards than its names have digits");
        }
        return series + "0".repeat(digitCount - digits.length()) + digits + ".npy";
    }

    /// Whether a name is that of a shard.
    static boolean isShard(String name) {
        return SHARD.matcher(name).matches();
    }

    private static Matcher matcher(Path shard) {
        Matcher matcher = SHARD.matcher(shard.getFileName().toString());
        if (!matcher.matches()) {
            throw new IllegalArgumentException(shard + " is no name of a shard");
        }
        return matcher;
    }
}
