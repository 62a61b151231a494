// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;

/// The few operations on files that everything else is built of.
///
/// It is a seam: the real one talks to the operating system, the ones in the tests record every operation, lose
/// what was not forced, or fail the n-th one. So nothing outside this interface may touch a file of ours.
public interface Disk {
    /// The file system of this machine.
    static Disk real() {
        return RealDisk.INSTANCE;
    }

    /// A new file to write.
    ///
    /// @throws java.nio.file.FileAlreadyExistsException when the name is taken
    Writable create(Path file) throws IOException;

    /// Opens an existing file for writing by position. Its bytes stay until they are written over, and writing
    /// behind its end makes it longer. Unlike a file from [#create] it carries no lock.
    Writable openForWriting(Path file) throws IOException;

    /// An existing file to read by position.
    Readable open(Path file) throws IOException;

    /// Opens a file that exists only to be locked, and creates it when it is absent. It must be opened by no other
    /// method, because closing any descriptor of a file ends all locks that the process has on it.
    Locks locks(Path file) throws IOException;

    /// All of a file as read-only memory that lives as long as the arena. No descriptor stays open.
    MemorySegment map(Path file, Arena arena) throws IOException;

    /// A range of a file as read-only memory that lives as long as the arena. No descriptor stays open.
    ///
    /// @throws java.io.EOFException when the file ends before the range does
    MemorySegment map(Path file, long offset, long byteCount, Arena arena) throws IOException;

    /// The name under which a file to be written is to appear: that of the file a link leads to.
    ///
    /// @throws IOException when the name is that of a device or a pipe, which cannot be replaced
    default Path target(Path file) throws IOException {
        return file;
    }

    /// Whether something has this name.
    boolean exists(Path file) throws IOException;

    /// Whether a folder has this name.
    boolean isDirectory(Path path) throws IOException;

    /// The names in a folder, in no order.
    List<Path> list(Path directory) throws IOException;

    /// Makes a folder unless it is there. Its own name is durable when its parent is forced.
    void createDirectory(Path directory) throws IOException;

    /// Gives a file another name in one step, replacing what had it.
    void move(Path from, Path to) throws IOException;

    /// Gives a file a second name, in the same file system. Both names lead to the same bytes.
    ///
    /// @throws java.nio.file.FileAlreadyExistsException when the new name is taken
    void link(Path existing, Path name) throws IOException;

    /// Removes a name if it exists.
    void delete(Path file) throws IOException;

    /// Removes a file that was being written by a process that is gone, and leaves one whose writer lives.
    void deleteAbandoned(Path file) throws IOException;

    /// Makes the names in a directory durable.
    void forceDirectory(Path directory) throws IOException;

    /// A file being written, by position. One thread at a time.
    interface Writable extends AutoCloseable {
        /// Writes all bytes of the source at a position.
        void write(MemorySegment source, long offset) throws IOException;

        /// Reads back what was written, as [Readable#read] does. Opening the file a second time for that would
        /// end its lock as soon as it is closed.
        long read(long offset, MemorySegment target) throws IOException;

        /// The length now.
        long size() throws IOException;

        /// Returns once content and length are on stable storage.
        void force() throws IOException;

        /// Returns once the content is on stable storage, up to the length that the last [#force] made durable.
        /// It is faster than [#force] because the file system need not write its own records. Bytes behind that
        /// length are not promised.
        void forceData() throws IOException;

        @Override
        void close() throws IOException;
    }

    /// A file being read, by position, from any number of threads.
    interface Readable extends AutoCloseable {
        /// The length now.
        long size() throws IOException;

        /// Fills the target from a position.
        ///
        /// @return the bytes read, fewer than wanted only when the file ends
        long read(long offset, MemorySegment target) throws IOException;

        @Override
        void close() throws IOException;
    }

    /// Locks on single bytes or ranges of one file.
    ///
    /// A lock belongs to this object: it keeps out every other process and every other holder in this process. The
    /// operating system ends the locks of a process that is gone. Locks say nothing about the bytes of the file,
    /// and locked bytes need not exist.
    ///
    /// **Threads.** Any number. Closing ends all locks that were taken through the object.
    interface Locks extends AutoCloseable {
        /// Takes a shared lock on one byte. Any number of holders may have one at the same time.
        ///
        /// @return null when another holder has an exclusive lock on the byte
        Lock tryShared(long byteIndex) throws IOException;

        /// Takes an exclusive lock on a range of bytes.
        ///
        /// @return null when another holder has any lock on one of the bytes
        Lock tryExclusive(long start, long byteCount) throws IOException;

        /// The text that the last [#setText] left in the file, or an empty text.
        String text() throws IOException;

        /// Leaves a short text in the file, for whoever fails to get a lock. It is not forced.
        ///
        /// @throws IllegalArgumentException when the text is longer than [#TEXT_SIZE_MAX] bytes
        void setText(String text) throws IOException;

        /// Bytes of a text. Locks that must not hinder reading the text, on systems where a locked byte cannot be
        /// read, begin behind them.
        int TEXT_SIZE_MAX = 512;

        @Override
        void close() throws IOException;
    }

    /// A lock that is held until it is closed, which may be done any number of times.
    interface Lock extends AutoCloseable {
        @Override
        void close() throws IOException;
    }
}
