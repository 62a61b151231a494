// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import dev.penstock.file.Location;
import dev.penstock.file.Storage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The files of a folder and its subfolders, in the order of the UTF-8 bytes of their names in each folder. Names
/// that begin with a dot are left out, and so are links to folders, which could lead in circles.
final class MediaFolder {
    private static final int DEPTH_MAX = 64;

    private MediaFolder() {}

    /// A file with its path below the folder, with `/` between names.
    record Entry(Location file, String path) {
        String name() {
            return path.substring(path.lastIndexOf('/') + 1);
        }

        /// The name of the folder that has the file, or null for the folder itself.
        String folder() {
            int end = path.lastIndexOf('/');
            return end < 0 ? null : path.substring(path.lastIndexOf('/', end - 1) + 1, end);
        }
    }

    /// What the first file of a known kind is, in the order of the media; null when there is none. Only as many
    /// folders are listed as it takes to find one.
    static MediaKind.Medium medium(Location folder, Storage storage) throws IOException {
        List<Location> folders = new ArrayList<>(List.of(folder));
        for (int depth = 0; depth < 3 && !folders.isEmpty(); depth++) {
            List<Location> next = new ArrayList<>();
            for (Location one : folders) {
                List<Location> files = new ArrayList<>();
                for (Location child : children(one, storage)) {
                    (storage.isFolder(child) ? next : files).add(child);
                }
                for (MediaKind.Medium medium : MediaKind.Medium.values()) {
                    boolean isThis = medium == MediaKind.Medium.TEXT
                            ? !files.isEmpty() && files.stream().allMatch(file -> medium.has(file.name()))
                            : files.stream().anyMatch(file -> medium.has(file.name()));
                    if (isThis) {
                        return medium;
                    }
                }
            }
            folders = next;
        }
        return null;
    }

    /// All files of a medium.
    static List<Entry> list(Location folder, Storage storage, MediaKind.Medium medium) throws IOException {
        List<Entry> entries = new ArrayList<>();
        visit(folder, "", storage, medium, 0, entries);
        return entries;
    }

    private static void visit(
            Location folder, String prefix, Storage storage, MediaKind.Medium medium, int depth, List<Entry> entries)
            throws IOException {
        if (depth > DEPTH_MAX) {
            throw new FileSystemException(folder.toString(), null, "the folders are nested too deeply");
        }
        for (Location child : children(folder, storage)) {
            if (storage.isFolder(child)) {
                visit(child, prefix + child.name() + "/", storage, medium, depth + 1, entries);
            } else if (medium.has(child.name())) {
                entries.add(new Entry(child, prefix + child.name()));
            }
        }
    }

    private static List<Location> children(Location folder, Storage storage) throws IOException {
        List<Location> children = new ArrayList<>();
        for (Location child : storage.list(folder)) {
            boolean isLink = child.isLocal() && Files.isSymbolicLink(child.path()) && storage.isFolder(child);
            if (!child.name().startsWith(".") && !isLink) {
                children.add(child);
            }
        }
        children.sort((one, other) -> Arrays.compareUnsigned(bytes(one), bytes(other)));
        return children;
    }

    private static byte[] bytes(Location file) {
        return file.name().getBytes(StandardCharsets.UTF_8);
    }
}
