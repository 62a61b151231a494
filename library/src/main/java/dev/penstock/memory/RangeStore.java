// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import dev.penstock.Location;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.NoSuchFileException;
import java.util.List;

/// A store of objects that are read by ranges, such as object storage or a web server.
///
/// Three answers are enough to open a dataset from it: the names in a folder, the size of an object, and a range
/// of its bytes. [ReaderOptions#withStore] makes readers use a store instead of the disk.
///
/// A store decides itself whether and how often it repeats a request that failed, and how long it waits for an
/// answer. Its methods may block. They should end soon, with an exception, when their thread is interrupted:
/// readers interrupt requests whose answer is not needed any more, and wait for them.
///
/// **Ownership.** The caller owns the store. Closing a dataset leaves it open.
///
/// **Threads.** Any number.
public interface RangeStore {
    /// The files of a disk as a store.
    static RangeStore of(Disk disk) {
        return new DiskStore(disk);
    }

    /// The objects and folders directly in a folder, in no order. A store without folders takes the common
    /// beginnings of names, up to a slash, for folders. Empty when there is no such folder.
    List<Location> list(Location folder) throws IOException;

    /// The size of an object in bytes.
    ///
    /// @throws NoSuchFileException when there is no such object
    long size(Location object) throws IOException;

    /// Fills the target with the bytes of an object that begin at an offset.
    ///
    /// @return the bytes read, fewer than wanted only when the object ends
    /// @throws NoSuchFileException when there is no such object
    long read(Location object, long offset, MemorySegment target) throws IOException;

    /// Whether a folder is here.
    default boolean isFolder(Location location) throws IOException {
        return !list(location).isEmpty();
    }

    /// Whether an object or a folder is here.
    default boolean exists(Location location) throws IOException {
        try {
            size(location);
            return true;
        } catch (NoSuchFileException e) {
            return isFolder(location);
        }
    }

    /// An object as a file that is read by position.
    ///
    /// @throws NoSuchFileException when there is no such object
    default Disk.Readable open(Location object) throws IOException {
        return new StoredObject(this, object, size(object));
    }
}
