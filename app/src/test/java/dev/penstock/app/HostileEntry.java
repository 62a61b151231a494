// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;

/// What somebody may have put in the place of a file or folder of a dataset.
enum HostileEntry {
    LINK_TO_COPY,
    LINK_TO_FILE,
    LINK_TO_FOLDER,
    LINK_TO_ITSELF,
    LINK_TO_NOTHING,
    LINK_TO_ZEROS,
    LINK_TO_FULL,
    PIPE,
    DEVICE,
    SOCKET,
    FOLDER,
    EMPTY,
    HUGE,
    GROWN;

    /// Larger than any memory, and quickly made because it has no blocks.
    private static final long HUGE_BYTES = 1L << 38;

    /// More than any command may keep in memory, and little enough to be read in a second.
    private static final long GROWTH_BYTES = 1L << 30;

    /// The name of a file that nobody but its owner deletes.
    static final String PRECIOUS = "precious";

    /// Whether the dataset may be read through it with the same content.
    boolean isLinkOutside() {
        return this == LINK_TO_COPY || this == LINK_TO_FILE || this == LINK_TO_FOLDER || this == LINK_TO_NOTHING;
    }

    /// Puts this in the place of a file or folder, or at a name that is free.
    ///
    /// @param outside the folder that must not change
    /// @param special the folder with a pipe, a socket and a device
    /// @return false when there is no such thing on this system or at this place
    boolean put(Path path, Path outside, Path special) throws IOException {
        boolean isFile = Files.isRegularFile(path);
        if (this == GROWN) {
            return isFile && grow(path, Files.size(path) + GROWTH_BYTES);
        }
        if (this == LINK_TO_COPY) {
            if (!Files.exists(path)) {
                return false;
            }
            FolderState.copy(path, outside.resolve("copy"));
        }
        FolderState.delete(path);
        return make(path, outside, special);
    }

    private boolean make(Path path, Path outside, Path special) throws IOException {
        switch (this) {
            case LINK_TO_COPY -> Files.createSymbolicLink(path, outside.resolve("copy"));
            case LINK_TO_FILE -> Files.createSymbolicLink(path, outside.resolve("file"));
            case LINK_TO_FOLDER -> Files.createSymbolicLink(path, outside.resolve("folder"));
            case LINK_TO_ITSELF -> Files.createSymbolicLink(path, path.getFileName());
            case LINK_TO_NOTHING -> Files.createSymbolicLink(path, outside.resolve("nothing"));
            case LINK_TO_ZEROS -> Files.createSymbolicLink(path, Path.of("/dev/zero"));
            case LINK_TO_FULL -> Files.createSymbolicLink(path, Path.of("/dev/full"));
            case FOLDER -> Files.writeString(Files.createDirectory(path).resolve(PRECIOUS), "mine");
            case EMPTY -> Files.createFile(path);
            case HUGE -> grow(path, HUGE_BYTES);
            default -> {
                Path kept = special.resolve(name());
                if (!Files.exists(kept)) {
                    return false;
                }
                Files.createLink(path, kept);
            }
        }
        return true;
    }

    private static boolean grow(Path path, long size) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.setLength(size);
        }
        return true;
    }
}
