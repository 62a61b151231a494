// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;

/// What tells that a file is still the one it was.
///
/// @param key the file system's identity of the file, or null where it has none
record FileState(long size, FileTime modified, Object key) {
    static FileState of(Path file) throws IOException {
        BasicFileAttributes attributes =
                Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        return new FileState(attributes.size(), attributes.lastModifiedTime(), attributes.fileKey());
    }

    void requireUnchanged(Path file) throws IOException {
        if (!equals(of(file))) {
            throw changed(file);
        }
    }

    static IOException changed(Path file) {
        return new IOException(file + " changed while it was packed; pack again when nobody writes to it");
    }
}
