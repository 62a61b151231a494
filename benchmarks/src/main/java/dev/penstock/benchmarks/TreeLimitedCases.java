// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.tree.TreeReader;
import dev.penstock.tree.TreeWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/// How fast are lookups in a tree four times as large as the memory of its process?
///
/// The process looks up random keys, first with a cold cache, and then other keys when the memory is full. The
/// baseline is the same process without the limit.
final class TreeLimitedCases {
    private static final int KEY_COUNT = 22_000_000;
    private static final int LOOKUPS = 5_000;
    private static final int ROUNDS = 3;
    private static final int PARTS = 4;

    private TreeLimitedCases() {}

    /// @param nanos  nanoseconds for each lookup
    /// @param major  page faults for each lookup that had to wait for the disk
    /// @param all    all page faults for each lookup
    /// @param kbRead kilobytes read from the disk for each lookup
    private record Seen(double nanos, double major, double all, double kbRead) {}

    static void run(Settings settings, TreeData data, Report report) throws Exception {
        Path tree = tree(data);
        long limit = Files.size(tree) / PARTS;
        int rounds = settings.roundsOr(ROUNDS);
        double[][] ours = new double[2][rounds];
        double[][] free = new double[2][rounds];
        try (MemoryGroup group = MemoryGroup.create(limit)) {
            report.note(String.format(
                    Locale.ROOT, "tree: %d bytes in %d bytes of memory, %d lookups", Files.size(tree), limit, LOOKUPS));
            for (int round = 0; round < rounds; round++) {
                List<Seen> limited = see(group.inside(words(tree, round)), tree);
                List<Seen> unlimited = see(words(tree, round), tree);
                for (int i = 0; i < 2; i++) {
                    ours[i][round] = 1e9 / limited.get(i).nanos;
                    free[i][round] = 1e9 / unlimited.get(i).nanos;
                }
                report.note("tree: limited, cold: " + text(limited.get(0)) + "; warm: " + text(limited.get(1)));
                report.note("tree: no limit, cold: " + text(unlimited.get(0)) + "; warm: " + text(unlimited.get(1)));
            }
        } catch (IOException e) {
            report.note("skipped: trees in little memory, because " + e.getMessage());
            return;
        }
        report.add(Row.above(TreeBenchmark.NAME, "limited-cold", "keys/s", ours[0], "no limit", free[0]));
        report.add(Row.above(TreeBenchmark.NAME, "limited-warm", "keys/s", ours[1], "no limit", free[1]));
    }

    private static String text(Seen seen) {
        return String.format(
                Locale.ROOT,
                "%.1f us, %.3f page faults from the disk and %.3f in all, %.1f kB read a lookup",
                seen.nanos / 1e3,
                seen.major,
                seen.all,
                seen.kbRead);
    }

    private static Path tree(TreeData data) throws IOException {
        Path file = data.folder().resolve("limited.act");
        if (!Files.exists(file)) {
            try (TreeWriter writer = TreeWriter.create(file, TreeWriter.Options.DEFAULT)) {
                byte[] key = new byte[TreeData.LONG_KEY_SIZE];
                for (int i = 0; i < KEY_COUNT; i++) {
                    TreeData.fillLongKey(key, i);
                    writer.append(key, i);
                }
            }
        }
        return file;
    }

    private static List<String> words(Path tree, int round) {
        return List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-Xmx16m",
                "-cp",
                System.getProperty("java.class.path"),
                TreeLimitedCases.class.getName(),
                tree.toString(),
                Integer.toString(round));
    }

    private static List<Seen> see(List<String> words, Path tree) throws Exception {
        Resident.evict(tree);
        List<Seen> seen = new ArrayList<>();
        for (String line : Command.run(words).strip().split("\n")) {
            String[] figures = line.split(" ");
            seen.add(new Seen(
                    Double.parseDouble(figures[0]),
                    Double.parseDouble(figures[1]),
                    Double.parseDouble(figures[2]),
                    Double.parseDouble(figures[3])));
        }
        return seen;
    }

    /// The process that looks up: a tree and a seed for the keys.
    public static void main(String[] arguments) throws IOException {
        Random random = new Random(Long.parseLong(arguments[1]));
        try (TreeReader tree = TreeReader.open(Path.of(arguments[0]))) {
            lookUp(tree, random, LOOKUPS, true);
            lookUp(tree, random, PARTS * LOOKUPS, false);
            lookUp(tree, random, LOOKUPS, true);
        }
    }

    private static void lookUp(TreeReader tree, Random random, int count, boolean isPrinting) throws IOException {
        long major = TreePageCases.majorFaults();
        long minor = TreePageCases.minorFaults();
        long read = readBytes();
        long start = System.nanoTime();
        byte[] key = new byte[TreeData.LONG_KEY_SIZE];
        for (int i = 0; i < count; i++) {
            int index = random.nextInt(KEY_COUNT);
            TreeData.fillLongKey(key, index);
            if (tree.get(key, -1) != index) {
                throw new IllegalStateException("a wrong value of key " + index);
            }
        }
        if (isPrinting) {
            double nanos = System.nanoTime() - start;
            major = TreePageCases.majorFaults() - major;
            minor = TreePageCases.minorFaults() - minor;
            System.out.printf(
                    Locale.ROOT,
                    "%.1f %.5f %.5f %.3f%n",
                    nanos / count,
                    (double) major / count,
                    (double) (major + minor) / count,
                    (readBytes() - read) / 1e3 / count);
        }
    }

    private static long readBytes() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/io")).stream()
                .filter(line -> line.startsWith("read_bytes:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElseThrow();
    }
}
