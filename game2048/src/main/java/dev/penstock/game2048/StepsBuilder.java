// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.file.Disk;
import dev.penstock.file.NewFile;
import dev.penstock.groups.GroupDatabase;
import dev.penstock.table.ShardName;
import dev.penstock.table.TableFormat;
import java.io.IOException;
import java.nio.file.Path;

/// Builds a new steps dataset.
///
/// The order of publication: the rows, then the manifest, and last the database, which is the commit.
final class StepsBuilder {
    private final StepsFolder folder;
    private final Disk disk;
    private final Path path;
    private final StepsOptions options;
    /// Whether this writer has locked the folder. If it has not, the files in it belong to another writer.
    private boolean hasLocked;

    StepsBuilder(Path path, StepsOptions options) {
        this.folder = new StepsFolder(options.disk(), path);
        this.disk = options.disk();
        this.path = path;
        this.options = options;
    }

    StepsDataset.Result run(Path input) throws IOException {
        folder.requireNoDataset();
        boolean isNewFolder = !disk.exists(path);
        try {
            return build(input);
        } catch (Throwable e) {
            try {
                cleanUp(isNewFolder);
            } catch (IOException other) {
                e.addSuppressed(other);
            }
            throw e;
        }
    }

    /// Removes the files of a failed build, unless the database was already published.
    private void cleanUp(boolean isNewFolder) throws IOException {
        if (disk.exists(folder.database())) {
            return;
        }
        if (hasLocked && StepsManifest.read(disk, path) != null) {
            folder.deleteShards(0);
            disk.delete(path.resolve(StepsFormat.FILE));
            disk.delete(path.resolve(TableFormat.MANIFEST));
        }
        if (isNewFolder && disk.isDirectory(path) && disk.list(path).isEmpty()) {
            disk.delete(path);
        }
    }

    private StepsDataset.Result build(Path input) throws IOException {
        StepsAddition addition = new StepsAddition(options, 0, 0);
        try (StepsInput runs = StepsInput.open(input, options)) {
            if (!disk.isDirectory(path)) {
                disk.createDirectory(path);
            }
            Path parent = path.toAbsolutePath().getParent();
            disk.forceDirectory(parent == null ? path : parent);
            try (NewFile _ = folder.lock()) {
                folder.requireNoDataset();
                hasLocked = true;
                // An unfinished build is recognised by its manifest, so the manifest is written first.
                StepsManifest begun = StepsManifest.empty(options.shardRows() > 0, options.isWide());
                begun.publish(disk, path);
                folder.deleteShards(0);
                try (GroupDatabase database = GroupDatabase.create(folder.database(), StepsFormat.SCHEMA);
                        StepsWriter writer = new StepsWriter(
                                disk,
                                path,
                                options.isWide(),
                                options.shardRows(),
                                ShardName.first(StepsFormat.SERIES))) {
                    addition.add(runs, writer, database);
                    addition.manifest(begun, writer.finish(), "build", input).publish(disk, path);
                    database.publish(disk, path);
                }
            }
        }
        return addition.result();
    }
}
