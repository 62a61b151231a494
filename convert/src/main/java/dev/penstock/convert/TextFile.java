// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.Fingerprint;
import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import io.airlift.compress.v3.zstd.ZstdInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/// A file of text on the disk or in a remote storage, perhaps packed. It may be read several times.
///
/// @param name the name of the file in messages
record TextFile(Location location, ReaderOptions options, String name) {
    private static final int BUFFER_SIZE = 1 << 16;

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

    /// The text of an open file: unpacked if its name ends in `.gz` or `.zst`.
    InputStream text(CountingStream stream) throws IOException {
        try {
            return name.endsWith(".gz")
                    ? new GZIPInputStream(stream, BUFFER_SIZE)
                    : name.endsWith(".zst") ? new ZstdInputStream(stream) : stream;
        } catch (ZipException | EOFException e) {
            stream.close();
            throw new BadInput(name + " is not gzip: " + e.getMessage(), e);
        }
    }

    /// Whether the cells of a line are separated by tabs instead of commas.
    boolean isTabbed() {
        return isNamed(name, ".tsv");
    }

    /// Whether the file is one JSON array of records, instead of a record in each line.
    boolean isArray() {
        return isNamed(name, ".json");
    }

    /// Whether a name ends like this, also if the file is packed.
    static boolean isNamed(String name, String extension) {
        return name.endsWith(extension) || name.endsWith(extension + ".gz") || name.endsWith(extension + ".zst");
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
