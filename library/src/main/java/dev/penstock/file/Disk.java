// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.List;

/// The file operations that everything else is built on.
///
/// This is the seam for tests: the real disk calls the operating system, test disks record every operation, lose
/// bytes that were not forced, or fail the n-th operation. No code outside this interface may touch the files of a
/// dataset.
///
/// **Links.** Folders come from other people. A link inside a dataset is followed for reading only. Everything
/// that writes requires that the name is free, or is a file or folder itself ([#requireOwn]), and deleting a link
/// deletes the link alone. Only the path that a user gives for a dataset may lead through links ([#target]).
public interface Disk {
    /// The local file system.
    static Disk real() {
        return RealDisk.INSTANCE;
    }

    /// Creates a new file for writing.
    ///
    /// @throws java.nio.file.FileAlreadyExistsException when the file exists
    Writable create(Path file) throws IOException;

    /// Creates a new file with the mode, owner and group of another one as far as the system allows it: of the
    /// file that it is going to replace, or of one of the same dataset.
    ///
    /// @param like the other file, which may be absent
    default Writable create(Path file, Path like) throws IOException {
        return create(file);
    }

    /// Gives a file or folder the mode, owner and group of another one, as far as the system allows it. A folder
    /// that gets the mode of a file can be searched by those who can read the file.
    default void giveAccess(Path like, Path path) throws IOException {}

    /// Takes the access to a file or folder from everybody but its owner, if the system has modes.
    default void makePrivate(Path path) throws IOException {}

    /// Opens an existing file for writing by position. Bytes that are not overwritten stay, and writing beyond the
    /// end makes the file longer. Unlike a file from [#create], it is not locked.
    ///
    /// @throws java.nio.file.FileSystemException when it is a link, or not a file
    Writable openForWriting(Path file) throws IOException;

    /// Opens an existing file for reading by position.
    Readable open(Path file) throws IOException;

    /// Opens a lock file, and creates it if it does not exist. A lock file must not be opened by any other method,
    /// because closing any descriptor of it releases all locks of the process on it.
    ///
    /// @throws java.nio.file.FileSystemException when it is a link, or not a file
    Locks locks(Path file) throws IOException;

    /// Opens an existing file to lock ranges of it while its content is read and written through other handles,
    /// such as a database that programs of other processes lock in the same way.
    ///
    /// @throws java.nio.file.NoSuchFileException when the file does not exist
    RangeLocks rangeLocks(Path file) throws IOException;

    /// Maps a whole file as read-only memory that lives as long as the arena. No descriptor stays open.
    MemorySegment map(Path file, Arena arena) throws IOException;

    /// Maps a range of a file as read-only memory that lives as long as the arena. No descriptor stays open.
    ///
    /// @throws java.io.EOFException when the file ends before the range
    MemorySegment map(Path file, long offset, long byteCount, Arena arena) throws IOException;

    /// The path that a new file should be published under: the target of a symbolic link, otherwise the path
    /// itself.
    ///
    /// @throws IOException when the path is a device or a pipe, which cannot be replaced
    default Path target(Path file) throws IOException {
        return file;
    }

    /// The kinds of names in a folder.
    enum FileKind {
        ABSENT,
        FILE,
        FOLDER,
        LINK,
        /// A pipe, a socket or a device.
        OTHER
    }

    /// The kind of a name. A link is not followed.
    default FileKind kind(Path path) throws IOException {
        return !exists(path) ? FileKind.ABSENT : isDirectory(path) ? FileKind.FOLDER : FileKind.FILE;
    }

    /// Requires that a name inside a dataset can be written to: it is free, or is a file or folder itself.
    ///
    /// @throws FileSystemException when it is a link, a pipe, a socket or a device
    default void requireOwn(Path path) throws IOException {
        switch (kind(path)) {
            case LINK ->
                throw new FileSystemException(
                        path.toString(),
                        null,
                        "this is a link, and nothing in a dataset is written through links; put the file or folder"
                                + " that it leads to in its place");
            case OTHER ->
                throw new FileSystemException(
                        path.toString(), null, "this is a pipe, a socket or a device, which is not part of a dataset");
            default -> {}
        }
    }

    /// Whether a file or folder with this path exists.
    boolean exists(Path file) throws IOException;

    /// Whether the path is a folder.
    boolean isDirectory(Path path) throws IOException;

    /// Lists the entries of a folder, in no particular order.
    List<Path> list(Path directory) throws IOException;

    /// Creates a folder if it does not exist. The new folder is durable once its parent is forced.
    ///
    /// @throws java.nio.file.FileSystemException when the path is a link, also one to a folder
    void createDirectory(Path directory) throws IOException;

    /// Renames a file atomically and replaces an existing target.
    void move(Path from, Path to) throws IOException;

    /// Exchanges the names of two existing files or folders in one step.
    ///
    /// @return false when the file system cannot do it; then nothing has changed
    boolean exchange(Path one, Path other) throws IOException;

