// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.nio.file.Path;

/// The promises of the steps dataset design, measured in Python with the number of rows that the design states.
final class StepsLargeCases {
    private static final double BATCH_LIMIT_MS = 1;
    private static final double IDLE_LIMIT_PERCENT = 1;
    private static final double START_LIMIT_S = 10;

    private StepsLargeCases() {}

    static void run(StepsData data) throws Exception {
        int rounds = data.settings.roundsOr(7);
        Path folder = data.single(data.settings.rows());
        PythonFigures batches = PythonFigures.of(data, "batches", folder, rounds);
        add(data, "batch-4096-median", "ms", batches.get("median"), BATCH_LIMIT_MS);
        add(data, "batch-4096-p99.9", "ms", batches.get("rare"), BATCH_LIMIT_MS);
        PythonFigures idle = PythonFigures.of(data, "idle", folder, rounds);
        add(data, "idle-of-1ms-consumer", "%", idle.get("idle"), IDLE_LIMIT_PERCENT);
        PythonFigures start = PythonFigures.of(data, "start", data.file("steps-sparse"), rounds);
        add(data, "start-1000M-open", "s", start.get("open"), START_LIMIT_S);
        add(data, "start-1000M-batch", "s", start.get("batch"), START_LIMIT_S);
    }

    private static void add(StepsData data, String caseName, String unit, double[] figures, double limit) {
        data.report.add(
                Row.below(StepsBenchmark.NAME, caseName, unit, figures, limit).withGoal(1));
    }
}
