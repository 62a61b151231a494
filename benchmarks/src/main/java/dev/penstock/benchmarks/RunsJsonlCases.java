// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.Progress;
import dev.penstock.game2048.RunJsonl;
import dev.penstock.game2048.RunPack;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.MemoryPoolMXBean;
import java.nio.file.Path;

/// How fast are the steps of a pack written as JSON Lines by two workers, compared with one worker, and in how
/// much heap?
final class RunsJsonlCases {
    private static final double GOAL = 1.5;
    private static final double LIMIT_MIB = 256;
    private static final double BYTES_PER_MIB = 1 << 20;

    private RunsJsonlCases() {}

    static void run(Settings settings, RunsBenchmark.Data data, Report report) throws Exception {
        Times times = new SideBySide(new Workers(data.pack(), 2), new Workers(data.pack(), 1))
                .warmUps(2)
                .measure(settings.roundsOr(7));
        report.add(times.megabytes(RunsBenchmark.NAME, "jsonl-two-workers", "one worker")
                .withGoal(GOAL));
        double[] peaks = new double[3];
        for (int round = 0; round < peaks.length; round++) {
            System.gc();
            PackHeapCases.pools().forEach(MemoryPoolMXBean::resetPeakUsage);
            new Workers(data.pack(), 2).run();
            peaks[round] = PackHeapCases.pools().stream()
                            .mapToLong(pool -> pool.getPeakUsage().getUsed())
                            .sum()
                    / BYTES_PER_MIB;
        }
        report.add(Row.below(RunsBenchmark.NAME, "jsonl-heap", "MiB", peaks, LIMIT_MIB));
    }

    /// Formats and counts the text without writing it, so that the disk is not measured.
    private record Workers(Path path, int workers) implements SideBySide.Side {
        @Override
        public long run() throws IOException {
            long[] count = new long[1];
            OutputStream stream = new OutputStream() {
                @Override
                public void write(int value) {
                    count[0]++;
                }

                @Override
                public void write(byte[] bytes, int start, int length) {
                    count[0] += length;
                }
            };
            try (RunPack pack = RunPack.open(path)) {
                RunJsonl.Options options =
                        new RunJsonl.Options(RunJsonl.Schema.ORIGINAL, RunJsonl.Lines.STEPS, workers);
                RunJsonl.write(pack, pack.liveIndices(), options, stream, Progress.NONE);
            }
            return count[0];
        }

        @Override
        public long answer() throws IOException {
            return run();
        }
    }
}
