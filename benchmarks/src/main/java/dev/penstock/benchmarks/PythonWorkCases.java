// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// Work on batches compared with the usual code for it: rows of tokens, packed documents, decoded images, and
/// short epochs. One Python process measures both sides in turns and prints the times.
final class PythonWorkCases {
    private static final int ROUNDS = 7;
    private static final Map<String, Double> GOALS = Map.ofEntries(
            Map.entry("windows-int64", 5.0),
            Map.entry("windows-uint16", 5.0),
            Map.entry("images-2-workers", 1.2),
            Map.entry("images-2-workers-usual", 1.2),
            Map.entry("objects-rows-32-thread", 3.0),
            Map.entry("objects-rows-32-process", 3.0),
            Map.entry("objects-rows-2048-thread", 3.0),
            Map.entry("objects-rows-2048-process", 3.0),
            Map.entry("objects-jpeg-64-thread", 1.0),
            Map.entry("objects-jpeg-64-process", 1.0),
            Map.entry("writers-100-store-append", 1.0),
            Map.entry("writers-100-store-extend", 1.0),
            Map.entry("writers-1560-store-append", 1.0),
            Map.entry("writers-1560-store-extend", 1.0),
            Map.entry("writers-65536-store-append", 1.25),
            Map.entry("writers-65536-store-extend", 1.25),
            Map.entry("writers-two-threads-wall", 1.5),
            Map.entry("writers-commits-1-thread", 2.0),
            Map.entry("writers-commits-8-threads", 2.0),
            Map.entry("inside-wide", 0.9),
            Map.entry("inside-wide-64-batches", 0.9),
            Map.entry("inside-wide-first-batch", 1.0),
            Map.entry("inside-wide-64-batches-first-batch", 1.0),
            Map.entry("inside-pack-ragged", 0.7),
            Map.entry("inside-pack-ragged-first-batch", 1.0),
            Map.entry("inside-pack-bytes", 0.4),
            Map.entry("inside-pack-bytes-first-batch", 1.0),
            Map.entry("inside-take-out", 1.0),
            Map.entry("inside-writer-extend", 1.0),
            Map.entry("inside-writer-write", 1.0),
            Map.entry("inside-writer-append", 1.0));

    private final PythonProgram python;
    private final Settings settings;
    private final Report report;

    PythonWorkCases(PythonProgram python, Settings settings, Report report) {
        this.python = python;
        this.settings = settings;
        this.report = report;
    }

    void run() throws IOException, InterruptedException {
        run(python.words("work.py", settings.roundsOr(ROUNDS)));
    }

    /// What a user measures in one process.
    void inside() throws IOException, InterruptedException {
        Path loops = python.folder().resolveSibling("c").resolve("copy.c");
        run(python.words("inside.py", settings.roundsOr(ROUNDS), loops));
    }

    /// Map-style datasets of Python objects.
    void objects() throws IOException, InterruptedException {
        run(python.words("objects.py", settings.roundsOr(ROUNDS)));
    }

    /// Writing records one by one and many at once.
    void writers() throws IOException, InterruptedException {
        run(python.words("writers.py", settings.roundsOr(ROUNDS)));
    }

    /// The first pass over data in a new process, with every Java runtime that is there, quiet and busy.
    void early() throws IOException, InterruptedException {
        run(python.words("early.py", settings.roundsOr(ROUNDS)));
    }

    private void run(List<String> words) throws IOException, InterruptedException {
        for (String line : Command.run(words).strip().split("\n")) {
            if (!line.isEmpty()) {
                report.add(row(line.split(";", -1)));
            }
        }
    }

    private static Row row(String[] parts) {
        int rounds = Integer.parseInt(parts[3]);
        double[] ours = new double[rounds];
        double[] theirs = new double[rounds];
        double[] ratios = new double[rounds];
        for (int i = 0; i < rounds; i++) {
            ours[i] = Double.parseDouble(parts[4 + i]);
            theirs[i] = Double.parseDouble(parts[4 + rounds + i]);
            ratios[i] = theirs[i] / ours[i];
        }
        Row row = new Row(
                PythonBenchmark.NAME,
                parts[0],
                Times.median(ours),
                parts[2],
                parts[1],
                Times.median(theirs),
                Times.median(ratios),
                Times.spread(ratios),
                parts[4 + 2 * rounds]);
        Double goal = GOALS.get(parts[0]);
        return goal == null ? row : row.withGoal(goal);
    }
}
