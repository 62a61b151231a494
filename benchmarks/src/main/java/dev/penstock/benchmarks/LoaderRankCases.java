// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.file.Parallel;
import dev.penstock.loader.BlockSampler;
import dev.penstock.loader.Loader;
import dev.penstock.loader.LoaderBatch;
import dev.penstock.loader.LoaderOptions;
import dev.penstock.loader.Ranks;
import dev.penstock.table.TableReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Future;

/// Two ranks of one machine that read one cold file, which does not fit in their memory, beside one rank that
/// reads it alone: they are to share the reading rather than to read everything twice.
final class LoaderRankCases {
    private static final int ROW_SIZE = 32;
    private static final int MILLION_ROWS = 50;
    private static final long LIMIT_BYTES = (long) MILLION_ROWS * TableData.MILLION * ROW_SIZE / 4;
    private static final int ROUNDS = 3;
    private static final int BATCH_SIZE = 4096;

    /// A megabyte.
    private static final long BLOCK_SIZE = (1 << 20) / ROW_SIZE;

    private static final long WINDOW_BLOCKS = 64;

    private final Settings settings;
    private final Report report;

    LoaderRankCases(Settings settings, Report report) {
        this.settings = settings;
        this.report = report;
    }

    void run() throws Exception {
        Path file = new TableData(settings, report).steps(MILLION_ROWS);
        int rounds = settings.roundsOr(ROUNDS);
        double[][] alone = new double[2][rounds];
        double[][] together = new double[2][rounds];
        try (MemoryGroup group = MemoryGroup.create(LIMIT_BYTES)) {
            for (int round = 0; round < rounds; round++) {
                see(group, file, 1, round, alone);
                see(group, file, 2, round, together);
            }
        } catch (IOException e) {
            report.note("skipped: ranks on one cold file, because " + e.getMessage());
            return;
        }
        report.add(LoaderBenchmark.above("ranks-2-cold-speed", "Mrows/s", together[0], "one rank", alone[0]));
        // Less is better.
        report.add(
                LoaderBenchmark.above("rank-1-cold-read", "bytes/byte", alone[1], "two ranks together", together[1]));
    }

    private static void see(MemoryGroup group, Path file, int worldSize, int round, double[][] figures)
            throws Exception {
        Resident.evict(file);
        List<Future<String>> ranks = new ArrayList<>();
        for (int rank = 0; rank < worldSize; rank++) {
            List<String> words = group.inside(
                    Command.java(LoaderRankCases.class, file.toString(), "" + rank, "" + worldSize, "" + round));
            ranks.add(Parallel.start(() -> Command.run(words)));
        }
        double rows = 0;
        double readBytes = 0;
        double start = Double.MAX_VALUE;
        double end = 0;
        for (Future<String> rank : ranks) {
            String[] parts = Parallel.await(rank).strip().split(" ");
            rows += Double.parseDouble(parts[0]);
            readBytes += Double.parseDouble(parts[1]);
            start = Math.min(start, Double.parseDouble(parts[2]));
            end = Math.max(end, Double.parseDouble(parts[3]));
        }
        figures[0][round] = rows / (end - start) / 1e6;
        figures[1][round] = readBytes / (rows * ROW_SIZE);
    }

    /// A rank, in little memory: prints its rows, the bytes that it read, and the seconds of its begin and end.
    public static void main(String[] arguments) throws IOException {
        int worldSize = Integer.parseInt(arguments[2]);
        Ranks ranks = Ranks.of(Integer.parseInt(arguments[1]), worldSize);
        try (TableReader reader = TableReader.open(Path.of(arguments[0]))) {
            BlockSampler sampler =
                    new BlockSampler(reader.count(), BLOCK_SIZE, WINDOW_BLOCKS, Long.parseLong(arguments[3]));
            LoaderOptions options = LoaderOptions.of(BATCH_SIZE / worldSize)
                    .withRanks(ranks)
                    .withThreads(Math.max(1, Runtime.getRuntime().availableProcessors() / worldSize))
                    .withSampler(sampler);
            long before = LoaderBlockCases.readBytes();
            double start = System.nanoTime() / 1e9;
            long rows = 0;
            try (Loader loader = Loader.open(reader, options)) {
                for (LoaderBatch batch : loader) {
                    rows += batch.rowCount();
                }
            }
            double end = System.nanoTime() / 1e9;
            System.out.printf(
                    Locale.ROOT, "%d %d %.6f %.6f%n", rows, LoaderBlockCases.readBytes() - before, start, end);
        }
    }
}
