// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A file that becomes visible under its name only when it is complete.
///
/// It is written under a temporary name in the same folder. Publishing has three steps, in this order:
///
/// 1. all bytes are forced to stable storage;
/// 2. the file is renamed atomically;
/// 3. the folder is forced, so that the name survives a power failure.
///
/// Closing without publishing removes the file. A temporary file of a killed process is removed by the next
/// process that writes a file of the same name.
///
/// **Threads.** One thread at a time.
///
/// The temporary file of `NewFile.createAlone` is the lock of a writer that appends to a table, of a
/// `TreeWriter`, and of a `HybridTree` from its opening to its closing. The lock ends with the process, names
/// the process that holds it, and leaves nothing in the folder.
public final class NewFile implements AutoCloseable {
    private static final String TEMPORARY_START = ".penstock-";

    /// Only this program uses such names, so a file with such a name and no living writer may be removed.
    private static final Pattern TEMPORARY = Pattern.compile("\\.penstock-[0-9a-f]{8}-\\d+\\.tmp");

    private static final int ATTEMPTS_MAX = 100;

    /// The largest size of the note in a file from [#createAlone], in bytes.
    public static final int NOTE_SIZE_MAX = 96;

    /// A note, followed by zeros or nothing.
    private static final Pattern NOTE = Pattern.compile("(process \\d+ on [\\w. -]+ since [\\w:-]+)\\x00*");

    /// The temporary files of this process, from before they are created until they are renamed. That is longer
    /// than they are locked; other processes use the lock to see that the writer is alive.
    private static final Set<Unpublished> UNPUBLISHED = ConcurrentHashMap.newKeySet();

    private record Unpublished(Path temporary, Disk disk) {}

    private final Disk disk;
    private final Path target;
    private final boolean isReplacing;
    private final Path temporary;
    private final Disk.Writable file;
    private boolean isFinished;

    private NewFile(Disk disk, Path target, boolean isReplacing, Path temporary, Disk.Writable file) {
        this.disk = disk;
        this.target = target;
        this.isReplacing = isReplacing;
        this.temporary = temporary;
        this.file = file;
    }

    /// Creates a file inside a dataset.
    ///
    /// @param isReplacing whether an existing file may be replaced; its mode, owner and group are kept
    /// @throws FileAlreadyExistsException when it may not be replaced and exists
    /// @throws FileSystemException        when the path is a link, a folder, a pipe, a socket or a device
    public static NewFile create(Disk disk, Path path, boolean isReplacing) throws IOException {
        return createLike(disk, path, path, isReplacing);
    }

    /// Creates a file inside a dataset.
    ///
    /// @param like        the file of the dataset whose mode, owner and group the new file gets if it replaces
    ///                    none; it may be absent
    /// @param isReplacing as for [#create]
    public static NewFile createLike(Disk disk, Path path, Path like, boolean isReplacing) throws IOException {
        return create(disk, path, path, like, isReplacing);
    }

    /// Creates a file at a path that a user gives, which may be a link: the file that it leads to is replaced.
    public static NewFile createAt(Disk disk, Path path, boolean isReplacing) throws IOException {
        Path target = disk.target(path.toAbsolutePath());
        return create(disk, target, path, target, isReplacing);
    }

    private static NewFile create(Disk disk, Path path, Path named, Path like, boolean isReplacing) throws IOException {
        NewFile file = create(disk, path, named, like, isReplacing, ATTEMPTS_MAX);
        if (file == null) {
            throw new FileInUseException(path, ATTEMPTS_MAX + " others already");
        }
        return file;
    }

    /// Creates a file that only one writer among all processes may write at a time. Its temporary file is the
    /// lock.
    ///
    /// Until they are overwritten, its first [#NOTE_SIZE_MAX] bytes say who writes it. So a published file must be
    /// at least that long.
    ///
    /// @param dataset the path to name in the message
    /// @throws FileInUseException when there is another writer; the message says which process it is
    public static NewFile createAlone(Disk disk, Path path, Path dataset) throws IOException {
        NewFile file = create(disk, path, dataset, path, true, 1);
        if (file == null) {
            String holder = holder(disk, temporary(path.toAbsolutePath(), 0));
            throw new FileInUseException(dataset, holder);
        }
        try {
            byte[] note = WriterLock.self().getBytes(StandardCharsets.UTF_8);
            file.write(MemorySegment.ofArray(note).asSlice(0, Math.min(note.length, NOTE_SIZE_MAX)), 0);
            return file;
        } catch (Throwable e) {
            file.close();
            throw e;
        }
    }

    /// Describes the process that holds the lock. A file of this process must not be opened a second time, because
    /// closing it would release its lock.
    private static String holder(Disk disk, Path temporary) throws IOException {
        if (UNPUBLISHED.contains(new Unpublished(temporary, disk))) {
            return "another writer of this process";
        }
        byte[] bytes = new byte[NOTE_SIZE_MAX];
        try (Disk.Readable file = disk.open(temporary)) {
            int size = (int) file.read(0, MemorySegment.ofArray(bytes));
            String text = new String(bytes, 0, size, StandardCharsets.UTF_8);
            Matcher note = NOTE.matcher(text);
            return note.matches() ? note.group(1) : "another process";
        } catch (NoSuchFileException e) {
            return "another process";
        }
    }

