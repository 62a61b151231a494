// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.DatasetException;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.NewFile;
import dev.penstock.groups.GroupFormat;
import dev.penstock.groups.GroupedTable;
import dev.penstock.table.ShardName;
import dev.penstock.table.TableReader;
import dev.penstock.table.TableShard;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The files of a steps dataset, for writers.
///
/// @param disk the disk that holds the folder
/// @param path the folder
record StepsFolder(Disk disk, Path path) {
    /// The name of a file that is never published. Its temporary file is the lock of the folder.
    private static final String LOCK = "lock";

    /// Excludes other writers until it is closed.
    NewFile lock() throws IOException {
        return NewFile.createAlone(disk, path.resolve(LOCK), path);
    }

    TableReader.Options readOptions() {
        return TableReader.Options.DEFAULT.withDisk(disk);
    }

    Path database() {
        return path.resolve(GroupFormat.DATABASE);
    }

    void requireDataset() throws IOException {
        if (!disk.exists(path)) {
            throw new NoSuchFileException(path.toString());
        }
        if (!GroupedTable.isGrouped(disk, path)) {
            throw new DatasetException.WrongFormat(
                    path,
                    disk.isDirectory(path)
                            ? "this is not a steps dataset: " + missing() + " is missing"
                            : "a steps dataset must be a folder; create one with `penstock game2048 steps build`");
        }
    }

    private String missing() throws IOException {
        return disk.exists(database()) ? StepsFormat.FILE : GroupFormat.DATABASE;
    }

    /// Checks that a dataset can be built: the folder must be absent, empty, or left by an interrupted build.
    void requireNoDataset() throws IOException {
        if (!disk.exists(path)) {
            return;
        }
        if (!disk.isDirectory(path)) {
            throw new FileAlreadyExistsException(
                    path.toString(), null, "a file has this name, but a dataset is a folder: choose another name");
        }
        boolean isEmpty = disk.list(path).stream().allMatch(NewFile::isTemporary);
        boolean isUnfinished = !disk.exists(database()) && StepsManifest.read(disk, path) != null;
        if (!isEmpty && !isUnfinished) {
            throw new FileAlreadyExistsException(
                    path.toString(),
                    null,
                    "an existing folder is not replaced: remove it, choose another name, or use steps append");
        }
    }

    /// Deletes shards that were never committed.
    void deleteShards(long firstNumber) throws IOException {
        for (Path file : disk.list(path)) {
            if (isShard(file, firstNumber)) {
                disk.delete(file);
            }
        }
    }

    private static boolean isShard(Path file, long firstNumber) {
        return ShardName.parse(file.getFileName().toString())
                .filter(name -> name.series().equals(StepsFormat.SERIES) && name.number() >= firstNumber)
                .isPresent();
    }

    /// The manifest, or one created from the files if there is none.
    StepsManifest manifest(GroupedTable table, boolean isWide) throws IOException {
        List<Path> files = table.arrayFiles().stream().map(Location::path).toList();
        boolean isSharded = files.size() > 1 || isShard(files.getFirst(), 0);
        StepsManifest found = StepsManifest.read(disk, path);
        StepsManifest start = found == null ? StepsManifest.empty(isSharded, isWide) : found;
        List<TableShard> shards = new ArrayList<>();
        for (Path file : files) {
            String name = file.getFileName().toString();
            TableShard known = start.shards().stream()
                    .filter(shard -> shard.name().equals(name))
                    .findFirst()
                    .orElse(null);
            shards.add(known == null ? shard(file) : known);
        }
        return new StepsManifest(
                isSharded, isWide, table.count(), table.groups().count(), start.created(), shards, start.sources());
    }

    private TableShard shard(Path file) throws IOException {
        try (TableReader one = TableReader.open(file, readOptions());
                Disk.Readable bytes = disk.open(file)) {
            return new TableShard(file.getFileName().toString(), one.count(), bytes.size(), null);
        }
    }
}
