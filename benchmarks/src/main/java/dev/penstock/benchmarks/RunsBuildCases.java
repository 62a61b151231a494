// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.Progress;
import dev.penstock.file.Parallel;
import dev.penstock.game2048.RunIntake;
import dev.penstock.pack.PackBuilder;
import dev.penstock.pack.PackReader;
import dev.penstock.pack.PackWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// How fast is a folder of runs decoded, packed and put on disk, beside `tar` and an fsync of what it wrote?
final class RunsBuildCases {
    private RunsBuildCases() {}

    static void run(Settings settings, RunsBenchmark.Data data, Report report) throws Exception {
        Path pack = settings.dir().resolve("runs-build.a2pack");
        Path archive = settings.dir().resolve("runs-build.tar");
        Times times = new SideBySide(new Ours(data.folder(), pack), new PackBuildCases.Floor(data.folder(), archive))
                .warmUps(1)
                .measure(settings.roundsOr(7));
        Files.deleteIfExists(pack);
        Files.deleteIfExists(archive);
        report.add(times.megabytes(RunsBenchmark.NAME, "build", PackBuildCases.FLOOR));
    }

    private record Ours(Path folder, Path target) implements SideBySide.Side {
        @Override
        public void prepare() throws Exception {
            PackBuildCases.makeReady(target);
        }

        @Override
        public long run() throws Exception {
            return PackBuilder.build(
                            folder,
                            target,
                            false,
                            PackWriter.Options.DEFAULT,
                            Parallel.defaultThreads(),
                            List.of(new RunIntake(false)),
                            Progress.NONE)
                    .inputBytes();
        }

        /// The size of all runs, if the pack is valid.
        @Override
        public long answer() throws Exception {
            try (PackReader pack = PackReader.open(target)) {
                return pack.verify(Progress.NONE).isOk() ? pack.stats().rawBytes() : -1;
            }
        }
    }
}
