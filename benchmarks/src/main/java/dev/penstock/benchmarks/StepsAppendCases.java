// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.game2048.StepsDataset;
import dev.penstock.game2048.StepsOptions;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/// How long does it take to append a million rows to many, and to a tenth of them, in both layouts?
final class StepsAppendCases {
    private static final double SAME = 0.9;
    private static final long SHARE = 10;

    private StepsAppendCases() {}

    static void run(StepsData data) throws Exception {
        long rows = data.settings.rows();
        Path many = data.shards(rows);
        Path few = data.shards(rows / SHARE);
        Path fresh = data.file("steps-append-build");
        long steps = StepsData.rows(data.small());
        int rounds = data.settings.roundsOr(7);
        SideBySide.Side ours = append(data.pack(), many);
        Times sizes = new SideBySide(ours, append(data.pack(), few)).warmUps(2).measure(rounds);
        String caseName = "append-shards-" + shortened(rows);
        data.report.add(
                sizes.millis(StepsBenchmark.NAME, caseName, 1, "appending to " + shortened(rows / SHARE) + " rows")
                        .withGoal(SAME));
        Times build = new SideBySide(
                        ours, SideBySide.Side.of(() -> StepsData.delete(fresh), () -> build(data.pack(), fresh)))
                .warmUps(1)
                .measure(rounds);
        data.report.add(build.things(StepsBenchmark.NAME, caseName, "steps/s", steps, "building " + steps + " rows"));
        StepsData.delete(fresh);
        for (long count : new long[] {rows / SHARE, rows}) {
            single(data, count);
        }
    }

    private static SideBySide.Side append(Path pack, Path folder) {
        return SideBySide.Side.of(
                () -> Command.run("sync"),
                () -> StepsDataset.append(folder, pack, StepsOptions.DEFAULT).stepCount() * StepsBenchmark.ROW_SIZE);
    }

    private static long build(Path pack, Path target) throws IOException {
        StepsOptions options = StepsOptions.DEFAULT.withShardRows(1L << 40);
        return StepsDataset.build(pack, target, options).stepCount() * StepsBenchmark.ROW_SIZE;
    }

    /// A single file is written again, so the baseline is copying it.
    private static void single(StepsData data, long rows) throws Exception {
        Path folder = data.single(rows);
        Path copy = data.file("steps-append-copy");
        SideBySide.Side copying = SideBySide.Side.of(
                () -> {
                    Files.deleteIfExists(copy);
                    Command.run("sync");
                },
                () -> {
                    Files.copy(folder.resolve("steps.npy"), copy, StandardCopyOption.REPLACE_EXISTING);
                    try (FileChannel file = FileChannel.open(copy, StandardOpenOption.WRITE)) {
                        file.force(true);
                    }
                    return StepsData.rows(data.small()) * StepsBenchmark.ROW_SIZE;
                });
        Times times =
                new SideBySide(append(data.pack(), folder), copying).warmUps(0).measure(data.settings.roundsOr(3));
        data.report.add(times.millis(
                StepsBenchmark.NAME, "append-single-" + shortened(rows), 1, "copying and forcing the file"));
        Files.deleteIfExists(copy);
    }

    private static String shortened(long rows) {
        return rows % 1_000_000 == 0 ? rows / 1_000_000 + "M" : Long.toString(rows);
    }
}
