// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.tree.TreeWriter;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// How much heap does it take to build a tree of ten million keys? The floor is the heap limit of 256 MiB of the
/// process.
final class TreeHeapCases {
    private static final int LIMIT_MIB = 256;
    private static final int KEY_COUNT = 10_000_000;

    private TreeHeapCases() {}

    static void run(Settings settings, TreeData data, Report report) throws Exception {
        Path file = data.folder().resolve("ten-million.act");
        double[] peaks = new double[settings.roundsOr(1)];
        for (int round = 0; round < peaks.length; round++) {
            Files.deleteIfExists(file);
            String printed = Command.run(List.of(
                    ProcessHandle.current().info().command().orElse("java"),
                    "--enable-native-access=ALL-UNNAMED",
                    "-XX:+UseSerialGC",
                    "-Xmx" + LIMIT_MIB + "m",
                    "-cp",
                    System.getProperty("java.class.path"),
                    TreeHeapCases.class.getName(),
                    file.toString()));
            String[] words = printed.strip().split(" ");
            peaks[round] = Double.parseDouble(words[0]);
            report.note("tree: " + KEY_COUNT + " keys built in " + words[1] + " s, " + Files.size(file) + " bytes");
        }
        Files.deleteIfExists(file);
        double peak = Times.median(peaks);
        report.add(new Row(
                TreeBenchmark.NAME,
                "heap-build",
                peak,
                "MiB",
                "limit",
                LIMIT_MIB,
                LIMIT_MIB / peak,
                Times.spread(peaks)));
    }

    /// The building process: keys of about thirty bytes, each with a different ending.
    public static void main(String[] arguments) throws IOException {
        long start = System.nanoTime();
        try (TreeWriter writer = TreeWriter.create(Path.of(arguments[0]), TreeWriter.Options.DEFAULT)) {
            byte[] key = new byte[TreeData.LONG_KEY_SIZE];
            for (int i = 0; i < KEY_COUNT; i++) {
                TreeData.fillLongKey(key, i);
                writer.append(key, i);
            }
        }
        long peak = ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .mapToLong(TreeHeapCases::peak)
                .sum();
        System.out.println(peak / (1 << 20) + " " + (System.nanoTime() - start) / 1_000_000_000);
    }

    private static long peak(MemoryPoolMXBean pool) {
        return pool.getPeakUsage().getUsed();
    }
}
