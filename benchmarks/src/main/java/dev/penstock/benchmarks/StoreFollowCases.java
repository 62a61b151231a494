// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.Batch;
import dev.penstock.store.StoreCompression;
import dev.penstock.store.StoreField;
import dev.penstock.store.StoreOptions;
import dev.penstock.store.StoreReader;
import dev.penstock.store.StoreWriter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// How long after a commit does a reader in another process see its records?
///
/// Each record holds the start time of its commit; both processes read the same clock of the machine. The reader
/// polls for the last commit all the time.
final class StoreFollowCases {
    private static final int COMMITS_PER_ROUND = 200;
    private static final int RECORDS_PER_COMMIT = 100;
    private static final double LIMIT_MILLIS = 10;

    private StoreFollowCases() {}

    static void run(Settings settings, Path folder, Report report) throws Exception {
        int rounds = settings.roundsOr(5);
        double[] medians = new double[rounds];
        double[] commits = new double[rounds];
        for (int round = 0; round < rounds; round++) {
            measure(folder.resolve("store-" + round), round, medians, commits);
        }
        report.add(Row.below(StoreBenchmark.NAME, "commit-to-visible", "ms", medians, LIMIT_MILLIS)
                .withRemark("from the beginning of a durable commit, which takes " + number(Times.median(commits))
                        + " ms itself"));
    }

    private static String number(double value) {
        return Row.number(value);
    }

    private static void measure(Path path, int round, double[] medians, double[] commits) throws Exception {
        StoreField field = new StoreField("time", "i64", List.of(), StoreCompression.RAW);
        Process follower;
        try (StoreWriter writer = StoreWriter.create(path, List.of(field), StoreOptions.DEFAULT);
                Batch rows = Batch.create(List.of(field.column()))) {
            follower = new ProcessBuilder(Command.java(StoreFollowCases.class, path.toString()))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            BufferedReader answers =
                    new BufferedReader(new InputStreamReader(follower.getInputStream(), StandardCharsets.UTF_8));
            try {
                answers.readLine();
                double[] own = new double[COMMITS_PER_ROUND];
                for (int i = 0; i < COMMITS_PER_ROUND; i++) {
                    own[i] = commit(writer, rows);
                    Thread.sleep(2);
                }
                commits[round] = Times.median(own);
                medians[round] = Double.parseDouble(answers.readLine());
            } finally {
                follower.destroy();
            }
        }
    }

    /// @return the duration of the commit in milliseconds
    private static double commit(StoreWriter writer, Batch rows) throws IOException {
        long start = System.nanoTime();
        MemorySegment values = rows.column(0).reserveValues((long) RECORDS_PER_COMMIT * Long.BYTES);
        for (int i = 0; i < RECORDS_PER_COMMIT; i++) {
            values.setAtIndex(ValueLayout.JAVA_LONG, i, start);
        }
        rows.complete(RECORDS_PER_COMMIT);
        writer.appendAll(rows);
        writer.commit();
        return (System.nanoTime() - start) / 1e6;
    }

    /// The following process. It prints the median of the milliseconds until it had read the last record.
    public static void main(String[] arguments) throws IOException {
        List<Double> millis = new ArrayList<>();
        try (StoreReader reader = StoreReader.open(Path.of(arguments[0]))) {
            System.out.println("open");
            while (reader.count() < (long) COMMITS_PER_ROUND * RECORDS_PER_COMMIT) {
                if (reader.refresh()) {
                    long written = reader.get(reader.count() - 1).value(0).get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
                    millis.add((System.nanoTime() - written) / 1e6);
                }
            }
        }
        double[] figures = millis.stream().mapToDouble(Double::doubleValue).toArray();
        Arrays.sort(figures);
        System.out.println(Times.median(figures));
    }
}
