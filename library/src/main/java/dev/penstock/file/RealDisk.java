// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/// The file system of the operating system.
final class RealDisk implements Disk {
    static final Disk INSTANCE = new RealDisk();

    private RealDisk() {}

    @Override
    public Writable create(Path file) throws IOException {
        return locked(
                file,
                FileChannel.open(
                        file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE));
    }

    /// The file is private until it has the mode of the other file, so that its content is never readable for more
    /// users.
    @Override
    public Writable create(Path file, Path like) throws IOException {
        AccessRights rights = AccessRights.of(like);
        if (rights == null) {
            return create(file);
        }
        Set<StandardOpenOption> options =
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
        Writable created = locked(file, FileChannel.open(file, options, AccessRights.PRIVATE));
        try {
            rights.giveTo(file);
            return created;
        } catch (Throwable e) {
            Files.deleteIfExists(file);
            created.close();
            throw e;
        }
    }

    @Override
    public void giveAccess(Path like, Path path) throws IOException {
        AccessRights rights = AccessRights.of(like);
        if (rights != null) {
            rights.giveTo(path);
        }
    }

    @Override
    public void makePrivate(Path path) throws IOException {
        AccessRights rights = AccessRights.of(path);
        if (rights != null) {
            rights.ofOwner().giveTo(path);
        }
    }

    /// Locks a new temporary file.
    ///
    /// Until it is locked, another process may take it for an abandoned file, delete it, and create a file of its
    /// own under the same name. Publishing would then rename the unfinished file of that process. So the name has
    /// to lead to the file that is locked here.
    ///
    /// @param channel the new file; closed when it cannot be used
    /// @throws FileAlreadyExistsException when another process has taken the name
    static Writable locked(Path file, FileChannel channel) throws IOException {
        FileChannel named = null;
        try {
            named = lock(channel) ? FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS) : null;
            if (named != null && isLockedHere(named)) {
                // Closing the second channel would release the lock, so both stay open.
                return new ChannelWritable(file, channel, named);
            }
        } catch (NoSuchFileException e) {
            // Another process has deleted the file.
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        channel.close();
        if (named != null) {
            named.close();
        }
        throw new FileAlreadyExistsException(file.toString(), null, "another process is removing it");
    }

    /// Locks a temporary file. The lock ends with the process, which tells [#deleteAbandoned] that the file is
    /// abandoned. On a file system without locks, abandoned files are not cleaned up.
    ///
    /// @return false when another process found the new file before it was locked and is about to delete it
    private static boolean lock(FileChannel channel) {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    /// Whether this process has locked the file through another channel. Java compares the files and not their
    /// names. On a file system without locks the answer is always yes.
    private static boolean isLockedHere(FileChannel channel) {
        try {
            channel.tryLock();
            return false;
        } catch (OverlappingFileLockException | IOException e) {
            return true;
        }
    }

    @Override
    public Writable openForWriting(Path file) throws IOException {
        requireOwn(file);
        FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
        return new ChannelWritable(file, channel, null);
    }

    @Override
    public Readable open(Path file) throws IOException {
        return ChannelReadable.open(file);
    }

    @Override
    public Locks locks(Path file) throws IOException {
        requireOwn(file);
        return ChannelLocks.open(file);
    }

    @Override
    public RangeLocks rangeLocks(Path file) throws IOException {
        return DescriptionLocks.isSupported() ? DescriptionLocks.open(file) : ChannelLocks.openExisting(file);
    }

    @Override
    public MemorySegment map(Path file, Arena arena) throws IOException {
        requireFile(file);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return map(channel, file, 0, channel.size(), arena);
        }
    }

