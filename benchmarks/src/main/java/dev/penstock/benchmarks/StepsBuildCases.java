// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.file.Disk;
import dev.penstock.file.NewFile;
import dev.penstock.game2048.RunPack;
import dev.penstock.game2048.StepsDataset;
import dev.penstock.game2048.StepsOptions;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/// How fast is a dataset built, compared with decoding the runs and writing the same number of bytes?
final class StepsBuildCases {
    private static final double GOAL = 0.6;
    private static final int FLOOR_RUNS = 64;

    private StepsBuildCases() {}

    static void run(StepsData data) throws Exception {
        Path target = data.file("steps-build");
        Path floor = data.file("steps-floor");
        Times times = new SideBySide(
                        SideBySide.Side.of(() -> StepsData.delete(target), () -> build(data.pack(), target)),
                        SideBySide.Side.of(() -> Files.deleteIfExists(floor), () -> decode(data.pack(), floor)))
                .warmUps(3)
                .measure(data.settings.roundsOr(9));
        long steps = StepsData.rows(target);
        String floorName = "decoding and writing the same bytes";
        data.report.add(times.things(StepsBenchmark.NAME, "build", "steps/s", steps, floorName)
                .withGoal(GOAL));
        StepsData.delete(target);
        Files.deleteIfExists(floor);
    }

    private static long build(Path pack, Path target) throws IOException {
        return StepsDataset.build(pack, target, StepsOptions.DEFAULT).stepCount() * StepsBenchmark.ROW_SIZE;
    }

    /// Decodes all runs with the same number of threads, and writes and forces the same number of bytes.
    private static long decode(Path pack, Path target) throws IOException {
        long written = 0;
        try (RunPack runs = RunPack.open(pack);
                NewFile file = NewFile.create(Disk.real(), target, true)) {
            long[] all = runs.liveIndices();
            for (int first = 0; first < all.length; first += FLOOR_RUNS) {
                long[] some = Arrays.copyOfRange(all, first, Math.min(all.length, first + FLOOR_RUNS));
                long count = runs.runs(some).stream()
                        .mapToLong(run -> run.columns().stepCount())
                        .sum();
                byte[] bytes = new byte[(int) count * StepsBenchmark.ROW_SIZE];
                file.write(MemorySegment.ofArray(bytes), written);
                written += bytes.length;
            }
            file.force();
        }
        return written;
    }
}
