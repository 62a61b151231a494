// SPDX-License-Identifier: Apache-2.0
package dev.penstock.catalog;

import dev.penstock.file.Disk;
import dev.penstock.file.Location;
import dev.penstock.file.ReaderOptions;
import dev.penstock.file.Storage;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;

/// A location whose format has to be determined.
///
/// @param options the options that say which storage holds the location
/// @param kind    the kind of thing at the location
/// @param head    the first bytes of a file, at most [#HEAD_SIZE]; empty for a folder
public record Candidate(Location location, ReaderOptions options, Kind kind, byte[] head) {
    /// Enough for the magic number of every format.
    public static final int HEAD_SIZE = 512;

    /// The kind of thing at a location.
    public enum Kind {
        FILE,
        FOLDER,
        /// Nothing exists at the location. It may name a part of its parent, as in `FOLDER/NAME` or
        /// `FILE.npz/NAME`, or be a folder of a server that lists no names.
        ABSENT
    }

    /// Examines a location. The disk rejects pipes, devices and sockets.
    public static Candidate at(Location location, ReaderOptions options) throws IOException {
        return options.isOnDisk(location) ? onDisk(location, options) : remote(location, options);
    }

    private static Candidate onDisk(Location location, ReaderOptions options) throws IOException {
        if (options.disk().isDirectory(location.path())) {
            return new Candidate(location, options, Kind.FOLDER, new byte[0]);
        }
        if (!options.disk().exists(location.path())) {
            return new Candidate(location, options, Kind.ABSENT, new byte[0]);
        }
        return new Candidate(location, options, Kind.FILE, head(location, options));
    }

    /// Tries to read an object first, which needs one request.
    private static Candidate remote(Location location, ReaderOptions options) throws IOException {
        try {
            return new Candidate(location, options, Kind.FILE, head(location, options));
        } catch (NoSuchFileException e) {
            boolean isFolder = options.storageOf(location).isFolder(location);
            return new Candidate(location, options, isFolder ? Kind.FOLDER : Kind.ABSENT, new byte[0]);
        }
    }

    private static byte[] head(Location location, ReaderOptions options) throws IOException {
        byte[] head = new byte[HEAD_SIZE];
        try (Disk.Readable file = options.storageOf(location).open(location)) {
            return Arrays.copyOf(head, (int) file.read(0, MemorySegment.ofArray(head)));
        }
    }

    /// The storage that holds the location.
    public Storage storage() {
        return options.storageOf(location);
    }

    /// Whether the location is a file or folder of the disk. Only then [#path] and [#disk] lead to it.
    public boolean isOnDisk() {
        return options.isOnDisk(location);
    }

    /// The path of a file or folder of the disk.
    ///
    /// @throws UnsupportedOperationException when the location is remote
    public Path path() {
        return location.path();
    }

    /// The disk that holds local files.
    public Disk disk() {
        return options.disk();
    }

    /// Whether this is a file that begins with these bytes.
    public boolean startsWith(byte... magic) {
        return head.length >= magic.length && Arrays.equals(head, 0, magic.length, magic, 0, magic.length);
    }
}
