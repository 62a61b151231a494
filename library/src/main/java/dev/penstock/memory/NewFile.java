// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A file that appears under its name only when it is complete.
///
/// It is written under a temporary name in the same folder. **Invariants** of publishing, in this order:
///
/// 1. all bytes are forced to stable storage;
/// 2. the file gets its name in one step;
/// 3. the folder is forced, so that the name survives a power cut too.
///
/// Closing without publishing removes the file. What a killed process left behind is removed by the next one that
/// writes a file of that name.
///
/// **Threads.** One at a time.
public final class NewFile implements AutoCloseable {
    /// Nobody else names files like this, so what has such a name and no living writer may be removed.
    private static final Pattern TEMPORARY = Pattern.compile("\\.penstock-[0-9a-f]{8}-\\d+\\.tmp");

    private static final int ATTEMPTS_MAX = 100;

    /// Bytes of the note in a file from [#createAlone].
    public static final int NOTE_SIZE_MAX = 96;

    /// What such a note looks like, followed by zeros or nothing.
    private static final Pattern NOTE = Pattern.compile("(process \\d+ on [\\w. -]+ since [\\w:-]+)\\x00*");

    /// The temporary files of this process, from before they are created until they have their name: longer than
    /// they are locked, which is how other processes know that their writer lives.
    private static final Map<Path, Disk> UNPUBLISHED = new ConcurrentHashMap<>();

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

    /// Begins a file.
    ///
    /// @param isReplacing whether a file that has the name already may be replaced
    /// @throws FileAlreadyExistsException when it may not and there is one
    public static NewFile create(Disk disk, Path path, boolean isReplacing) throws IOException {
        NewFile file = create(disk, path, isReplacing, ATTEMPTS_MAX);
        if (file == null) {
            throw new IOException(path + " is being written by " + ATTEMPTS_MAX + " others already");
        }
        return file;
    }

    /// Begins a file that only one writer at a time may write, among all processes: its temporary file is the
    /// lock.
    ///
    /// Until they are written over, its first [#NOTE_SIZE_MAX] bytes say who writes it. So a file that is
    /// published must be at least that long.
    ///
    /// @param dataset named in the message
    /// @throws FileSystemException when there is another writer; the message says who it is
    public static NewFile createAlone(Disk disk, Path path, Path dataset) throws IOException {
        NewFile file = create(disk, path, true, 1);
        if (file == null) {
            String holder = holder(disk, temporary(disk.target(path.toAbsolutePath()), 0));
            throw new FileSystemException(
                    dataset.toString(),
                    null,
                    "it is being written by " + holder + "; wait until that writer has finished");
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

    /// A file of this process must not be opened a second time, because closing it would end its lock.
    private static String holder(Disk disk, Path temporary) throws IOException {
        if (UNPUBLISHED.containsKey(temporary)) {
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

    private static NewFile create(Disk disk, Path path, boolean isReplacing, int attemptCount) throws IOException {
        Path target = disk.target(path.toAbsolutePath());
        Path folder = target.getParent();
        if (folder == null) {
            throw new IllegalArgumentException(path + " is no name for a file");
        }
        if (!isReplacing && disk.exists(target)) {
            throw new FileAlreadyExistsException(path.toString());
        }
        if (disk.isDirectory(target)) {
            throw new FileSystemException(path.toString(), null, "Is a directory");
        }
        if (!disk.exists(folder)) {
            throw new NoSuchFileException(folder.toString());
        }
        for (int attempt = 0; attempt < attemptCount; attempt++) {
            Path temporary = temporary(target, attempt);
            if (UNPUBLISHED.putIfAbsent(temporary, disk) == null) {
                try {
                    return new NewFile(disk, target, isReplacing, temporary, begin(disk, temporary));
                } catch (FileAlreadyExistsException e) {
                    // Another process writes it.
                    UNPUBLISHED.remove(temporary);
                } catch (Throwable e) {
                    UNPUBLISHED.remove(temporary);
                    throw e;
                }
            }
        }
        return null;
    }

    private static Disk.Writable begin(Disk disk, Path temporary) throws IOException {
        if (disk.exists(temporary)) {
            disk.deleteAbandoned(temporary);
        }
        return disk.create(temporary);
    }

    /// The name is short whatever the target's, and says which target it is for, so that the next writer of that
    /// target finds what was left.
    static Path temporary(Path target, int attempt) {
        byte[] name = target.getFileName().toString().getBytes(StandardCharsets.UTF_8);
        int hash = Crc32c.of(MemorySegment.ofArray(name));
        return target.resolveSibling(String.format(Locale.ROOT, ".penstock-%08x-%d.tmp", hash, attempt));
    }

    /// Whether a file is, by its name, an unfinished one of ours.
    public static boolean isTemporary(Path file) {
        return TEMPORARY.matcher(file.getFileName().toString()).matches();
    }

    /// Removes what is unfinished, for a process that is told to stop.
    public static void discardAll() {
        UNPUBLISHED.forEach((temporary, disk) -> {
            try {
                disk.delete(temporary);
            } catch (IOException e) {
                // The process ends; the next writer of that name removes it.
            }
        });
    }

    /// The name the file will have.
    public Path target() {
        return target;
    }

    /// Writes bytes at a position.
    public void write(MemorySegment source, long offset) throws IOException {
        file.write(source, offset);
    }

    /// Reads back bytes that were written.
    public void read(long offset, MemorySegment target) throws IOException {
        if (file.read(offset, target) < target.byteSize()) {
            throw new EOFException(temporary + " ends before byte " + (offset + target.byteSize()));
        }
    }

    /// Puts all bytes on stable storage, before several files are published together by [#publishUnforced].
    public void force() throws IOException {
        file.force();
    }

    /// Gives the file its name, durably. It is closed after that, since closing ends the lock.
    public void publish() throws IOException {
        file.force();
        move();
        file.close();
        disk.forceDirectory(target.getParent());
    }

    /// Gives the file its name without waiting for the disk: whole for every program, but perhaps gone or empty
    /// after a power cut. For files that can be made again.
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
        UNPUBLISHED.remove(temporary);
    }

    /// Removes the file unless it was published.
    @Override
    public void close() throws IOException {
        if (isFinished) {
            return;
        }
        isFinished = true;
        try {
            closeAndDelete();
        } finally {
            UNPUBLISHED.remove(temporary);
        }
    }

    /// Tries twice, so that a passing fault leaves nothing behind. The next writer removes what stays all the
    /// same.
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
