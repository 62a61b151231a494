// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/// Controls and describes which parts of a file are in the page cache.
final class Resident {
    private static final String FILL_THREAD = "penstock-fill";
    private static final double MIB_PER_KIB = 1.0 / 1024;

    private Resident() {}

    /// Waits until the library has loaded the files that it keeps resident.
    static void awaitFill() throws InterruptedException {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().equals(FILL_THREAD)) {
                thread.join();
            }
        }
    }

    /// The files of a table.
    static List<Path> files(Path table) throws IOException {
        if (!Files.isDirectory(table)) {
            return List.of(table);
        }
        try (Stream<Path> files = Files.list(table)) {
            return files.sorted().toList();
        }
    }

    /// Evicts a table from the page cache, unless a process has it mapped.
    static void evict(Path table) throws IOException, InterruptedException {
        for (Path file : files(table)) {
            Command.run("dd", "if=" + file, "iflag=nocache", "count=0", "status=none");
        }
    }

    /// The size of the part of a table that this process has mapped, and of its huge pages.
    static String describe(Path table) throws IOException {
        return describe(table, "self");
    }

    /// The same for another process.
    static String describe(Path table, String process) throws IOException {
        long mapped = 0;
        long huge = 0;
        boolean isOurs = false;
        for (String line : Files.readAllLines(Path.of("/proc/" + process + "/smaps"))) {
            if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
                isOurs = line.contains(" " + table);
            } else if (isOurs && line.startsWith("Rss:")) {
                mapped += kib(line);
            } else if (isOurs && line.startsWith("FilePmdMapped:")) {
                huge += kib(line);
            }
        }
        return String.format(
                Locale.ROOT,
                "%s: %.0f MiB resident, %.0f MiB of it in huge pages",
                table.getFileName(),
                mapped * MIB_PER_KIB,
                huge * MIB_PER_KIB);
    }

    private static long kib(String line) {
        return Long.parseLong(line.replaceAll("\\D", ""));
    }
}
