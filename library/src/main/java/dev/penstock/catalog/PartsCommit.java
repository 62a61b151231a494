// SPDX-License-Identifier: Apache-2.0
package dev.penstock.catalog;

import dev.penstock.DatasetException;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.NewFile;
import dev.penstock.file.PublishMode;
import dev.penstock.file.Storage;
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

/// Publishes a dataset of packs, stores or activation shards that several processes write together.
///
/// One process begins the dataset. Any process writes whole packs, stores or shards into its folder, under
/// names of [#partName]. The first process then commits a list of them in the order of the records: the file
/// `parts.json` that lists them is replaced in one step, and until then readers see the dataset as it was
/// before. [Catalog#open(Location)] opens the folder as one dataset. Tables have
/// [dev.penstock.table.TableCommit] instead.
///
/// **Lifecycle.** [#close] without [#commit] leaves the old dataset and removes the parts of this job. A
/// process that is killed leaves its parts, and the next job removes them.
///
/// **Threads.** One thread at a time, and one job for a folder at a time among all processes: the folder is
/// locked until the job is closed.
public final class PartsCommit implements AutoCloseable {
    private static final String LOCK = "lock";

    /// The names of [#partName].
    private static final Pattern OF_JOB = Pattern.compile("part-([0-9a-f]{1,32})-\\d{6}-\\d+-\\d{5}(\\..*)?");

    private static final Map<String, String> EXTENSIONS = Map.of("pack", ".a2pack", "shards", ".shard", "store", "");

    private final Disk disk;
    private final Path folder;
    private final String job;
    /// The list as it was found, or null.
    private final PartList before;
    /// The list that the new parts are added to.
    private final PartList base;
    private final NewFile lock;

    private PartsCommit(Disk disk, Path folder, String job, PartList before, PartList base, NewFile lock) {
        this.disk = disk;
        this.folder = folder;
        this.job = job;
        this.before = before;
        this.base = base;
        this.lock = lock;
    }

    /// The name of a part that no other job, task or attempt of a task has. The byte order of the names in a
    /// job is that of the tasks.
    ///
    /// @param kind    `pack`, `shards` or `store`
    /// @param job     one to 32 lower-case hexadecimal digits that no other job has
    /// @param attempt a number that no other attempt to do the task has
    public static String partName(String kind, String job, long task, long attempt, int number) {
        String extension = EXTENSIONS.get(kind);
        if (extension == null) {
            throw new IllegalArgumentException("a dataset has parts of kind pack, shards or store, not " + kind);
        }
        String name = String.format(Locale.ROOT, "part-%s-%06d-%d-%05d%s", job, task, attempt, number, extension);
        if (!OF_JOB.matcher(name).matches()) {
            throw new IllegalArgumentException("a job is named by 1 to 32 hexadecimal digits, got " + job);
        }
        return name;
    }

    /// Begins to write a dataset in a folder.
    ///
    /// @param kind     the format of the parts: `pack`, `shards` or `store`
    /// @param job      as for [#partName]
    /// @param metadata metadata for the list; an append adds it to the present metadata
    /// @throws FileAlreadyExistsException when there is a dataset and `mode` is [PublishMode#CREATE], or the
    ///                                    folder holds something else
    /// @throws IllegalArgumentException   when parts of another kind are to be appended
    public static PartsCommit begin(
            Path folder, String kind, String job, PublishMode mode, Map<String, String> metadata, Disk disk)
            throws IOException {
        partName(kind, job, 0, 0, 0);
        requireFree(disk, folder, mode);
        if (!disk.isDirectory(folder)) {
            disk.createDirectory(folder);
        }
        Path parent = folder.toAbsolutePath().getParent();
        disk.forceDirectory(parent == null ? folder : parent);
        NewFile lock = NewFile.createAlone(disk, folder.resolve(LOCK), folder);
        try {
            // Another writer may have finished a dataset between the first check and the lock.
            requireFree(disk, folder, mode);
            PartList before = list(disk, folder);
            PartList base = new PartList(kind, List.of(), metadata);
            if (before != null && mode == PublishMode.APPEND) {
                if (!before.kind().equals(kind)) {
                    throw new IllegalArgumentException(
                            folder + " has parts of kind " + before.kind() + ", but the new parts are " + kind);
                }
                base = before.withMetadata(metadata);
            }
            PartsCommit commit = new PartsCommit(disk, folder, job, before, base, lock);
            commit.sweep(false);
            return commit;
        } catch (Throwable e) {
            lock.close();
            throw e;
        }
    }

    private static PartList list(Disk disk, Path folder) throws IOException {
        return PartList.read(Storage.of(disk), Location.of(folder));
    }

    /// Without a list, a folder may only have what a killed job left.
    private static void requireFree(Disk disk, Path folder, PublishMode mode) throws IOException {
        if (!disk.exists(folder)) {
            return;
        }
        boolean isFolder = disk.isDirectory(folder);
        boolean hasList = isFolder && disk.exists(folder.resolve(PartList.NAME));
        boolean isOurs = isFolder
                && disk.list(folder).stream()
                        .allMatch(file -> NewFile.isTemporary(file)
                                || OF_JOB.matcher(file.getFileName().toString()).matches());
        if (hasList ? mode == PublishMode.CREATE : !isOurs) {
            throw new FileAlreadyExistsException(
                    folder.toString(), null, "it is not replaced: remove it, or choose another name");
        }
    }

    /// Makes the parts the dataset, or its end when the job appends.
    ///
    /// @throws IllegalArgumentException when the dataset would have no part
    /// @throws IOException              when a part is missing, or another program has changed the dataset;
    ///                                  nothing was published
    public void commit(List<DatasetPart> parts) throws IOException {
        List<DatasetPart> all = new ArrayList<>(base.parts());
        all.addAll(parts);
        if (all.isEmpty()) {
            throw new IllegalArgumentException("a dataset needs at least one part, which may have no records");
        }
        for (DatasetPart part : parts) {
            if (!disk.exists(folder.resolve(part.name()))) {
                throw new IOException(folder.resolve(part.name()) + " was written by another process but is missing"
                        + " here: all processes must write to the same file system");
            }
        }
        PartList now = list(disk, folder);
        if (before == null ? now != null : !before.equals(now)) {
            throw new IOException(
                    folder + " was changed by another program during the write; nothing was added, so try again");
        }
        base.withParts(all).publish(disk, folder);
        if (before != null) {
            before.parts().stream()
                    .filter(old -> !all.contains(old))
                    .forEach(old -> remove(folder.resolve(old.name())));
        }
    }

    /// Removes a part that no list names. Readers ignore it, so it may also stay.
    private void remove(Path part) {
        try {
            disk.deleteAll(part);
        } catch (IOException e) {
            return;
        }
    }

    /// Removes parts that are not listed: those of this job, or of others, which were killed. Another process may
    /// have written those of this job before it was begun here.
    private void sweep(boolean isOfThisJob) throws IOException {
        Set<String> listed = new HashSet<>();
        try {
            PartList now = list(disk, folder);
            if (now != null) {
                now.parts().forEach(part -> listed.add(part.name()));
            }
        } catch (DatasetException e) {
            // An unreadable list may name any part.
            return;
        }
        for (Path file : disk.list(folder)) {
            String name = file.getFileName().toString();
            Matcher matcher = OF_JOB.matcher(name);
            boolean isChosen = matcher.matches() && matcher.group(1).equals(job) == isOfThisJob;
            if (isChosen && !listed.contains(name)) {
                remove(file);
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