    @Override
    public MemorySegment map(Path file, long offset, long byteCount, Arena arena) throws IOException {
        requireFile(file);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            requireRange(file, offset, byteCount, channel.size());
            return map(channel, file, offset, byteCount, arena);
        }
    }

    /// Rejects a range beyond the end of a file, because reading it through a mapping would raise a fault.
    static void requireRange(Path file, long offset, long byteCount, long size) throws IOException {
        if (offset < 0 || byteCount < 0) {
            throw new IllegalArgumentException(
                    "offset " + offset + " and byteCount " + byteCount + " must not be negative");
        }
        if (offset > size || byteCount > size - offset) {
            throw new EOFException(
                    file + " has " + size + " bytes: " + byteCount + " bytes from byte " + offset + " cannot be read");
        }
    }

    private static MemorySegment map(FileChannel channel, Path file, long offset, long byteCount, Arena arena)
            throws IOException {
        try {
            return channel.map(FileChannel.MapMode.READ_ONLY, offset, byteCount, arena);
        } catch (IOException e) {
            throw new IOException(file + " cannot be mapped: " + e.getMessage(), e);
        }
    }

    /// Rejects anything that is not a file or a link to one.
    ///
    /// @return the attributes of the file
    static BasicFileAttributes requireFile(Path file) throws IOException {
        BasicFileAttributes attributes = requireOpenable(file);
        if (attributes.isDirectory()) {
            // A channel to a folder opens, and its first read fails with a message that does not name the folder.
            throw new FileSystemException(file.toString(), null, "Is a directory");
        }
        return attributes;
    }

    /// Rejects anything that is not a file or folder: opening a pipe could wait for a writer for ever.
    ///
    /// @return the attributes of the file
    static BasicFileAttributes requireOpenable(Path file) throws IOException {
        BasicFileAttributes attributes;
        try {
            attributes = Files.readAttributes(file, BasicFileAttributes.class);
        } catch (FileSystemException e) {
            // Java has no exception type for a link that leads to itself, only this message.
            boolean isLoop = e.getReason() != null && e.getReason().endsWith("symbolic link");
            throw isLoop ? new FileSystemLoopException(file.toString()) : e;
        }
        if (attributes.isOther()) {
            throw new FileSystemException(
                    file.toString(),
                    null,
                    "this is a pipe, a socket or a device; only files and folders can be opened");
        }
        return attributes;
    }

    @Override
    public Path target(Path file) throws IOException {
        if (!Files.exists(file)) {
            kind(file);
            return file;
        }
        if (!Files.isRegularFile(file) && !Files.isDirectory(file)) {
            throw new FileSystemException(
                    file.toString(), null, "this is a pipe, a socket or a device, which cannot be replaced by a file");
        }
        return Files.isSymbolicLink(file) ? file.toRealPath() : file;
    }

    /// Also rejects a name that no file can have, because it is too long. Without this, writing would fail only at
    /// the end, with the name of the temporary file.
    @Override
    public FileKind kind(Path path) throws IOException {
        try {
            BasicFileAttributes found =
                    Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return found.isSymbolicLink()
                    ? FileKind.LINK
                    : found.isDirectory() ? FileKind.FOLDER : found.isRegularFile() ? FileKind.FILE : FileKind.OTHER;
        } catch (NoSuchFileException e) {
            return FileKind.ABSENT;
        }
    }

    @Override
    public boolean exists(Path file) {
        return Files.exists(file, LinkOption.NOFOLLOW_LINKS);
    }

    @Override
    public boolean isDirectory(Path path) {
        return Files.isDirectory(path);
    }

    @Override
    public List<Path> list(Path directory) throws IOException {
        requireOpenable(directory);
        try (Stream<Path> names = Files.list(directory)) {
            return names.toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    @Override
    public void createDirectory(Path directory) throws IOException {
        requireOwn(directory);
        try {
            Files.createDirectory(directory);
        } catch (FileAlreadyExistsException e) {
            if (kind(directory) != FileKind.FOLDER) {
                throw e;
            }
        }
    }

    @Override
    public void move(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public boolean exchange(Path one, Path other) throws IOException {
        return NameExchange.exchange(one, other);
    }

    @Override
    public void link(Path existing, Path name) throws IOException {
        Files.createLink(name, existing);
    }

    @Override
    public void delete(Path file) throws IOException {
        Files.deleteIfExists(file);
    }

    @Override
    public void deleteAbandoned(Path file) throws IOException {
        try {
            requireOwn(file);
            AccessRights.letOwnerWrite(file);
            Object identity = identity(file);
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
                    FileLock lock = channel.tryLock()) {
                // Otherwise another process has deleted the file that is locked here and has created a new one.
                if (lock != null && Objects.equals(identity, identity(file))) {
                    Files.deleteIfExists(file);
                }
            }
        } catch (OverlappingFileLockException | NoSuchFileException e) {
            // The writer is another thread of this process, or has just finished.
        }
    }

    /// A key that distinguishes a file from another file with the same path, or null if the file system has none.
    static Object identity(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        requireOpenable(directory);
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
