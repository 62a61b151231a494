// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.SortedMap;

/// Writes objects of a remote storage, each as a whole: small ones by one request, large ones in parts, which an
/// interrupted upload keeps. An object appears when it is complete. The server compares the bytes of each request
/// with a checksum.
///
/// **Threads.** Safe for any number of threads.
public interface ObjectWriter {
    /// An object as it is now.
    ///
    /// @param etag the version, in which MD5 is the checksum of many objects; see [ObjectTags]
    record Found(long size, String etag) {}

    /// Returns the object with this name, or null.
    Found find(Location object) throws IOException;

    /// Writes an object by one request.
    ///
    /// @param isNew whether the object must not exist
    /// @throws FileAlreadyExistsException when it exists and has other bytes
    void put(Location object, byte[] bytes, boolean isNew) throws IOException;

    /// Begins an upload in parts, and returns its name.
    String begin(Location object) throws IOException;

    /// The uploads of an object that were begun and neither completed nor given up, the oldest first.
    List<String> unfinished(Location object) throws IOException;

    /// The parts that an upload has, by their numbers from 1, with the tag of each.
    ///
    /// @throws NoSuchFileException when there is no such upload any more
    SortedMap<Integer, String> parts(Location object, String upload) throws IOException;

    /// Writes a part, or replaces it, and returns its tag.
    ///
    /// @param number from 1; all parts but the last have one size of at least 5 MiB
    String putPart(Location object, String upload, int number, byte[] bytes) throws IOException;

    /// Completes an upload.
    ///
    /// @param tags  the tags of the parts 1, 2 and so on
    /// @param isNew whether the object must not exist
    /// @throws FileAlreadyExistsException when it exists and has other bytes
    void complete(Location object, String upload, List<String> tags, boolean isNew) throws IOException;

    /// Gives up an upload, so that its parts take no space any more.
    void abort(Location object, String upload) throws IOException;

    /// Deletes an object, if it exists.
    void delete(Location object) throws IOException;
}
