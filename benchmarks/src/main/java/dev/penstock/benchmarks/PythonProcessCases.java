// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The cost of a Python process with our package: the time until its first batch, and its memory.
final class PythonProcessCases {
    private static final int ROUNDS = 9;
    private static final double FIRST_LIMIT_MILLIS = 400;
    private static final int BATCH_SIZE = 4096;
    private static final int SOME_BATCHES = 1000;
    private static final int MANY_BATCHES = 10_000;
    private static final double KIB_PER_MIB = 1024;

    private static final String OURS = "batch";

    private final PythonProgram python;
    private final Settings settings;
    private final Report report;
    private final Path table;

    PythonProcessCases(PythonProgram python, Settings settings, Report report) throws IOException {
        this.python = python;
        this.settings = settings;
        this.report = report;
        this.table = new TableData(settings, report).steps(10);
    }

    /// Milliseconds until a new process has finished its task.
    ///
    /// @param process measured from the start of the process
    /// @param own     measured from before the import
    private record First(double process, double own) {}

    /// The time to the first batch, in new processes that take turns with processes that only import something.
    void start() throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of(OURS, "nothing", "numpy"));
        if (python.hasTorch()) {
            all.add("torch");
        }
        Map<String, List<First>> times = new TreeMap<>();
        for (int round = -1; round < settings.roundsOr(ROUNDS); round++) {
            for (String what : all) {
                First first = first(what);
                if (round >= 0) {
                    times.computeIfAbsent(what, ignored -> new ArrayList<>()).add(first);
                }
            }
        }
        report.add(limit("first-batch-own", own(times.get(OURS))));
        report.add(limit("first-batch-process", process(times.get(OURS))));
        for (String what : all.subList(1, all.size())) {
            report.add(beside("first-batch-process", process(times.get(OURS)), what, process(times.get(what))));
        }
        for (String what : all.subList(2, all.size())) {
            report.add(beside("first-batch-own", own(times.get(OURS)), what, own(times.get(what))));
        }
    }

    private First first(String what) throws IOException, InterruptedException {
        long start = System.nanoTime();
        Process process = new ProcessBuilder(python.words("first.py", what, table))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader answers =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            String own = answers.readLine();
            double millis = (System.nanoTime() - start) / 1e6;
            if (process.waitFor() != 0 || own == null) {
                throw new IOException("first.py " + what + " failed");
            }
            return new First(millis, Double.parseDouble(own));
        }
    }

    private static double[] own(List<First> times) {
        return times.stream().mapToDouble(First::own).toArray();
    }

    private static double[] process(List<First> times) {
        return times.stream().mapToDouble(First::process).toArray();
    }

    private static Row limit(String caseName, double[] millis) {
        return Row.below(PythonBenchmark.NAME, caseName, "ms", millis, FIRST_LIMIT_MILLIS)
                .withGoal(1);
    }

    private static Row beside(String caseName, double[] ours, String what, double[] theirs) {
        double[] ratios = new double[ours.length];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = theirs[i] / ours[i];
        }
        String floor = what.equals("nothing") ? "a Python that imports nothing" : "import " + what;
        return new Row(
                PythonBenchmark.NAME,
                caseName,
                Times.median(ours),
                "ms",
                floor,
                Times.median(theirs),
                Times.median(ratios),
                Times.spread(ratios));
    }

    /// Anonymous memory after some batches of the loader and after many more.
    void memory() throws IOException, InterruptedException {
        String[] answer = Command.run(python.words("grow.py", table, BATCH_SIZE, SOME_BATCHES, MANY_BATCHES))
                .strip()
                .split(" ");
        double before = Double.parseDouble(answer[0]) / KIB_PER_MIB;
        double after = Double.parseDouble(answer[1]) / KIB_PER_MIB;
        report.add(new Row(
                        PythonBenchmark.NAME,
                        "memory-11000-batches",
                        after,
                        "MiB",
                        "anonymous memory after 1,000 batches",
                        before,
                        before / after,
                        0)
                .withRemark("grew by " + Row.number(after - before) + " MiB"));
    }
}
