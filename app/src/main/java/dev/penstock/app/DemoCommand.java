// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.memory.AvailableMemory;
import dev.penstock.memory.Parallel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine;

/// The main job from end to end, on data it makes itself.
@CommandLine.Command(
        name = "demo",
        header = "Show the main job from end to end, on data made for it (about 170 MB, removed afterwards).",
        footer = {"", "Example:", "  penstock demo"})
final class DemoCommand extends Command {
    private final Map<String, Object> figures = new LinkedHashMap<>();

    @Override
    public Integer call() throws IOException {
        Path folder = Files.createTempDirectory("penstock-demo-");
        Thread whenStopped = new Thread(() -> remove(folder));
        Runtime.getRuntime().addShutdownHook(whenStopped);
        try {
            show("folder", folder, "All of this happens in " + folder + " and is removed at the end.");
            show(
                    "cores",
                    (long) Parallel.defaultThreads(),
                    "  machine  " + Parallel.defaultThreads() + " cores, " + Text.bytes(AvailableMemory.bytes())
                            + " of memory to spare");
            boolean isOk = new PackDemo(this).run(folder);
            isOk &= new RunsDemo(this).run(folder);
            Path table = new TableDemo(this).run(folder);
            isOk &= new LoaderDemo(this).run(folder, table);
            if (!isJson) {
                print("The same with yours: penstock pack build --help, table write --help, bench --help");
            }
            if (isJson) {
                printJson(figures);
            }
            return isOk ? 0 : Failures.BAD_DATA;
        } finally {
            remove(folder);
            Runtime.getRuntime().removeShutdownHook(whenStopped);
        }
    }

    /// Prints a line, or keeps its figure for the JSON.
    void show(String key, Object value, String line) {
        figures.put(key, value);
        if (!isJson) {
            print(line);
            console.flush();
        }
    }

    /// Keeps a figure for the JSON alone.
    void note(String key, Object value) {
        figures.put(key, value);
    }

    static double secondsSince(long startNanos) {
        return (System.nanoTime() - startNanos) / 1e9;
    }

    private static void remove(Path folder) {
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            // It lies in the folder for temporary files, where others clean up too.
        }
    }
}
