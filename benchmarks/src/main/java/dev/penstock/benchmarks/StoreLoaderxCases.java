// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// How fast are 1,024 random records of 1.5 KiB gathered from Python, beside loaderx 2.8.19?
///
/// A container of loaderx is written once and then read, so there is nothing to compare durable commits with.
final class StoreLoaderxCases {
    private static final int BATCH_SIZE = 1024;
    private static final int BATCHES_PER_ROUND = 16;

    private StoreLoaderxCases() {}

    static void run(Settings settings, Path folder, Report report) throws Exception {
        PythonProgram python;
        try {
            python = PythonProgram.find(report);
        } catch (IOException e) {
            report.note("loaderx rows left out: " + e.getMessage());
            return;
        }
        Path root = Path.of(System.getProperty("penstock.root", "")).toAbsolutePath();
        String packages = Command.run(root.resolve("benchmarks/loaderx.sh").toString(), python.executable())
                .strip();
        if (packages.isEmpty()) {
            report.note("loaderx rows left out: pip installs no loaderx 2.8.19, see target/loaderx.log");
            return;
        }
        int rounds = settings.roundsOr(15);
        List<String> words = python.words(
                "loaderx_store.py",
                folder,
                settings.records(),
                StoreRecords.SIZE,
                BATCHES_PER_ROUND,
                BATCH_SIZE,
                rounds);
        words.addAll(0, List.of("env", "PYTHONPATH=" + packages));
        String[] lines = Command.run(words).strip().split("\n");
        Times times = new Times(rounds);
        for (int i = 0; i < rounds; i++) {
            String[] nanos = lines[i].split(" ");
            long bytes = (long) BATCH_SIZE * BATCHES_PER_ROUND * StoreRecords.SIZE;
            times.set(i, Long.parseLong(nanos[0]), Long.parseLong(nanos[1]), bytes);
        }
        long count = (long) BATCH_SIZE * BATCHES_PER_ROUND;
        report.add(times.things(StoreBenchmark.NAME, "gather-from-python", "records/s", count, "loaderx 2.8.19"));
    }
}
