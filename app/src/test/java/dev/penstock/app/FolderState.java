// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/// All names below a folder with their kind, size, time of change and bytes. Links are not followed.
record FolderState(Map<String, String> entries) {
    static FolderState of(Path folder) throws IOException {
        Map<String, String> entries = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path path : paths.toList()) {
                entries.put(folder.relativize(path).toString(), describe(path));
            }
        }
        return new FolderState(entries);
    }

    private static String describe(Path path) throws IOException {
        BasicFileAttributes found = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        CRC32C content = new CRC32C();
        content.update(found.isRegularFile() ? Files.readAllBytes(path) : new byte[0]);
        return "folder " + found.isDirectory() + ", link " + found.isSymbolicLink() + ", changed "
                + found.lastModifiedTime() + ", size " + found.size() + ", CRC " + content.getValue();
    }

    /// The names that differ, or an empty text.
    String difference(FolderState later) {
        StringBuilder text = new StringBuilder();
        entries.forEach((name, state) -> {
            if (!state.equals(later.entries.get(name))) {
                text.append(later.entries.containsKey(name) ? " changed: " : " gone: ")
                        .append(name);
            }
        });
        later.entries.keySet().stream()
                .filter(name -> !entries.containsKey(name))
                .forEach(name -> text.append(" new: ").append(name));
        return text.toString();
    }

    /// Copies a folder or a file with links as links.
    static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> paths = Files.walk(from)) {
            for (Path path : paths.toList()) {
                Files.copy(path, to.resolve(from.relativize(path).toString()), LinkOption.NOFOLLOW_LINKS);
            }
        }
    }

    /// Deletes a folder or a file, and follows no link.
    static void delete(Path path) throws IOException {
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            try (Stream<Path> inside = Files.list(path)) {
                for (Path one : inside.toList()) {
                    delete(one);
                }
            }
        }
        Files.deleteIfExists(path);
    }
}
