// SPDX-License-Identifier: Apache-2.0
package dev.penstock.catalog;

import dev.penstock.file.Disk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;

/// A path whose format has to be determined.
///
/// @param disk the disk that holds the path
/// @param kind the kind of thing at the path
/// @param head the first bytes of a file, at most [#HEAD_SIZE]; empty for a folder
public record Candidate(Path path, Disk disk, Kind kind, byte[] head) {
    /// Enough for the magic number of every format.
    public static final int HEAD_SIZE = 16;

    /// The kind of thing at a path.
    public enum Kind {
        FILE,
        FOLDER,
        /// Nothing exists at the path. It may name a part of its parent, as in `FOLDER/NAME` or `FILE.npz/NAME`.
        ABSENT
    }

    /// Examines a path. The disk rejects pipes, devices and sockets.
    public static Candidate at(Path path, Disk disk) throws IOException {
        if (disk.isDirectory(path)) {
            return new Candidate(path, disk, Kind.FOLDER, new byte[0]);
        }
        if (!disk.exists(path)) {
            return new Candidate(path, disk, Kind.ABSENT, new byte[0]);
        }
        return new Candidate(path, disk, Kind.FILE, head(path, disk));
    }

    private static byte[] head(Path path, Disk disk) throws IOException {
        byte[] head = new byte[HEAD_SIZE];
        try (Disk.Readable file = disk.open(path)) {
            return Arrays.copyOf(head, (int) file.read(0, MemorySegment.ofArray(head)));
        }
    }

    /// Whether this is a file that begins with these bytes.
    public boolean startsWith(byte... magic) {
        return head.length >= magic.length && Arrays.equals(head, 0, magic.length, magic, 0, magic.length);
    }
}
