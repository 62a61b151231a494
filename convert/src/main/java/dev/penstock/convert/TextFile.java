// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Fingerprint;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import java.io.IOException;

/// A file of text on the disk or in a remote storage. It may be read several times.
///
/// @param name the name of the file in messages
record TextFile(Location location, ReaderOptions options, String name) {
    static TextFile at(Location location, ReaderOptions options) {
        return new TextFile(location, options, location.toString());
    }

    /// Opens the file.
    ///
    /// @throws NoSuchFileException when it does not exist
    /// @throws FileSystemException when it is a folder, a pipe, a socket or a device
    CountingStream open() throws IOException {
        return CountingStream.open(location, options);
    }

    /// A text that stays the same as long as the file does.
    ///
    /// @param kind the first word of the fingerprint
    String fingerprint(String kind) throws IOException {
        try (Disk.Readable file = options.storageOf(location).open(location)) {
            return new Fingerprint(kind)
                    .add(file.size())
                    .addSample(file.size(), file::read)
                    .text();
        }
    }
}
