// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.NoSuchFileException;
import java.util.List;

/// Where the bytes of a [Location] come from: the local disk, a web server, or object storage.
///
/// Three operations are enough to open a dataset: list the names in a folder, get the size of an object, and read
/// a range of its bytes. [ReaderOptions#storageOf] chooses the storage of a location: a [StorageProvider] adds one
/// for a scheme, and [ReaderOptions#withStorage] replaces all of them.
///
/// The storage decides whether it retries a failed request and how long it waits. Its methods may block. When
/// their thread is interrupted they should end soon with an exception: readers interrupt requests that are not
/// needed any more, and wait for them to end.
///
/// A storage answers three questions: list, size, read this range; a service on the classpath adds
/// one for a scheme ([StorageProvider]). Remote objects are open files like others ([RangeFile]), so readers
/// have no code of their own for it except for gathers. Any service can be connected with few lines, and
/// formats behave alike for local and remote files.
///
/// A request that fails is an error at once; the storage decides about repeating it. Only the storage knows
/// which failures are temporary, and how long to wait.
///
/// **Ownership.** The caller owns the storage. Closing a dataset leaves it open.
///
/// **Threads.** Must be safe for any number of threads.
public interface Storage {
    /// Gives access to the files of a disk as a storage.
    static Storage of(Disk disk) {
        return new DiskStorage(disk);
    }

    /// Lists the objects and folders directly in a folder, in no particular order. A storage without folders
    /// treats common name prefixes, up to a slash, as folders. The list is empty when the folder does not exist.
    List<Location> list(Location folder) throws IOException;

    /// The size of an object in bytes.
    ///
    /// @throws NoSuchFileException when the object does not exist
    long size(Location object) throws IOException;

    /// Fills the target with the bytes of an object that begin at an offset.
    ///
    /// @return the number of bytes read, which is less than the target's size only at the end of the object
    /// @throws NoSuchFileException when the object does not exist
    long read(Location object, long offset, MemorySegment target) throws IOException;

    /// Whether the location is a folder.
    default boolean isFolder(Location location) throws IOException {
        return !list(location).isEmpty();
    }

    /// Whether the location is an object or a folder.
    default boolean exists(Location location) throws IOException {
        try {
            size(location);
            return true;
        } catch (NoSuchFileException e) {
            return isFolder(location);
        }
    }

    /// Whether [#listed] knows the sizes and versions of objects.
    default boolean hasLists() {
        return false;
    }

    /// Whether the size and version of an object are known, so that opening it needs no request.
    default boolean isListed(Location object) {
        return false;
    }

    /// Lists a folder like [#list], with the sizes and versions of objects.
    ///
    /// @throws UnsupportedOperationException when they are not known
    default List<Listed> listed(Location folder) throws IOException {
        throw new UnsupportedOperationException();
    }

    /// Opens an object of a list, in the version that it had there.
    default Disk.Readable open(Listed object) throws IOException {
        return open(object.location());
    }

    /// Writes objects of this storage.
    ///
    /// @param location what is to be written, for the message
    /// @throws IllegalArgumentException when the storage is read-only
    default ObjectWriter writer(Location location) {
        throw new IllegalArgumentException(
                location + " cannot be written: this kind of storage is read-only; write to a local path or to s3://");
    }

    /// The sizes of requests for an object that suit the storage, as far as it knows them.
    default Pace pace(Location object) {
        return Pace.DEFAULT;
    }

    /// Opens an object for reading by position. A storage that knows versions of objects reads this version only,
    /// and fails with a [dev.penstock.DatasetException] when the object is replaced meanwhile.
    ///
    /// @return an open object whose exceptions name it
    /// @throws NoSuchFileException when the object does not exist
    default Disk.Readable open(Location object) throws IOException {
        return new StorageObject(this, object, size(object));
    }
}
