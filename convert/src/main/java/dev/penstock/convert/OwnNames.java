// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import dev.penstock.catalog.RecordKeys;
import dev.penstock.file.Disk;
import dev.penstock.file.NewFile;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The names below the folder of a dataset that belong to its format, so that the folder may be deleted if it has
/// no others. The patterns are those of [Target#folderNames].
record OwnNames(List<PathMatcher> files, List<PathMatcher> folders) {
    static OwnNames of(List<String> patterns) {
        OwnNames names = new OwnNames(new ArrayList<>(), new ArrayList<>());
        names.files.add(FileSystems.getDefault().getPathMatcher("glob:" + RecordKeys.FILE));
        for (String pattern : patterns) {
            boolean isFolder = pattern.endsWith("/");
            String glob = "glob:" + (isFolder ? pattern.substring(0, pattern.length() - 1) : pattern);
            (isFolder ? names.folders : names.files)
                    .add(FileSystems.getDefault().getPathMatcher(glob));
        }
        return names;
    }

    /// The first other name in a folder, if there is one. Looks into folders and not through links, as deleting
    /// does.
    Optional<Path> other(Disk disk, Path dataset) throws IOException {
        return other(disk, dataset, dataset);
    }

    private Optional<Path> other(Disk disk, Path dataset, Path folder) throws IOException {
        for (Path path : disk.list(folder)) {
            Path name = dataset.relativize(path);
            Disk.FileKind kind = disk.kind(path);
            boolean isFolder = kind == Disk.FileKind.FOLDER;
            // Only the name of a link, a pipe, a socket or a device is deleted, so it may be that of a folder.
            boolean isOwn = kind != Disk.FileKind.FILE && matches(folders, name)
                    || !isFolder && (matches(files, name) || NewFile.isTemporary(path));
            Optional<Path> other = isOwn ? Optional.empty() : Optional.of(name);
            if (isOwn && isFolder) {
                other = other(disk, dataset, path);
            }
            if (other.isPresent()) {
                return other;
            }
        }
        return Optional.empty();
    }

    private static boolean matches(List<PathMatcher> patterns, Path name) {
        return patterns.stream().anyMatch(pattern -> pattern.matches(name));
    }
}