    /// @param named the path in messages
    private static NewFile create(Disk disk, Path path, Path named, Path like, boolean isReplacing, int attemptCount)
            throws IOException {
        Path target = path.toAbsolutePath();
        disk.requireOwn(target);
        boolean isFolder = disk.isDirectory(target);
        if (!isReplacing && disk.exists(target)) {
            String reason = "it is a folder, which is not replaced by a file: remove it, or choose another name";
            throw new FileAlreadyExistsException(named.toString(), null, isFolder ? reason : null);
        }
        if (isFolder) {
            throw new FileSystemException(named.toString(), null, "Is a directory");
        }
        requireFolder(disk, target, named);
        Path model = disk.exists(target) ? target : like;
        for (int attempt = 0; attempt < attemptCount; attempt++) {
            Path temporary = temporary(target, attempt);
            Unpublished unpublished = new Unpublished(temporary, disk);
            if (UNPUBLISHED.add(unpublished)) {
                try {
                    return new NewFile(disk, target, isReplacing, temporary, begin(disk, temporary, model));
                } catch (FileAlreadyExistsException e) {
                    // Another process is writing this temporary file.
                    UNPUBLISHED.remove(unpublished);
                } catch (Throwable e) {
                    UNPUBLISHED.remove(unpublished);
                    throw e;
                }
            }
        }
        return null;
    }

    /// Requires that there is a folder for a new file.
    ///
    /// @param named the path in messages
    public static void requireFolder(Disk disk, Path file, Path named) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder == null) {
            throw new IllegalArgumentException(named + " is not a valid file name");
        }
        if (!disk.exists(folder)) {
            throw new NoSuchFileException(folder.toString());
        }
        if (!disk.isDirectory(folder)) {
            throw new FileSystemException(named.toString(), null, "Not a directory");
        }
    }

    private static Disk.Writable begin(Disk disk, Path temporary, Path like) throws IOException {
        if (disk.exists(temporary)) {
            disk.deleteAbandoned(temporary);
        }
        return disk.create(temporary, like);
    }

    /// The temporary name is short and derived from the target's name, so that the next writer of the same target
    /// finds abandoned files.
    static Path temporary(Path target, int attempt) {
        byte[] name = target.getFileName().toString().getBytes(StandardCharsets.UTF_8);
        int hash = Crc32c.of(MemorySegment.ofArray(name));
        return target.resolveSibling(String.format(Locale.ROOT, ".penstock-%08x-%d.tmp", hash, attempt));
    }

    /// Whether the name of a file is that of one of our temporary files.
    public static boolean isTemporary(Path file) {
        String name = file.getFileName().toString();
        return name.startsWith(TEMPORARY_START) && TEMPORARY.matcher(name).matches();
    }

    /// Removes all temporary files of this process, when it is told to stop.
    public static void discardAll() {
        for (Unpublished file : UNPUBLISHED) {
            try {
                file.disk.delete(file.temporary);
            } catch (IOException e) {
                // The process ends; the next writer of the same target removes the file.
            }
        }
    }

    /// The path of the published file.
    public Path target() {
        return target;
    }

    /// Writes bytes at an offset.
    public void write(MemorySegment source, long offset) throws IOException {
        file.write(source, offset);
    }

    /// Reads back bytes that were written.
    public void read(long offset, MemorySegment target) throws IOException {
        if (file.read(offset, target) < target.byteSize()) {
            throw new EOFException(temporary + " ends before byte " + (offset + target.byteSize()));
        }
    }

    /// Forces all bytes to stable storage, before several files are published together by [#publishUnforced].
    public void force() throws IOException {
        file.force();
    }

    /// Publishes the file durably. The file is closed last, because closing releases the lock.
    public void publish() throws IOException {
        file.force();
        move();
        file.close();
        disk.forceDirectory(target.getParent());
    }

    /// Publishes the file without waiting for the disk. Other programs see the complete file, but after a power
    /// failure it may be missing or empty. Use it for files that can be made again.
    public void publishUnforced() throws IOException {
        move();
        file.close();
    }

    private void move() throws IOException {
        if (!isReplacing && disk.exists(target)) {
            throw new FileAlreadyExistsException(target.toString());
        }
        disk.move(temporary, target);
        isFinished = true;
        UNPUBLISHED.remove(new Unpublished(temporary, disk));
    }

    /// Deletes the file unless it was published.
    @Override
    public void close() throws IOException {
        if (isFinished) {
            return;
        }
        isFinished = true;
        try {
            closeAndDelete();
        } finally {
            UNPUBLISHED.remove(new Unpublished(temporary, disk));
        }
    }

    /// Tries twice, so that a temporary error leaves nothing behind. If both fail, the next writer deletes the
    /// file.
    private void delete() throws IOException {
        try {
            disk.delete(temporary);
        } catch (IOException e) {
            disk.delete(temporary);
        }
    }

    private void closeAndDelete() throws IOException {
        try {
            delete();
        } finally {
            file.close();
        }
    }
}
