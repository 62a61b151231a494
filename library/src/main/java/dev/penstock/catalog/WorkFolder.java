// SPDX-License-Identifier: Apache-2.0
package dev.penstock.catalog;

import dev.penstock.memory.ChecksummedJson;
import dev.penstock.memory.Disk;
import dev.penstock.memory.NewFile;
import dev.penstock.memory.WriterLock;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// The folder beside the target of a [Conversion] in which the target is written until it is complete and
/// verified. Its name is `.NAME.converting`.
///
/// It has the unfinished target, a note that describes the conversion, and a lock. A conversion that finds the
/// folder of an interrupted one with the same note continues there.
///
/// **Ownership.** Holds the lock until it is closed. **Threads.** One thread at a time.
final class WorkFolder implements AutoCloseable {
    private static final String NOTE = "conversion.json";
    private static final String LOCK = ".lock";

    /// The complete target just before it is published, or the old one just after.
    private static final String COMPLETE = "complete";

    /// The old dataset between the two renames that replace it on file systems without an exchange.
    private static final String REPLACED = "replaced";

    private final Disk disk;
    private final Path target;
    private final Path folder;
    private WriterLock lock;

    private WorkFolder(Disk disk, Path target) {
        this.disk = disk;
        this.target = target;
        this.folder = folder(target);
    }

    /// The folder for a target.
    static Path folder(Path target) {
        return target.resolveSibling("." + target.getFileName() + ".converting");
    }

    /// Creates the folder, or takes over the one that an interrupted conversion left.
    ///
    /// @throws dev.penstock.memory.FileInUseException when another process is converting to the same target
    static WorkFolder open(Disk disk, Path target) throws IOException {
        WorkFolder work = new WorkFolder(disk, target);
        NewFile.requireFolder(disk, work.folder, target);
        disk.createDirectory(work.folder);
        work.lock = WriterLock.take(disk, work.folder.resolve(LOCK), target);
        try {
            work.restore();
            return work;
        } catch (Throwable e) {
            work.lock.close();
            throw e;
        }
    }

    /// Gives back its name to an old dataset whose replacement was interrupted.
    private void restore() throws IOException {
        if (!disk.exists(target) && disk.exists(folder.resolve(REPLACED))) {
            disk.move(folder.resolve(REPLACED), target);
            disk.forceDirectory(parent());
        }
    }

    private Path parent() {
        Path parent = target.toAbsolutePath().getParent();
        return parent == null ? target : parent;
    }

    /// The path that the target is written to.
    Path data() {
        return folder.resolve(Objects.requireNonNull(target.getFileName()));
    }

    /// Whether an interrupted conversion with the same note has left data. Data of any other conversion is
    /// removed.
    boolean resume(Map<String, ?> note, boolean isResumable) throws IOException {
        byte[] wanted = ChecksummedJson.write(note);
        byte[] found = ChecksummedJson.read(disk, folder.resolve(NOTE));
        if (isResumable && Arrays.equals(wanted, found) && disk.exists(data())) {
            return true;
        }
        deleteAll(data());
        deleteAll(folder.resolve(COMPLETE));
        ChecksummedJson.publish(disk, folder.resolve(NOTE), wanted);
        return false;
    }

    /// Rejects a target that exists and may not be replaced, before anything is written.
    ///
    /// @param known the file names that belong to the format at the target
    static void requireReplaceable(Disk disk, Path target, boolean isReplacing, List<String> known) throws IOException {
        if (!disk.exists(target)) {
            return;
        }
        if (!isReplacing) {
            throw new FileAlreadyExistsException(target.toString());
        }
        if (!disk.isDirectory(target)) {
            return;
        }
        List<PathMatcher> matchers = known.stream()
                .map(pattern -> FileSystems.getDefault().getPathMatcher("glob:" + pattern))
                .toList();
        for (Path file : disk.list(target)) {
            boolean isKnown = matchers.stream().anyMatch(matcher -> matcher.matches(file.getFileName()));
            if (!isKnown && !NewFile.isTemporary(file)) {
                throw new FileAlreadyExistsException(
                        target.toString(),
                        null,
                        "it is not replaced because it has the file " + file.getFileName()
                                + ", which is not part of a dataset: remove the folder, or choose another");
            }
        }
    }

    /// Publishes the complete target and removes the folder with the old target.
    void publish() throws IOException {
        if (disk.isDirectory(target) || disk.exists(target) && disk.isDirectory(data())) {
            replace();
        } else {
            disk.move(data(), target);
        }
        disk.forceDirectory(parent());
        remove();
    }

    /// Replaces a folder, or a file by a folder. The target exists at every moment if the file system can exchange
    /// two names. Otherwise it is absent between two renames; if the process ends there, [#open] restores it.
    private void replace() throws IOException {
        Path complete = folder.resolve(COMPLETE);
        deleteAll(folder.resolve(REPLACED));
        // After an exchange the old dataset must not be taken for an unfinished conversion.
        disk.move(data(), complete);
        if (disk.exchange(complete, target)) {
            return;
        }
        disk.move(target, folder.resolve(REPLACED));
        try {
            disk.move(complete, target);
        } catch (Throwable e) {
            restoreAfter(e);
            throw e;
        }
    }

    private void restoreAfter(Throwable error) {
        try {
            restore();
        } catch (IOException e) {
            error.addSuppressed(e);
        }
    }

    /// Removes the folder with everything in it, except for an old dataset that is nowhere else.
    void remove() throws IOException {
        restore();
        deleteAll(folder);
    }

    /// Removes the folder after an error. The error stays the one that is reported.
    void removeAfter(Throwable error) {
        try {
            remove();
        } catch (IOException e) {
            error.addSuppressed(e);
        }
    }

    private void deleteAll(Path path) throws IOException {
        if (!disk.exists(path)) {
            return;
        }
        if (disk.isDirectory(path)) {
            for (Path inside : disk.list(path)) {
                deleteAll(inside);
            }
        }
        disk.delete(path);
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }
}
