// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// How fast does Spark read and write our datasets, beside Parquet?
///
/// Spark runs in a process of its own, with two cores and the class path of the connector's tests.
final class SparkBenchmark implements Benchmark {
    private static final String NAME = "spark";
    private static final int ROUNDS = 5;
    private static final long ROWS = 5_000_000;
    private static final String LARGE = "large";

    /// How many times as fast as Parquet a case should be.
    private static final Map<String, Double> GOALS =
            Map.of("write", 1.5, "write-wide", 1.5, "scan-all", 1.5, "scan-wide", 1.5, "scan-one", 0.8, "filter", 2.0);

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String question() {
        return "How fast does Spark read and write our datasets, beside Parquet?";
    }

    @Override
    public List<String> parts() {
        return List.of("rows", LARGE);
    }

    @Override
    public void run(Settings settings, Report report) throws Exception {
        Path root = Path.of(System.getProperty("penstock.root"));
        String classPath = Command.run(
                        root.resolve("benchmarks").resolve("spark.sh").toString())
                .strip();
        if (classPath.isEmpty()) {
            report.note("skipped: spark, because its module was not built; see target/benchmark-spark.log");
            return;
        }
        Map<String, List<double[]>> found = new LinkedHashMap<>();
        for (String line : Command.run(words(settings, classPath)).strip().split("\n")) {
            String[] parts = line.split(" ");
            found.computeIfAbsent(parts[0], _ -> new ArrayList<>())
                    .add(new double[] {1 / Double.parseDouble(parts[1]), 1 / Double.parseDouble(parts[2])});
        }
        found.forEach((name, rounds) -> report.add(row(name, rounds)));
    }

    private static List<String> words(Settings settings, String classPath) {
        boolean isLarge = settings.names(LARGE);
        List<String> words = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                isLarge ? "-Xmx512m" : "-Xmx2g",
                "-XX:+UseSerialGC",
                "--add-modules=jdk.incubator.vector",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow"));
        for (String name : List.of(
                "java.lang",
                "java.lang.invoke",
                "java.io",
                "java.net",
                "java.nio",
                "java.util",
                "java.util.concurrent",
                "sun.nio.ch",
                "sun.nio.cs",
                "sun.util.calendar")) {
            words.add("--add-opens=java.base/" + name + "=ALL-UNNAMED");
        }
        long rows = settings.rows() == Main.ROWS_DEFAULT ? ROWS : settings.rows();
        words.addAll(List.of(
                "-cp",
                classPath,
                "dev.penstock.spark.SparkMeasures",
                settings.dir().resolve(NAME).toString(),
                Long.toString(rows),
                Integer.toString(settings.roundsOr(ROUNDS))));
        if (isLarge) {
            words.add(LARGE);
        }
        return words;
    }

    private static Row row(String name, List<double[]> rounds) {
        double[] ours = rounds.stream().mapToDouble(one -> one[0]).toArray();
        double[] theirs = rounds.stream().mapToDouble(one -> one[1]).toArray();
        String floor = name.startsWith("epoch") ? "random batches" : "Parquet";
        Row row = Row.above(NAME, name, "/s", ours, floor, theirs);
        return GOALS.containsKey(name) ? row.withGoal(GOALS.get(name)) : row;
    }
}
