// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import java.io.IOException;

/// Where a [DatasetCopy] writes: a folder of a disk, or a remote storage.
///
/// **Threads.** Parts may come from several threads.
interface CopyTarget extends AutoCloseable {
    /// Prepares the target, before anything is written.
    ///
    /// @throws java.nio.file.FileAlreadyExistsException when it exists and may not be replaced
    void begin() throws IOException;

    /// Writes a part of a file, unless an interrupted copy has written it.
    ///
    /// @param file the index of the file
    /// @param part the index of the part in the file
    /// @return the bytes that did not have to be written
    long write(int file, int part) throws IOException;

    /// Compares the complete target with the source.
    ///
    /// @throws dev.penstock.DatasetException when they differ
    void verify() throws IOException;

    /// Makes the target visible, if it is not, and removes what only the copy needed.
    void publish() throws IOException;

    /// Removes what cannot be used by the next attempt.
    void fail(Throwable failure);

    @Override
    void close() throws IOException;
}
