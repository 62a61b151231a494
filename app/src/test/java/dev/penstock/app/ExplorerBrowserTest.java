// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.penstock.catalog.Catalog;
import dev.penstock.explorer.Explorer;
import dev.penstock.explorer.Shelf;
import dev.penstock.file.Location;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/// The explorer in Chromium: every page on every format, keys, back and forward, hostile content, small and large
/// screens. The checks are in `explorer/src/test/browser`; `explorer/browser.sh` installs what they need.
@Tag("full")
final class ExplorerBrowserTest {
    private static final Path CHROMIUM = Path.of("/usr/bin/chromium");

    @TempDir
    static Path folder;

    @TestFactory
    Stream<DynamicTest> pages() throws Exception {
        Path data = ExplorerData.write(folder);
        try (Shelf shelf = Shelf.of(List.of(Location.of(data)), Catalog.Options.DEFAULT);
                Explorer explorer = Explorer.start(shelf, Explorer.Options.DEFAULT)) {
            Consumer<String> write = line -> {
                if (line.equals("write")) {
                    ExplorerData.append(data.resolve("table.store"), data.resolve("table.npy"));
                }
            };
            List<String> lines = run(
                    write,
                    "explorer.mjs",
                    explorer.url().toString(),
                    screenshots().toString());
            lines.stream()
                    .filter(line -> line.startsWith("figure "))
                    .forEach(line -> System.out.println("explorer " + line));
            List<String> results = lines.stream()
                    .filter(line -> line.matches("(ok|failed) .*"))
                    .toList();
            assertTrue(results.size() > 10, lines.toString());
            return results.stream().map(ExplorerBrowserTest::test);
        }
    }

    @Test
    void aStoppedServerIsSaidToBeStopped() throws Exception {
        Path data = ExplorerData.sparse(folder.resolve("stopped.npy"), 1_000_000_000);
        try (Shelf shelf = Shelf.of(List.of(Location.of(data)), Catalog.Options.DEFAULT)) {
            Explorer explorer = Explorer.start(shelf, Explorer.Options.DEFAULT);
            try {
                Consumer<String> stop = line -> {
                    if (line.equals("ready")) {
                        explorer.close();
                    }
                };
                List<String> lines = run(stop, "stopped.mjs", explorer.url().toString());
                assertEquals(List.of("ready", "ok a stopped server"), lines);
            } finally {
                explorer.close();
            }
        }
    }

    private static DynamicTest test(String line) {
        String name = line.replaceFirst("^(ok|failed) ", "").replaceFirst(": .*", "");
        return DynamicTest.dynamicTest(name, () -> assertTrue(line.startsWith("ok "), line));
    }

    /// The pictures stay after the test, to be looked at.
    private static Path screenshots() throws IOException {
        return Files.createDirectories(CommandRun.root().resolve("target/browser/screenshots"));
    }

    /// Runs a script with checks and returns the lines that it printed.
    ///
    /// @param noticed is called with each line at once
    private static List<String> run(Consumer<String> noticed, String script, String... arguments) throws Exception {
        Path modules = CommandRun.root().resolve("target/browser/node_modules");
        assumeTrue(
                Files.isExecutable(CHROMIUM) && Files.isDirectory(modules.resolve("playwright-core")),
                "needs Chromium and playwright-core: explorer/browser.sh installs them");
        Path file = CommandRun.root().resolve("explorer/src/test/browser").resolve(script);
        List<String> words = new ArrayList<>(List.of("node", file.toString()));
        words.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true);
        builder.environment().put("BROWSER_MODULES", modules.toString());
        builder.environment().put("CHROMIUM", CHROMIUM.toString());
        Process process = builder.start();
        List<String> lines = new ArrayList<>();
        try (BufferedReader reader = process.inputReader()) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(line);
                noticed.accept(line);
            }
        }
        assertEquals(0, process.waitFor(), String.join("\n", lines));
        return lines;
    }
}
