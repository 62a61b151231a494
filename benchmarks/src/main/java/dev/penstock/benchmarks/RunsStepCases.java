// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.Progress;
import dev.penstock.game2048.RunPack;
import dev.penstock.game2048.StepDataset;
import dev.penstock.query.Scan;
import dev.penstock.table.RowType;
import dev.penstock.table.TableReader;
import dev.penstock.table.TableWriter;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;

/// How fast are batches of random steps gathered from all runs of a pack, compared with a table of the same steps?
final class RunsStepCases {
    private static final int BATCH_SIZE = 1024;
    private static final int BATCHES = 20;

    private RunsStepCases() {}

    static void run(Settings settings, RunsBenchmark.Data data, Report report) throws Exception {
        Path file = settings.dir().resolve(data.pack().getFileName() + ".npy");
        try (RunPack pack = RunPack.open(data.pack());
                StepDataset steps = StepDataset.of(pack, Progress.NONE)) {
            if (!Files.exists(file)) {
                write(steps, file);
            }
            try (TableReader table = TableReader.open(file)) {
                Times times = new SideBySide(new Draws(steps), new Draws(table))
                        .warmUps(10)
                        .measure(settings.roundsOr(11));
                report.add(times.things(
                        RunsBenchmark.NAME, "random-steps", "steps/s", BATCH_SIZE * BATCHES, "a table of the steps"));
            }
        }
    }

    private static void write(StepDataset steps, Path file) throws IOException {
        try (TableWriter writer = TableWriter.create(file, RowType.of(steps.fields()), TableWriter.Options.DEFAULT)) {
            Scan.of(steps).forEach(chunk -> writer.append(chunk.batch()));
        }
    }

    private static final class Draws implements SideBySide.Side {
        private final Dataset dataset;
        private long sum;

        Draws(Dataset dataset) {
            this.dataset = dataset;
        }

        @Override
        public long run() throws IOException {
            SplittableRandom random = new SplittableRandom(3);
            sum = 0;
            try (Batch batch = Batch.create(dataset.fields())) {
                for (int i = 0; i < BATCHES; i++) {
                    dataset.gather(random.longs(BATCH_SIZE, 0, dataset.count()).toArray(), batch);
                    sum += batch.column("board").value(i).get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
                }
            }
            return sum;
        }

        @Override
        public long answer() {
            return sum;
        }
    }
}
