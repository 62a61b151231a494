// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.catalog.RecordKeys;
import dev.penstock.file.ChecksummedJson;
import dev.penstock.file.Disk;
import dev.penstock.file.NewFile;
import dev.penstock.file.WriterLock;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/// The folder beside the target of a [Conversion] in which the target is written until it is complete and
/// verified. Its name is `.NAME.converting`.
///
/// It has the unfinished target, a note that describes the conversion, and a lock. A conversion that finds the
/// folder of an interrupted one with the same note continues there.
///
/// A conversion writes beside the target and renames at the end; a format that takes records has
/// a [Target]. A target that exists is complete and was compared with its source; what an interrupted
/// conversion committed is used again.
///
/// **Ownership.** Holds the lock until it is closed. **Threads.** One thread at a time.
final class WorkFolder implements AutoCloseable {
    private static final String NOTE = "conversion.json";
    private static final String LOCK = ".lock";

    /// What a copy has written so far.
    private static final String PROGRESS = "copied.txt";

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

    /// The folder for a target, which is not a link.
    static Path folder(Path target) {
        return target.resolveSibling("." + target.getFileName() + ".converting");
    }

    /// Creates the folder, or takes over the one that an interrupted conversion left. If the target is a link, the
    /// dataset that it leads to is replaced, and the folder is beside that.
    ///
    /// @throws dev.penstock.file.FileInUseException when another process is converting to the same target
    static WorkFolder open(Disk disk, Path target) throws IOException {
        return open(disk, target, Targets.ownNames());
    }

    /// @param names the names that an interrupted run may have left in the unfinished target
    static WorkFolder open(Disk disk, Path target, OwnNames names) throws IOException {
        WorkFolder work = new WorkFolder(disk, disk.target(target));
        NewFile.requireFolder(disk, work.folder, target);
        disk.createDirectory(work.folder);
        if (disk.exists(work.target)) {
            // The new dataset gets the mode of the old one at the end, and may be private until then.
            disk.makePrivate(work.folder);
        }
        work.lock = WriterLock.take(disk, work.folder.resolve(LOCK), target);
        try {
            work.requireOurs(names);
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

    /// Requires that the folder has only names of a conversion, because all of them are going to be deleted.
    private void requireOurs(OwnNames names) throws IOException {
        Set<Path> datasets = Set.of(data(), folder.resolve(COMPLETE), folder.resolve(REPLACED));
        Set<Path> files = Set.of(folder.resolve(NOTE), folder.resolve(LOCK), progress(), keys());
        for (Path file : disk.list(folder)) {
            boolean isFolder = disk.kind(file) == Disk.FileKind.FOLDER;
            boolean isOurs = datasets.contains(file)
                    ? !isFolder || names.other(disk, file).isEmpty()
                    : !isFolder && (files.contains(file) || NewFile.isTemporary(file));
            if (!isOurs) {
                throw new FileAlreadyExistsException(
                        file.toString(), null, "it is not part of a conversion, or has a file that is not; remove it");
            }
        }
    }

    /// The size of all files of the target.
    long dataBytes() throws IOException {
        return bytes(data());
    }

    private long bytes(Path path) throws IOException {
        if (disk.kind(path) != Disk.FileKind.FOLDER) {
            try (Disk.Readable file = disk.open(path)) {
                return file.size();
            }
        }
        long sum = 0;
        for (Path file : disk.list(path)) {
            sum += bytes(file);
        }
        return sum;
    }

    /// The path that the target is written to.
    Path data() {
        return folder.resolve(Objects.requireNonNull(target.getFileName()));
    }

    /// The file that says what a copy has written.
    Path progress() {
        return folder.resolve(PROGRESS);
    }

    /// The path of an index of keys while the target is not published: in the folder of a dataset, or beside
    /// a file.
    Path keyIndex() throws IOException {
        return disk.isDirectory(data()) ? data().resolve(RecordKeys.FILE) : keys();
    }

    /// Temporary files of sorting are named after this one.
    Path scratch() {
        return keys();
    }

    /// The index of keys of a single file.
    private Path keys() {
        return folder.resolve(RecordKeys.FILE);
    }

    /// Whether an interrupted conversion with the same note has left data. Data of any other conversion is
    /// removed.
    boolean resume(Map<String, ?> note, boolean isResumable) throws IOException {
        byte[] wanted = ChecksummedJson.write(note);
        byte[] found = ChecksummedJson.read(disk, folder.resolve(NOTE));
        boolean hasData = disk.kind(data()) == Disk.FileKind.FOLDER || disk.kind(data()) == Disk.FileKind.FILE;
        if (isResumable && Arrays.equals(wanted, found) && hasData) {
            return true;
        }
        disk.deleteAll(data());
        disk.deleteAll(folder.resolve(COMPLETE));
        disk.delete(progress());
        disk.delete(keys());
        ChecksummedJson.publish(disk, folder.resolve(NOTE), wanted);
        return false;
    }

    /// Rejects a target that exists and may not be replaced, before anything is written.
    ///
    /// @param known the patterns of names below the target that belong to its format
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
        Optional<Path> other = OwnNames.of(known).other(disk, target);
        if (other.isPresent()) {
            throw new FileAlreadyExistsException(
                    target.toString(),
                    null,
                    "it is not replaced because it has the file " + other.get()
                            + ", which is not part of a dataset: remove the folder, or choose another");
        }
    }

    /// Publishes the complete target and removes the folder with the old target.
    void publish() throws IOException {
        giveAccess(oldFile(), data());
        publishKeys();
        if (disk.isDirectory(target) || disk.exists(target) && disk.isDirectory(data())) {
            replace();
        } else {
            disk.move(data(), target);
        }
        disk.forceDirectory(parent());
        remove();
    }

    /// The index of a single file appears just before it. It is not used for the old file, which has other
    /// records.
    private void publishKeys() throws IOException {
        Path published = target.resolveSibling(target.getFileName() + "." + RecordKeys.FILE);
        if (disk.exists(keys())) {
            giveAccess(oldFile(), keys());
            disk.move(keys(), published);
        } else if (disk.exists(target) && disk.exists(published)) {
            disk.delete(published);
        }
    }

    /// A file of the old dataset whose mode the new files get, or the target itself when there is none.
    private Path oldFile() throws IOException {
        if (disk.kind(target) != Disk.FileKind.FOLDER) {
            return target;
        }
        for (Path file : disk.list(target).stream().sorted().toList()) {
            boolean isHidden = file.getFileName().toString().startsWith(".");
            if (disk.kind(file) == Disk.FileKind.FILE && !isHidden) {
                return file;
            }
        }
        return target;
    }

    /// Folders get the access of the old folder, and files that of an old file.
    private void giveAccess(Path oldFile, Path path) throws IOException {
        if (disk.kind(path) == Disk.FileKind.FOLDER) {
            for (Path inside : disk.list(path)) {
                giveAccess(oldFile, inside);
            }
            disk.giveAccess(target, path);
        } else {
            disk.giveAccess(oldFile, path);
        }
    }

    /// Replaces a folder, or a file by a folder. The target exists at every moment if the file system can exchange
    /// two names. Otherwise it is absent between two renames; if the process ends there, [#open] restores it.
    private void replace() throws IOException {
        Path complete = folder.resolve(COMPLETE);
        disk.deleteAll(folder.resolve(REPLACED));
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
        disk.deleteAll(folder);
    }

    /// Removes the folder after an error. The error stays the one that is reported.
    void removeAfter(Throwable error) {
        try {
            remove();
        } catch (IOException e) {
            error.addSuppressed(e);
        }
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }
}
