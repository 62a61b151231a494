// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import dev.penstock.DatasetException;
import dev.penstock.file.Disk;
import dev.penstock.file.NewFile;
import dev.penstock.file.PublishMode;
import dev.penstock.rows.NewRowFile.Published;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Publishes a table that several processes write together.
///
/// One process begins the table. Any process writes shards into its folder with a [TableShardWriter], under
/// names of [#shardName]. The first process then commits a list of shards in the order of the rows: the
/// manifest that lists them is replaced in one step, and until then readers see the table as it was before.
/// Shards that are not in the list are never read. The next job removes them.
///
/// **Lifecycle.** [#close] without [#commit] leaves the old table and removes the shards of this job. A
/// process that is killed leaves its shards, and the next job removes them.
///
/// **Threads.** One thread at a time, and one job for a table at a time among all processes: the folder is
/// locked until the job is closed.
public final class TableCommit implements AutoCloseable {
    /// The names of [#shardName].
    private static final Pattern OF_JOB = Pattern.compile("rows-([0-9a-f]{1,32})-\\d+-\\d+-\\d{5}\\.npy");

    private final Disk disk;
    private final Path folder;
    private final String job;
    private final PublishMode mode;
    private final TableManifest before;
    private final TableManifest base;
    private final NewFile lock;

    private TableCommit(
            Disk disk,
            Path folder,
            String job,
            PublishMode mode,
            TableManifest before,
            TableManifest base,
            NewFile lock) {
        this.disk = disk;
        this.folder = folder;
        this.job = job;
        this.mode = mode;
        this.before = before;
        this.base = base;
        this.lock = lock;
    }

    /// The name of a shard that no other job, task or attempt of a task has.
    ///
    /// @param job     one to 32 lower-case hexadecimal digits that no other job has
    /// @param attempt a number that no other attempt to do the task has
    public static String shardName(String job, long task, long attempt, int number) {
        String series = String.format(Locale.ROOT, "%s%s-%d-%d-", TableOutput.SERIES, job, task, attempt);
        String name = new ShardName(series, number, 5).file();
        if (!OF_JOB.matcher(name).matches()) {
            throw new IllegalArgumentException("a job is named by 1 to 32 hexadecimal digits, got " + job);
        }
        return name;
    }

    /// Begins to write a table in a folder.
    ///
    /// @param job      as for [#shardName]
    /// @param metadata metadata for the manifest; an append adds it to the present metadata
    /// @throws FileAlreadyExistsException when there is a table and `mode` is [PublishMode#CREATE], or the
    ///                                    folder holds something else
    /// @throws IllegalArgumentException   when rows of another type are to be appended
    public static TableCommit begin(
            Path folder, RowType rowType, String job, PublishMode mode, Map<String, String> metadata, Disk disk)
            throws IOException {
        TableWriter.requireWritable(rowType);
        shardName(job, 0, 0, 0);
        TableManifest fresh = TableManifest.empty(rowType, metadata);
        if (mode == PublishMode.CREATE || !isTable(disk, folder)) {
            TableOutput.requireNoTable(folder, disk);
        }
        TableOutput.createFolder(disk, folder);
        NewFile lock = TableOutput.lock(disk, folder);
        try {
            // Another writer may have finished a table between the first check and the lock.
            boolean isThere = mode != PublishMode.CREATE && isTable(disk, folder);
            if (!isThere) {
                TableOutput.requireNoTable(folder, disk);
                fresh.publish(disk, folder);
            }
            TableManifest before = TableManifest.read(disk, folder);
            TableManifest base = fresh;
            if (isThere && mode == PublishMode.APPEND) {
                requireSame(folder, before, fresh);
                base = before.withMetadata(metadata);
            }
            TableCommit commit = new TableCommit(disk, folder, job, mode, before, base, lock);
            commit.sweep(false);
            return commit;
        } catch (Throwable e) {
            TableOutput.closeAfter(e, lock);
            throw e;
        }
    }

