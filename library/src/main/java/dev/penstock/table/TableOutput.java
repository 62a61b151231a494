// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.DatasetException;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.NewFile;
import dev.penstock.file.Storage;
import dev.penstock.rows.NewRowFile;
import dev.penstock.rows.NewRowFile.Published;
import dev.penstock.rows.RollingWriter;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The output of a [TableWriter]: one file, or the shards of a folder and their manifest.
///
/// **Ownership.** Holds the lock of a folder until it is closed. A single file is locked by its temporary file.
final class TableOutput implements RollingWriter.Files<NewRowFile>, AutoCloseable {
    /// The name and separator of the shards in new folders.
    static final String SERIES = "rows-";

    /// The name of a file that is never published. Its temporary file is the lock of the folder, and it leaves
    /// nothing behind.
    private static final String LOCK = "lock";

    private final RowType rowType;
    private final TableWriter.Options options;
    /// The folder, or null for a single file.
    private final Path folder;
    /// The manifest as it was found, or null when there was none of ours.
    private final TableManifest before;

    private final List<Published> shards;
    /// The lock of the folder, or null for a single file.
    private final NewFile lock;
    /// The rows of the single file that is replaced, or null.
    private final OldRows old;
    /// The file, or the last shard of the folder so far; null when there is none.
    private Path lastFile;

    private TableOutput(
            RowType rowType,
            TableWriter.Options options,
            Path folder,
            TableManifest before,
            Path lastFile,
            NewFile lock,
            OldRows old) {
        this.rowType = rowType;
        this.options = options;
        this.folder = folder;
        this.before = before;
        this.shards = new ArrayList<>(before == null ? List.of() : before.shards());
        this.lastFile = lastFile;
        this.lock = lock;
        this.old = old;
    }

    /// Creates a new file, or a new folder, which is locked and gets an empty manifest.
    ///
    /// @throws FileAlreadyExistsException when a table exists and may not be replaced
    static TableOutput create(Path path, RowType rowType, TableWriter.Options options) throws IOException {
        if (isFile(path)) {
            return new TableOutput(rowType, options, null, null, path, null, null);
        }
        Disk disk = options.disk();
        requireNoTable(path, disk);
        TableManifest empty = TableManifest.empty(rowType, options.metadata());
        createFolder(disk, path);
        NewFile lock = lock(disk, path);
        try {
            // Another writer may have finished a table between the first check and the lock.
            requireNoTable(path, disk);
            empty.publish(disk, path);
            // Remove files of a writer that stopped before the end.
            Storage files = Storage.of(disk);
            for (Location shard : TablePaths.allSeries(files, Location.of(path)).getOrDefault(SERIES, List.of())) {
                disk.delete(shard.path());
            }
            return new TableOutput(rowType, options, path, empty, null, lock, null);
        } catch (Throwable e) {
            closeAfter(e, lock);
            throw e;
        }
    }

    /// Creates the folder of a table if there is none, durably.
    static void createFolder(Disk disk, Path path) throws IOException {
        if (!disk.isDirectory(path)) {
            disk.createDirectory(path);
        }
        Path parent = path.toAbsolutePath().getParent();
        disk.forceDirectory(parent == null ? path : parent);
    }

    /// Replaces a single file.
    ///
    /// @param old the rows of the present file
    static TableOutput rewrite(Path path, TableWriter.Options options, OldRows old) {
        return new TableOutput(old.rowType(), options.withReplacing(true), null, null, path, null, old);
    }

    /// Adds shards to a folder. A folder without a manifest of ours stays without one and gets a single shard of
    /// any size, because only one file can appear atomically.
    ///
    /// @param lock the lock of the folder, which belongs to the target from now on
    static TableOutput extend(TablePaths files, RowType rowType, TableWriter.Options options, NewFile lock)
            throws IOException {
        Path folder = files.folder().path();
        TableManifest manifest = TableManifest.read(options.disk(), folder);
        Path last = files.files().getLast().path();
        if (manifest != null && manifest.series().equals(files.series())) {
            return new TableOutput(rowType, options, folder, manifest, last, lock, null);
        }
        TableWriter.Options single = options.withShardRows(Long.MAX_VALUE).withShardBytes(Long.MAX_VALUE);
        return new TableOutput(rowType, single, folder, null, last, lock, null);
    }

    /// Locks a folder, or fails and says who writes to it.
    static NewFile lock(Disk disk, Path folder) throws IOException {
        return NewFile.createAlone(disk, folder.resolve(LOCK), folder);
    }

