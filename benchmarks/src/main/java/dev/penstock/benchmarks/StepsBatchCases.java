// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.game2048.StepsDataset;
import java.io.IOException;
import java.util.Arrays;
import java.util.SplittableRandom;

/// Batches of some runs compared with batches of all runs, and exponents computed by the loader compared with
/// NumPy.
final class StepsBatchCases {
    private static final double FILTERED_GOAL = 0.9;
    private static final double EXPONENTS_GOAL = 3;
    private static final int BATCH_SIZE = 4096;
    private static final int BATCHES = 50;

    private StepsBatchCases() {}

    static void filtered(StepsData data) throws Exception {
        try (StepsDataset all = StepsDataset.open(data.small())) {
            long median = median(all);
            StepsDataset best = all.filterByScore(median);
            data.report.note(best.runs().count() + " of " + all.runs().count() + " runs have a score of " + median);
            Times times = new SideBySide(draws(best.table()), draws(all.table()))
                    .warmUps(40)
                    .measure(data.settings.roundsOr(31));
            data.report.add(times.things(
                            StepsBenchmark.NAME,
                            "filtered-batches",
                            "steps/s",
                            BATCH_SIZE * BATCHES,
                            "batches of all runs")
                    .withGoal(FILTERED_GOAL));
        }
    }

    private static long median(StepsDataset dataset) {
        long[] scores = new long[(int) dataset.runs().count()];
        for (int i = 0; i < scores.length; i++) {
            scores[i] = dataset.runs().whole("max_score", i);
        }
        Arrays.sort(scores);
        return scores[scores.length / 2];
    }

    /// Gathers the same number of rows from both. The rows differ, so their number is the answer.
    private static SideBySide.Side draws(Dataset dataset) {
        return SideBySide.Side.of(() -> {}, () -> draw(dataset));
    }

    private static long draw(Dataset dataset) throws IOException {
        SplittableRandom random = new SplittableRandom(3);
        long rowCount = 0;
        try (Batch batch = Batch.create(dataset.fields())) {
            for (int i = 0; i < BATCHES; i++) {
                dataset.gather(random.longs(BATCH_SIZE, 0, dataset.count()).toArray(), batch);
                rowCount += batch.rowCount();
            }
        }
        return rowCount * StepsBenchmark.ROW_SIZE;
    }

    /// In Python: boards as exponents computed by the loader, compared with the loader without them and NumPy
    /// afterwards.
    static void exponents(StepsData data) throws Exception {
        PythonFigures figures = PythonFigures.of(data, "exponents", data.small(), data.settings.roundsOr(15));
        data.report.add(figures.faster("exponents", "us a batch", "ours", "shifts", "NumPy afterwards, with shifts")
                .withGoal(EXPONENTS_GOAL));
        data.report.add(figures.faster("exponents", "us a batch", "ours", "bytes", "exps_from_boards afterwards"));
        data.report.add(figures.faster(
                "exponents-training-thread",
                "us a batch",
                "ours-thread",
                "shifts-thread",
                "NumPy afterwards; processor time of the thread that trains"));
    }
}
