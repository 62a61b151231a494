// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.tree.TreeReader;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Do two processes that use a tree share its memory, and how many pages does a lookup touch?
///
/// Each process prints the number of pages it read from the disk for each lookup, first and again, and how much of
/// the tree it holds: `Pss`, where shared memory is divided among its users, and `Rss`. The floor of the share is
/// half.
final class TreePageCases {
    private static final int LOOKUPS = 20_000;

    private TreePageCases() {}

    static void run(Settings settings, TreeData data, Report report) throws Exception {
        TreeData.Keys keys = data.load("random");
        Path hits = data.write("pages.keys", keys.hits().subList(0, LOOKUPS));
        // Ask the kernel to evict the file, which it does unless other processes use it.
        Command.run("dd", "if=" + keys.tree(), "iflag=nocache", "count=0", "status=none");
        List<Process> processes = new ArrayList<>();
        List<BufferedReader> outputs = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Process process = new ProcessBuilder(
                            ProcessHandle.current().info().command().orElse("java"),
                            "--enable-native-access=ALL-UNNAMED",
                            "-XX:+UseSerialGC",
                            "-cp",
                            System.getProperty("java.class.path"),
                            TreePageCases.class.getName(),
                            keys.tree().toString(),
                            hits.toString())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            processes.add(process);
            outputs.add(process.inputReader());
            report.note("tree: process " + (i + 1) + ": " + outputs.get(i).readLine());
        }
        double[] shares = new double[2];
        for (int i = 0; i < 2; i++) {
            processes.get(i).outputWriter().append("report\n").flush();
            String[] words = outputs.get(i).readLine().split(" ");
            shares[i] = Double.parseDouble(words[1]) / Double.parseDouble(words[0]);
            report.note("tree: process " + (i + 1) + ": Rss " + words[0] + " kB, Pss " + words[1] + " kB");
        }
        for (Process process : processes) {
            process.outputWriter().close();
            process.waitFor();
        }
        double share = (shares[0] + shares[1]) / 2;
        report.add(new Row(TreeBenchmark.NAME, "pss-of-rss", share, "share", "half", 0.5, 0.5 / share, 0));
    }

    /// One of the two processes: a tree and keys to look up.
    public static void main(String[] arguments) throws IOException {
        Path path = Path.of(arguments[0]);
        List<byte[]> keys = read(Path.of(arguments[1]));
        try (TreeReader tree = TreeReader.open(path)) {
            long before = majorFaults();
            long minorBefore = minorFaults();
            long found = TreeWork.lookUp(tree, keys);
            long between = majorFaults();
            long minorBetween = minorFaults();
            found += TreeWork.lookUp(tree, keys);
            System.out.printf(
                    "%d found; page faults a lookup: first %.4f from the disk and %.4f in all, again %.4f and %.4f%n",
                    found,
                    (double) (between - before) / keys.size(),
                    (double) (between - before + minorBetween - minorBefore) / keys.size(),
                    (double) (majorFaults() - between) / keys.size(),
                    (double) (majorFaults() - between + minorFaults() - minorBetween) / keys.size());
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
            in.readLine();
            System.out.println(held(path, "Rss:") + " " + held(path, "Pss:"));
            in.readLine();
        }
    }

    private static List<byte[]> read(Path file) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        List<byte[]> keys = new ArrayList<>();
        while (bytes.hasRemaining()) {
            byte[] key = new byte[bytes.getInt()];
            bytes.get(key);
            keys.add(key);
        }
        return keys;
    }

    static long minorFaults() throws IOException {
        return stat(7);
    }

    static long majorFaults() throws IOException {
        return stat(9);
    }

    /// A field of `/proc/self/stat`, counted from the name of the process.
    private static long stat(int index) throws IOException {
        String stat = Files.readString(Path.of("/proc/self/stat"));
        return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[index]);
    }

    /// The kilobytes of a mapping under a label of `/proc/self/smaps`.
    private static long held(Path file, String label) throws IOException {
        boolean isOurs = false;
        long sum = 0;
        for (String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
            if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
                isOurs = line.endsWith(file.toRealPath().toString());
            } else if (isOurs && line.startsWith(label)) {
                sum += Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        return sum;
    }
}
