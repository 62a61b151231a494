// SPDX-License-Identifier: Apache-2.0
package dev.penstock.pack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;

/// The size, modification time and identity of a file, used to notice that the file was changed while it was
/// packed.
///
/// @param key the file key of the file system, or null if it has none
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
        return new IOException(
                file + " was changed while it was being packed; pack again when no program writes to it");
    }
}
