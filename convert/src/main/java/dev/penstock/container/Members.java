// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import java.io.IOException;

/// The files inside an archive, in order.
///
/// **Threads.** One thread at a time.
interface Members extends AutoCloseable {
    /// A file inside an archive.
    ///
    /// @param offset the offset of its header in the archive, or 0 when the format does not tell
    record Member(String name, long size, long offset) {}

    /// Goes to the next file. Folders, links and devices are left out.
    ///
    /// @return the file, or null at the end
    /// @throws dev.penstock.DatasetException when the archive is damaged
    Member next() throws IOException;

    /// Reads the content of the file that [#next] returned.
    byte[] content() throws IOException;

    /// The bytes of the archive that were read, for the progress.
    long doneBytes();

    @Override
    void close() throws IOException;
}
