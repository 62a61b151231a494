// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.file.DatasetFiles;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.Storage;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// The paths of the files that belong to a table, found by their names.
///
/// @param folder   the folder of the files, or null when the table is one file
/// @param series   the name and separator that the shards share, such as `steps-`
/// @param files    the files in the order of the rows; never empty
/// @param member   the member of a zip archive that is the only file, or null when the files are not in an
///                 archive
/// @param manifest the manifest, or null
/// @param unlisted files of the series that the manifest does not list
/// @param refusal  the problem of a manifest that was ignored; otherwise null
/// @param remark   a remark about the manifest for the user; otherwise null
record TablePaths(
        Location folder,
        String series,
        List<Location> files,
        ZipMember member,
        TableManifest manifest,
        List<Location> unlisted,
        DatasetException refusal,
        String remark) {
    /// The folder in which some programs put their shards.
    private static final String SHARDS_FOLDER = "shards";

    /// Finds the files of the table at a path of a disk.
    static TablePaths find(Disk disk, Path path, boolean isLenient) throws IOException {
        return find(Storage.of(disk), Location.of(path), isLenient);
    }

    /// Finds the files of the table at a location: a file, a folder, `FOLDER/NAME`, or `FILE.npz/NAME`.
    ///
    /// @param isLenient whether an unusable manifest is ignored instead of refused
    /// @throws DatasetException    when a folder has no shards or an unfinished table, or its manifest is
    ///                             damaged or has a newer version
    /// @throws NoSuchFileException when the location does not exist
    static TablePaths find(Storage storage, Location path, boolean isLenient) throws IOException {
        if (storage.isFolder(path) || isUnlisted(storage, path)) {
            return findInFolder(storage, path, null, isLenient);
        }
        if (isNamedTable(storage, path)) {
            return findInFolder(storage, folderOf(path), path.name(), isLenient);
        }
        Location archive = archiveOf(storage, path);
        if (archive != null) {
            return inArchive(storage, archive, path);
        }
        if (!storage.exists(path)) {
            throw new NoSuchFileException(path.toString());
        }
        return ofFile(path);
    }

    /// Whether a location is a table in a folder of a server that lists no names: its manifest can be read.
    static boolean isUnlisted(Storage storage, Location path) throws IOException {
        return !path.isLocal() && !storage.exists(path) && TableManifest.isOurs(storage, path);
    }

    /// A table of one file, whatever its content.
    static TablePaths ofFile(Location file) {
        return new TablePaths(null, "", List.of(file), null, null, List.of(), null, null);
    }

    /// The zip archive that a path names, or that contains the member named by a path `FILE/NAME`; null when
    /// there is none. Member names may contain slashes.
    static Location archiveOf(Storage storage, Location path) throws IOException {
        Location file = path;
        while (file != null && !storage.exists(file)) {
            file = file.parent();
        }
        return file != null && !storage.isFolder(file) && ZipMembers.isArchive(storage, file) ? file : null;
    }

    private static TablePaths inArchive(Storage storage, Location archive, Location path) throws IOException {
        // The path is not normalised: the name of a member may contain "..", which has no meaning in it.
        String name = null;
        for (Location part = path; !part.equals(archive); part = part.parent()) {
            name = name == null ? part.name() : part.name() + "/" + name;
        }
        ZipMember member = ZipMembers.find(storage, archive, name);
        return new TablePaths(null, "", List.of(member.part().location()), member, null, List.of(), null, null);
    }

    /// Whether a path `FOLDER/NAME` names shards in a folder.
    static boolean isNamedTable(Storage storage, Location path) throws IOException {
        Location folder = folderOf(path);
        return !storage.exists(path)
                && folder != null
                && storage.isFolder(folder)
                && hasShards(storage, folder, path.name());
    }

    /// The folder of a path, or null when there is none. For a relative path it depends on the working
    /// directory.
    private static Location folderOf(Location path) {
        return path.isLocal() ? Location.of(path.path().toAbsolutePath()).parent() : path.parent();
    }

    /// Whether a folder is a table.
    static boolean isTable(Storage storage, Location folder) throws IOException {
        return !allSeries(storage, folder).isEmpty() || TableManifest.isOurs(storage, folder);
    }

    private static TablePaths findInFolder(Storage storage, Location folder, String name, boolean isLenient)
            throws IOException {
        Map<String, List<Location>> allSeries = allSeries(storage, folder);
        if (name != null) {
            allSeries.keySet().removeIf(series -> !isNamed(series, name));
        }
        DatasetException refusal = null;
        try {
            TableManifest manifest = TableManifest.read(storage, folder);
            if (manifest != null && (name == null || isNamed(manifest.series(), name))) {
                return listed(storage, folder, manifest, allSeries);
            }
        } catch (DatasetException e) {
            if (!isLenient || allSeries.isEmpty()) {
                throw e;
            }
            refusal = e;
        }
        DatasetFiles.requireComplete(storage, folder);
        if (allSeries.size() > 1) {
            String names = String.join(
                    " or ", allSeries.keySet().stream().map(TablePaths::nameOf).toList());
            throw new DatasetException.WrongFormat(
                    folder, "the folder holds several tables; open " + folder.resolve("NAME") + ", with NAME " + names);
        }
        if (allSeries.isEmpty()) {
            throw new DatasetException.WrongFormat(
                    folder, "the folder has no shards like NAME-00000.npy; open one of its files instead");
        }
        Map.Entry<String, List<Location>> only = allSeries.entrySet().iterator().next();
        requireOrder(only.getValue());
        String remark = remark(storage, folder, refusal);
        return new TablePaths(folder, only.getKey(), only.getValue(), null, null, List.of(), refusal, remark);
    }

    private static String remark(Storage storage, Location folder, DatasetException refusal) throws IOException {
        if (refusal != null) {
            return "All shard files in the folder are read, whether the table lists them or not, because its "
                    + TableFormat.MANIFEST + " cannot be used: "
                    + refusal.what().replace(TableManifest.ADVICE, "");
        }
        if (storage.isFolder(folder.resolve(TableFormat.MANIFEST))) {
            return TableFormat.MANIFEST + " is a folder and not a manifest, so all shard files are read.";
        }
        return TableManifest.isForeign(storage, folder)
                ? TableFormat.MANIFEST + " was written by another program and is not used."
                : null;
    }

    private static void requireOrder(List<Location> files) {
        for (int i = 1; i < files.size(); i++) {
            if (ShardName.of(files.get(i).name()).number()
                    == ShardName.of(files.get(i - 1).name()).number()) {
                throw new DatasetException.Corrupt(
                        files.get(i),
                        0,
                        Reason.SHARD_MISMATCH,
                        "it has the same number as " + files.get(i - 1).name()
                                + ", so their order is not known: rename one of them");
            }
        }
    }

    private static TablePaths listed(
            Storage storage, Location folder, TableManifest manifest, Map<String, List<Location>> allSeries)
            throws IOException {
        List<Location> files = manifest.shards().stream()
                .map(shard -> folder.resolve(shard.name()))
                .toList();
        if (files.isEmpty()) {
            throw new DatasetException.WrongFormat(
                    folder, "the table was never finished: its writer stopped before the end; write it again");
        }
        // One listing is faster than a check for each of thousands of files.
        Set<Location> there = new HashSet<>(storage.list(folder));
        boolean isListed = folder.isLocal() || !there.isEmpty();
        for (Location file : files) {
            if (isListed && !there.contains(file) && !storage.exists(file)) {
                throw new DatasetException.Corrupt(
                        file,
                        0,
                        Reason.MISSING_SHARD,
                        "the shard is listed in " + TableFormat.MANIFEST + " but missing" + TableManifest.ADVICE);
            }
        }
        List<Location> unlisted = new ArrayList<>(allSeries.getOrDefault(manifest.series(), List.of()));
        unlisted.removeAll(files);
        return new TablePaths(folder, manifest.series(), files, null, manifest, unlisted, null, null);
    }

    private static boolean hasShards(Storage storage, Location folder, String name) throws IOException {
        return allSeries(storage, folder).keySet().stream().anyMatch(series -> isNamed(series, name));
    }

    private static boolean isNamed(String series, String name) {
        return nameOf(series).equals(name);
    }

    private static String nameOf(String series) {
        return series.substring(0, Math.max(0, series.length() - 1));
    }

    /// The shards of a folder by series, each in order: those in the folder itself, or else in its subfolder
    /// `shards`.
    static Map<String, List<Location>> allSeries(Storage storage, Location folder) throws IOException {
        Map<String, List<Location>> here = seriesIn(storage, folder);
        Location inner = folder.resolve(SHARDS_FOLDER);
        return here.isEmpty() && storage.isFolder(inner) ? seriesIn(storage, inner) : here;
    }

    private static Map<String, List<Location>> seriesIn(Storage storage, Location folder) throws IOException {
        Map<String, List<Location>> all = new TreeMap<>();
        for (Location file : storage.list(folder)) {
            ShardName.parse(file.name())
                    .ifPresent(name -> all.computeIfAbsent(name.series(), series -> new ArrayList<>())
                            .add(file));
        }
        all.values()
                .forEach(files -> files.sort(Comparator.comparingLong(
                        file -> ShardName.of(file.name()).number())));
        return all;
    }
}
