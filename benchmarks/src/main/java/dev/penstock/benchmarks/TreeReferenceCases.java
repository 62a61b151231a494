// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.memory.Disk;
import dev.penstock.tree.TreeReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// How do trees do beside the original's own library, on the same keys?
///
/// The other side is a small Rust program, `benchmarks/reference`, which is built when cargo is there. Both sides
/// take the fastest of some repetitions, in turns, round after round. The original's build does not wait for the
/// disk: `build` of ours does, `build-unforced` does not.
final class TreeReferenceCases {
    private static final String FLOOR = "pathmap 0.3.5";
    private static final int REPETITIONS = 5;
    private static final int WARM_UPS = 12;

    private TreeReferenceCases() {}

    static void run(Settings settings, TreeData data, Report report) throws Exception {
        Path program = program(report);
        if (program == null) {
            return;
        }
        for (String name : data.names()) {
            TreeData.Keys keys = data.load(name);
            int rounds = settings.roundsOr(3);
            Map<String, Times> times = new LinkedHashMap<>();
            try (TreeReader tree = TreeReader.open(keys.tree())) {
                for (int round = 0; round < rounds; round++) {
                    Map<String, Long> floor = floor(program, data, keys);
                    Map<String, Long> ours = ours(tree, data, keys, round == 0 ? WARM_UPS : 1);
                    for (String part : ours.keySet()) {
                        long floorNanos = floor.get(floorOf(part));
                        times.computeIfAbsent(part, ignored -> new Times(rounds))
                                .set(round, ours.get(part), floorNanos, 0);
                    }
                }
            }
            times.forEach((part, measured) -> {
                long count =
                        part.equals("miss") ? keys.misses().size() : keys.keys().size();
                report.add(measured.things(TreeBenchmark.NAME, part + "-" + name, "keys/s", count, FLOOR));
            });
        }
    }

    /// What the original has instead: it looks up one by one, and does not wait for the disk.
    private static String floorOf(String part) {
        return part.startsWith("batch") ? "hit" : part.startsWith("build") ? "build" : part;
    }

    /// The program, or null when it cannot be built.
    private static Path program(Report report) throws Exception {
        Path root = Path.of(System.getProperty("penstock.root"));
        Path target = root.resolve("benchmarks/target/reference");
        Path manifest = root.resolve("benchmarks/reference/Cargo.toml");
        try {
            Process cargo = new ProcessBuilder(
                            "cargo", "build", "--release", "--quiet", "--target-dir", target.toString())
                    .directory(manifest.getParent().toFile())
                    .inheritIO()
                    .start();
            if (cargo.waitFor() == 0) {
                return target.resolve("release/tree-reference");
            }
            report.note("tree: the original is left out: it could not be built");
        } catch (IOException e) {
            report.note("tree: the original is left out: no cargo");
        }
        return null;
    }

    private static Map<String, Long> floor(Path program, TreeData data, TreeData.Keys keys) throws Exception {
        Path sorted = data.write("reference.keys", keys.keys());
        Path hits = data.write("reference.hits", keys.hits());
        Path misses = data.write("reference.misses", keys.misses());
        Path output = data.folder().resolve("reference.act");
        String printed = Command.run(
                List.of(program.toString(), sorted.toString(), hits.toString(), misses.toString(), output.toString()));
        Map<String, Long> nanos = new HashMap<>();
        printed.lines().map(line -> line.split(" ")).forEach(words -> nanos.put(words[0], Long.parseLong(words[1])));
        Files.delete(output);
        return nanos;
    }

    private static Map<String, Long> ours(TreeReader tree, TreeData data, TreeData.Keys keys, int warmUps)
            throws Exception {
        Path output = data.folder().resolve("ours.act");
        Map<String, Long> nanos = new LinkedHashMap<>();
        nanos.put("hit", fastest(warmUps, () -> TreeWork.lookUp(tree, keys.hits())));
        nanos.put("miss", fastest(warmUps, () -> TreeWork.lookUp(tree, keys.misses())));
        nanos.put("batch", fastest(warmUps, () -> TreeWork.lookUpBatches(tree, keys.hits())));
        nanos.put("batch-sorted", fastest(warmUps, () -> TreeWork.lookUpBatches(tree, keys.keys())));
        nanos.put("iterate", fastest(warmUps, () -> TreeWork.iterate(tree)));
        nanos.put("build", fastest(warmUps, () -> {
            TreeWork.build(output, keys.keys(), Disk.real());
            return 0;
        }));
        Disk unforced = UnforcedDisk.create();
        nanos.put("build-unforced", fastest(warmUps, () -> {
            TreeWork.build(output, keys.keys(), unforced);
            return 0;
        }));
        return nanos;
    }

    @FunctionalInterface
    private interface Work {
        long run() throws IOException;
    }

    private static volatile long seen;

    private static long fastest(int warmUps, Work work) throws IOException {
        long fastest = Long.MAX_VALUE;
        for (int i = -warmUps; i < REPETITIONS; i++) {
            long start = System.nanoTime();
            seen = work.run();
            long nanos = System.nanoTime() - start;
            fastest = i < 0 ? fastest : Math.min(fastest, nanos);
        }
        return fastest;
    }
}