    /// Whether a folder has a finished table with a manifest of ours.
    private static boolean isTable(Disk disk, Path folder) throws IOException {
        TableManifest manifest = disk.isDirectory(folder) ? TableManifest.read(disk, folder) : null;
        return manifest != null && !manifest.shards().isEmpty();
    }

    private static void requireSame(Path folder, TableManifest before, TableManifest fresh) {
        if (!before.dtype().equals(fresh.dtype()) || !before.shape().equals(fresh.shape())) {
            throw new IllegalArgumentException(folder + " has rows of type " + before.dtype() + " " + before.shape()
                    + ", but the new rows are " + fresh.dtype() + " " + fresh.shape());
        }
    }

    /// Makes the shards the rows of the table, or its last rows when the job appends. Without any shard, the
    /// table gets one without rows.
    ///
    /// @throws IOException when a shard is missing, or another program has changed the table; nothing was
    ///                     published
    public void commit(List<TableShard> shards) throws IOException {
        List<Published> all = new ArrayList<>();
        if (mode == PublishMode.APPEND) {
            all.addAll(base.shards());
        }
        for (TableShard shard : shards.isEmpty() && all.isEmpty() ? List.of(empty()) : shards) {
            requireComplete(shard);
            all.add(shard.published());
        }
        if (!before.equals(TableManifest.read(disk, folder))) {
            throw TableOutput.changed(folder);
        }
        base.withShards(all).publish(disk, folder);
        removeReplaced(all);
    }

    private TableShard empty() throws IOException {
        RowType rowType = new RowType(DType.parse(base.dtype()), base.shape());
        Path file = folder.resolve(shardName(job, 0, 0, 0));
        try (TableShardWriter shard = TableShardWriter.create(file, rowType, disk)) {
            return shard.finish();
        }
    }

    /// A shard that cannot be seen from here was perhaps written to a disk that this process does not share.
    private void requireComplete(TableShard shard) throws IOException {
        Path file = folder.resolve(shard.name());
        if (!disk.exists(file)) {
            throw new IOException(file + " was written by another process but is missing here: all processes must"
                    + " write to the same file system");
        }
        try (Disk.Readable readable = disk.open(file)) {
            if (readable.size() != shard.bytes()) {
                throw new IOException(
                        file + " has " + readable.size() + " bytes, but its writer reported " + shard.bytes());
            }
        }
    }

    /// The new rows are published, so a file that cannot be deleted is no failure of the commit.
    private void removeReplaced(List<Published> kept) {
        Set<String> names = new HashSet<>();
        kept.forEach(shard -> names.add(shard.name()));
        for (Published old : before.shards()) {
            if (!names.contains(old.name())) {
                deleteQuietly(folder.resolve(old.name()));
            }
        }
    }

    private void deleteQuietly(Path file) {
        try {
            disk.delete(file);
        } catch (IOException e) {
            // The table does not list the file, so that readers ignore it.
            return;
        }
    }

    /// Removes shards that are not listed: those of this job, or of others, which were killed. Another process may
    /// have written those of this job before it was begun here.
    private void sweep(boolean isOfThisJob) throws IOException {
        TableManifest now;
        try {
            now = TableManifest.read(disk, folder);
        } catch (DatasetException e) {
            // An unreadable manifest may list any shard.
            return;
        }
        Set<String> listed = new HashSet<>();
        now.shards().forEach(shard -> listed.add(shard.name()));
        for (Path file : disk.list(folder)) {
            String name = file.getFileName().toString();
            Matcher matcher = OF_JOB.matcher(name);
            boolean isChosen = matcher.matches() && matcher.group(1).equals(job) == isOfThisJob;
            if (isChosen && !listed.contains(name)) {
                deleteQuietly(file);
            }
        }
    }

    @Override
    public void close() throws IOException {
        try {
            sweep(true);
        } finally {
            lock.close();
        }
    }
}
