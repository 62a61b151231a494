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

    /// An existing file to read by position.
    Readable open(Path file) throws IOException;

    /// All of a file as read-only memory that lives as long as the arena. No descriptor stays open.
    MemorySegment map(Path file, Arena arena) throws IOException;

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

        /// Returns once content and length are on stable storage.
        void force() throws IOException;

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
}
