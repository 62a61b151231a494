// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.file.Disk;
import dev.penstock.tree.TreeReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// How fast are trees compared with the original library, on the same keys?
///
/// The other side is a small Rust program, `benchmarks/reference`, which is built if cargo is available. Both
/// sides take the fastest of some repetitions, in turns, round after round. The original build does not wait for
/// the disk: our `build` does, `build-unforced` does not.
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

    /// The corresponding part of the original: it has no batch lookups, and does not wait for the disk.
    private static String floorOf(String part) {
        return part.startsWith("batch") ? "hit" : part.startsWith("build") ? "build" : part;
    }

    /// The path of the program, or null when it cannot be built.
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
            report.note("tree: skipped the original, because it could not be built");
        } catch (IOException e) {
            report.note("tree: skipped the original, because cargo is not installed");
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
        Disk unforced = UnforcedDisk.create();
        Map<String, SideBySide.MeasuredWork> works = new LinkedHashMap<>();
        works.put("hit", () -> TreeWork.lookUp(tree, keys.hits()));
        works.put("miss", () -> TreeWork.lookUp(tree, keys.misses()));
        works.put("batch", () -> TreeWork.lookUpBatches(tree, keys.hits()));
        works.put("batch-sorted", () -> TreeWork.lookUpBatches(tree, keys.keys()));
        works.put("iterate", () -> TreeWork.iterate(tree));
        works.put("build", () -> TreeWork.build(output, keys.keys(), Disk.real()));
        works.put("build-unforced", () -> TreeWork.build(output, keys.keys(), unforced));
        return fastest(warmUps, works);
    }

    private static volatile long seen;

    /// The fastest repetition of each work. They take turns: the repetitions of one alone may take less than
    /// 100 ms and would all fall into a moment in which the machine is slow.
    private static Map<String, Long> fastest(int warmUps, Map<String, SideBySide.MeasuredWork> works) throws Exception {
        Map<String, Long> nanos = new LinkedHashMap<>();
        for (int i = -warmUps; i < REPETITIONS; i++) {
            for (Map.Entry<String, SideBySide.MeasuredWork> work : works.entrySet()) {
                long start = System.nanoTime();
                seen = work.getValue().run();
                long taken = System.nanoTime() - start;
                if (i >= 0) {
                    nanos.merge(work.getKey(), taken, Math::min);
                }
            }
        }
        return nanos;
    }
}
