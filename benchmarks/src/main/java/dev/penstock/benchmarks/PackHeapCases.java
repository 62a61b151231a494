// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.Batch;
import dev.penstock.Progress;
import dev.penstock.file.Parallel;
import dev.penstock.pack.PackBuilder;
import dev.penstock.pack.PackReader;
import dev.penstock.pack.PackScan;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;

/// How much heap does work with large packs use at its peak, including garbage, in a process with a limit of 64
/// MiB?
///
/// The peak is the sum of the peaks of all heap pools, which is an upper bound. The garbage collector uses all the
/// memory it is allowed, so the figures show that the work fits and not how little would be enough.
final class PackHeapCases {
    private static final double LIMIT_MIB = 64;
    private static final double BYTES_PER_MIB = 1 << 20;
    private static final int GATHER_COUNT = 2000;
    private static final int BATCH_SIZE = 256;

    private PackHeapCases() {}

    static void run(Settings settings, PackData data, Report report) throws Exception {
        Path pack = data.entriesPack();
        Path folder = data.folder();
        int rounds = settings.roundsOr(5);
        report.add(peak("heap-open", rounds, () -> PackReader.open(pack).close()));
        report.add(peak("heap-gather", rounds, () -> gather(pack)));
        report.add(peak("heap-scan", rounds, () -> scan(pack)));
        report.add(peak("heap-verify", rounds, () -> verify(pack)));
        Path target = data.file("build.pack");
        report.add(peak("heap-build", Math.min(rounds, 2), () -> {
            PackBuilder.build(folder, target, true, PackData.writing(), Parallel.defaultThreads(), Progress.NONE);
        }));
        Files.delete(target);
    }

    private static Row peak(String caseName, int rounds, SideBySide.Preparation step) throws Exception {
        double[] peaks = new double[rounds];
        for (int round = 0; round < rounds; round++) {
            System.gc();
            pools().forEach(MemoryPoolMXBean::resetPeakUsage);
            step.run();
            peaks[round] = pools().stream()
                            .mapToLong(pool -> pool.getPeakUsage().getUsed())
                            .sum()
                    / BYTES_PER_MIB;
        }
        double peak = Times.median(peaks);
        return new Row(
                PackBenchmark.NAME,
                caseName,
                peak,
                "MiB",
                "the limit, -Xmx64m",
                LIMIT_MIB,
                LIMIT_MIB / peak,
                Times.spread(peaks));
    }

    static List<MemoryPoolMXBean> pools() {
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .toList();
    }

    private static void gather(Path pack) throws IOException {
        SplittableRandom random = new SplittableRandom(1);
        try (PackReader reader = PackReader.open(pack);
                Batch batch = Batch.create(reader.fields())) {
            for (int i = 0; i < GATHER_COUNT; i++) {
                reader.gather(random.longs(BATCH_SIZE, 0, reader.count()).toArray(), batch);
            }
        }
    }

    private static void scan(Path pack) throws IOException {
        try (PackReader reader = PackReader.open(pack);
                PackScan scan = reader.scan()) {
            while (scan.next()) {
                scan.value();
            }
        }
    }

    private static void verify(Path pack) throws IOException {
        try (PackReader reader = PackReader.open(pack)) {
            if (!reader.verify(Progress.NONE).isOk()) {
                throw new IllegalStateException(pack + " is damaged");
            }
        }
    }
}
