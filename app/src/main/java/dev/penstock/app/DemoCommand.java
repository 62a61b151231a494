// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.file.AvailableMemory;
import dev.penstock.file.Parallel;
import dev.penstock.plugin.Command;
import dev.penstock.plugin.CommandPlugin;
import dev.penstock.plugin.Demo;
import dev.penstock.plugin.Text;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine;

/// Demonstrates the main features from end to end, with generated data.
@CommandLine.Command(
        name = "demo",
        header = "Demonstrate the main features with generated data (about 70 MB, removed afterwards).",
        footer = {"", "Example:", "  penstock demo"})
final class DemoCommand extends Command implements Demo {
    private final Map<String, Object> figures = new LinkedHashMap<>();

    @Override
    public Integer call() throws IOException {
        Path folder = Files.createTempDirectory("penstock-demo-");
        Thread whenStopped = new Thread(() -> remove(folder));
        Runtime.getRuntime().addShutdownHook(whenStopped);
        try {
            show("folder", folder, "All files are in " + folder + " and are removed at the end.");
            show(
                    "cores",
                    (long) Parallel.defaultThreads(),
                    "  machine  " + Parallel.defaultThreads() + " cores, " + Text.bytes(AvailableMemory.bytes())
                            + " of memory available");
            boolean isOk = new PackDemo(this).run(folder);
            for (CommandPlugin plugin : CommandPlugin.all()) {
                isOk &= plugin.demonstrate(this, folder);
            }
            Path table = new TableDemo(this).run(folder);
            isOk &= new LoaderDemo(this).run(table);
            isOk &= new StoreDemo(this).run(folder);
            if (!isJson) {
                print("To use your own data, see: penstock pack build --help, table write --help, bench --help");
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

    @Override
    public void show(String key, Object value, String line) {
        figures.put(key, value);
        if (!isJson) {
            print(line);
            console.flush();
        }
    }

    @Override
    public void note(String key, Object value) {
        figures.put(key, value);
    }

    @Override
    public void say(String line) {
        if (!isJson) {
            print(line);
        }
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
            // The folder is in the system's temporary folder, which is cleaned up anyway.
        }
    }
}
