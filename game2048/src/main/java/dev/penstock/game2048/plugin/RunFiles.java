// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048.plugin;

import dev.penstock.game2048.RunVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// Finds the run files of a path.
final class RunFiles {
    private RunFiles() {}

    /// Returns the file itself, or all files of a folder and its subfolders that have the extension of a run, in
    /// order.
    ///
    /// @throws IllegalArgumentException when the folder has no run files
    static List<Path> list(Path path) throws IOException {
        if (!Files.exists(path)) {
            throw new NoSuchFileException(path.toString());
        }
        if (!Files.isDirectory(path)) {
            return List.of(path);
        }
        try (Stream<Path> files = Files.walk(path)) {
            List<Path> runs = files.filter(RunFiles::isRun)
                    .filter(Files::isRegularFile)
                    .sorted()
                    .toList();
            if (runs.isEmpty()) {
                throw new IllegalArgumentException("no .a2run2 or .a2run files found in " + path);
            }
            return runs;
        }
    }

    private static boolean isRun(Path file) {
        String name = file.getFileName().toString();
        return name.endsWith(RunVersion.V2.extension()) || name.endsWith(RunVersion.V1.extension());
    }
}
