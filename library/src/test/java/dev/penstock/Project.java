// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The files of the project, for the tests that read them.
public final class Project {
    private static final List<String> MODULES = List.of(
            "library", "convert", "plugin", "loaderx", "groups", "objects", "game2048", "spark", "app", "benchmarks");

    private Project() {}

    /// The root of the project.
    public static Path root() {
        Path folder = Path.of(System.getProperty("penstock.root", "")).toAbsolutePath();
        while (!Files.exists(folder.resolve("testdata"))) {
            folder = folder.getParent();
        }
        return folder;
    }

    /// All Java sources, main and test.
    public static List<Path> sources() {
        return MODULES.stream()
                .map(module -> root().resolve(module).resolve("src"))
                .filter(Files::exists)
                .flatMap(Project::walk)
                .filter(file -> file.toString().endsWith(".java"))
                .sorted()
                .toList();
    }

    private static Stream<Path> walk(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Reads a text file of the project.
    public static String read(Path file) {
        try {
            return Files.readString(root().resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Compares a page with the parts of a test between two comments `// [name]`: every line of them must be on
    /// the page.
    ///
    /// @return the number of those lines
    public static int requireShown(String page, String source) {
        String text = read(Path.of(page));
        Matcher parts = Pattern.compile("// \\[(\\w+)\\]\n(.*?)// \\[\\1\\]", Pattern.DOTALL)
                .matcher(read(Path.of(source)));
        int lineCount = 0;
        while (parts.find()) {
            for (String line : parts.group(2).lines().toList()) {
                if (!text.contains(line.strip())) {
                    throw new AssertionError(page + " does not show: " + line.strip());
                }
                lineCount++;
            }
        }
        return lineCount;
    }
}