    /// Releases the lock after an error. The error stays the one that is reported.
    static void closeAfter(Throwable error, NewFile lock) {
        try {
            if (lock != null) {
                lock.close();
            }
        } catch (IOException e) {
            error.addSuppressed(e);
        }
    }

    private static boolean isFile(Path path) {
        return path.getFileName() != null && path.getFileName().toString().endsWith(".npy");
    }

    /// A folder whose writer stopped before the end is not a table yet and may be started again.
    static void requireNoTable(Path path, Disk disk) throws IOException {
        if (!disk.exists(path)) {
            return;
        }
        if (!disk.isDirectory(path)) {
            throw new FileAlreadyExistsException(path.toString());
        }
        boolean isEmpty = disk.list(path).stream().allMatch(NewFile::isTemporary);
        if (!isEmpty && !isUnfinished(disk, path)) {
            throw new FileAlreadyExistsException(
                    path.toString(), null, "an existing folder is not replaced: remove it, or choose another name");
        }
    }

    /// Whether a folder has nothing but the manifest of a writer that stopped.
    private static boolean isUnfinished(Disk disk, Path folder) throws IOException {
        try {
            TableManifest manifest = TableManifest.read(disk, folder);
            return manifest != null && manifest.shards().isEmpty();
        } catch (DatasetException e) {
            // An unreadable manifest may list shards.
            return false;
        }
    }

    RowType rowType() {
        return rowType;
    }

    /// The limits at which a new shard begins.
    RollingWriter.Limits limits() {
        return folder == null
                ? RollingWriter.Limits.NONE
                : new RollingWriter.Limits(options.shardRows(), options.shardBytes());
    }

    /// Whether the table is published even if no rows are written.
    boolean isNew() {
        return folder == null || (before != null && before.shards().isEmpty());
    }

    @Override
    public NewRowFile begin() throws IOException {
        if (folder != null) {
            lastFile = freeFile();
        }
        if (old != null) {
            Path target = options.disk().target(lastFile.toAbsolutePath());
            return rowFile(NewFile.createAlone(options.disk(), target, lastFile));
        }
        return rowFile(
                folder == null
                        ? NewFile.createAt(options.disk(), lastFile, options.isReplacing())
                        : NewFile.createLike(options.disk(), lastFile, folder.resolve(TableFormat.MANIFEST), false));
    }

    /// The next unused file name in the folder. A shard that is not listed may belong to another program.
    private Path freeFile() throws IOException {
        ShardName name = lastFile == null
                ? ShardName.first(SERIES)
                : ShardName.of(lastFile).next();
        Path parent = lastFile == null ? folder : lastFile.getParent();
        while (options.disk().exists(parent.resolve(name.file()))) {
            name = name.next();
        }
        return parent.resolve(name.file());
    }

    private NewRowFile rowFile(NewFile file) {
        return new NewRowFile(file, rowType.size(), rows -> TableHeader.write(rowType, rows));
    }

    @Override
    public void end(NewRowFile shard) throws IOException {
        // Another writer may have listed a shard with this name in the meantime.
        requireUnchanged();
        Published published;
        try {
            published = shard.publish();
        } catch (FileAlreadyExistsException e) {
            throw folder == null ? e : changed(folder);
        }
        if (before != null) {
            shards.add(published);
        }
    }

    /// Lists the new shards in the manifest, which makes them part of the table.
    void publish() throws IOException {
        if (before == null) {
            return;
        }
        requireUnchanged();
        before.withShards(shards).withMetadata(options.metadata()).publish(options.disk(), folder);
    }

    /// @throws IOException when another program has changed the table
    private void requireUnchanged() throws IOException {
        if (before != null && !before.equals(TableManifest.read(options.disk(), folder))) {
            throw changed(folder);
        }
        if (old != null && !old.isUnchanged()) {
            throw changed(lastFile);
        }
    }

    /// Notices a longer or shorter file before the old rows are copied. Another writer may have replaced the
    /// file after it was opened and before this writer held the lock.
    void requireSameSize() throws IOException {
        if (!old.hasSameSize()) {
            throw changed(lastFile);
        }
    }

    static IOException changed(Path path) {
        return new IOException(
                path + " was changed by another program during the write; nothing was added, so try again");
    }

    /// Closes after an error. The error stays the one that is reported.
    void closeAfter(Throwable error) {
        closeAfter(error, lock);
    }

    @Override
    public void close() throws IOException {
        if (lock != null) {
            lock.close();
        }
    }
}