    /// Creates a hard link: a second name for the same file, in the same file system.
    ///
    /// @throws java.nio.file.FileAlreadyExistsException when the new name exists
    void link(Path existing, Path name) throws IOException;

    /// Deletes a file, an empty folder or a link, if it exists.
    void delete(Path file) throws IOException;

    /// Deletes a file, or a folder with everything in it, if it exists. Links are deleted and never followed.
    default void deleteAll(Path path) throws IOException {
        if (kind(path) == FileKind.FOLDER) {
            for (Path inside : list(path)) {
                deleteAll(inside);
            }
        }
        delete(path);
    }

    /// Deletes a temporary file whose writing process has ended, and keeps one whose writer is still alive.
    ///
    /// @throws java.nio.file.FileSystemException when it is a link, or not a file
    void deleteAbandoned(Path file) throws IOException;

    /// Makes the names in a folder durable.
    void forceDirectory(Path directory) throws IOException;

    /// A file that is written by position, by one thread at a time.
    interface Writable extends AutoCloseable {
        /// Writes all bytes of the source at an offset.
        void write(MemorySegment source, long offset) throws IOException;

        /// Reads bytes back, like [Readable#read]. Opening the file a second time for this would release its lock
        /// as soon as it is closed.
        long read(long offset, MemorySegment target) throws IOException;

        /// The current length of the file.
        long size() throws IOException;

        /// Starts writing the bytes so far to the disk, in the background, so that [#force] finds less to do. It
        /// guarantees nothing.
        default void beginWriteOut() throws IOException {}

        /// Returns when content and length are on stable storage.
        void force() throws IOException;

        /// Returns when the content is on stable storage, up to the length that the last [#force] made durable.
        /// This is faster than [#force], because the file system does not write its metadata. Bytes beyond that
        /// length may be lost.
        void forceData() throws IOException;

        @Override
        void close() throws IOException;
    }

    /// A file that is read by position, by any number of threads.
    interface Readable extends AutoCloseable {
        /// The current length of the file.
        long size() throws IOException;

        /// Fills the target from an offset.
        ///
        /// @return the number of bytes read, which is less than the target's size only at the end of the file
        long read(long offset, MemorySegment target) throws IOException;

        /// The modification time of the file when it was opened, in nanoseconds since 1970, or 0 if it is not
        /// known.
        default long modifiedNanos() {
            return 0;
        }

        /// A text that no other content of the same file or object has, such as the `ETag` of an object; empty if
        /// there is none.
        default String version() {
            return "";
        }

        @Override
        void close() throws IOException;
    }

    /// Locks on bytes or byte ranges of one file.
    ///
    /// A lock belongs to this object: it excludes all other processes and all other holders in this process. The
    /// operating system releases the locks of a process that ends. Locks do not protect the content of the file,
    /// and locked bytes need not exist.
    ///
    /// **Threads.** Safe for any number of threads. Closing releases all locks that were taken through the object.
    interface Locks extends AutoCloseable {
        /// Takes a shared lock on one byte. Any number of holders may hold it at the same time.
        ///
        /// @return null when another holder has an exclusive lock on the byte
        Lock tryShared(long byteIndex) throws IOException;

        /// Takes an exclusive lock on a range of bytes.
        ///
        /// @return null when another holder has any lock on one of the bytes
        Lock tryExclusive(long start, long byteCount) throws IOException;

        /// The text written by the last [#setText], or an empty text.
        String text() throws IOException;

        /// Writes a short text to the file, to be shown to those who fail to get a lock. It is not forced to disk.
        ///
        /// @throws IllegalArgumentException when the text is longer than [#TEXT_SIZE_MAX] bytes
        void setText(String text) throws IOException;

        /// The largest size of the text in bytes. Some systems do not allow a locked byte to be read, so locks
        /// begin after the text.
        int TEXT_SIZE_MAX = 512;

        @Override
        void close() throws IOException;
    }

    /// Locks on ranges of a file that other handles of this process may open and close.
    ///
    /// A lock belongs to this object: it excludes all other processes and all other holders in this process, and
    /// ends when this object is closed or the process ends. Locks are advisory.
    ///
    /// **Threads.** One thread at a time.
    interface RangeLocks extends AutoCloseable {
        /// Takes a shared lock on one byte.
        ///
        /// @return null when another holder has an exclusive lock on the byte
        Lock tryShared(long byteIndex) throws IOException;

        /// Takes an exclusive lock on a range of bytes.
        ///
        /// @return null when another holder has any lock on one of the bytes
        Lock tryExclusive(long start, long byteCount) throws IOException;

        /// Whether the path still leads to this file. Another process may have replaced it.
        boolean isCurrent() throws IOException;

        @Override
        void close() throws IOException;
    }

    /// A lock that is held until it is closed. Closing it again has no effect.
    interface Lock extends AutoCloseable {
        @Override
        void close() throws IOException;
    }
}
