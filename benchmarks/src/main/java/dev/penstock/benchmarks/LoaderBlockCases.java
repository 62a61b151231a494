// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.loader.BlockSampler;
import dev.penstock.loader.Loader;
import dev.penstock.loader.LoaderBatch;
import dev.penstock.loader.LoaderOptions;
import dev.penstock.loader.PermutationSampler;
import dev.penstock.loader.Ranks;
import dev.penstock.loader.Sampler;
import dev.penstock.loader.ShuffleQuality;
import dev.penstock.table.TableReader;
import java.io.IOException;
import java.nio.file.Path;

/// Narrow rows of a table four times as large as the memory of the process: the bytes read from disk for each byte
/// of rows, by blocks and at random.
final class LoaderBlockCases {
    private static final int BATCH_SIZE = 4096;
    private static final int ROW_SIZE = 32;
    private static final long LIMIT_BYTES = 100L * TableData.MILLION * ROW_SIZE / 4;
    private static final int ROUNDS = 3;
    private static final int QUALITY_ROUNDS = 9;

    /// One megabyte of rows.
    private static final long BLOCK_SIZE = (1 << 20) / ROW_SIZE;

    private static final long WINDOW_BLOCKS = 64;

    /// Eight windows and one that is prefetched. At random all batches are alike.
    private static final long BLOCK_BATCHES = 8 * BLOCK_SIZE * WINDOW_BLOCKS / BATCH_SIZE;

    private static final long RANDOM_BATCHES = 64;

    private final Settings settings;
    private final Report report;

    LoaderBlockCases(Settings settings, Report report) {
        this.settings = settings;
        this.report = report;
    }

    void run() throws Exception {
        quality();
        Path file = new TableData(settings, report).steps(100);
        int rounds = settings.roundsOr(ROUNDS);
        double[][] blocks = new double[2][rounds];
        double[][] random = new double[2][rounds];
        try (MemoryGroup group = MemoryGroup.create(LIMIT_BYTES)) {
            for (int round = 0; round < rounds; round++) {
                see(group, file, "block", round, blocks);
                see(group, file, "random", round, random);
            }
        } catch (IOException e) {
            report.note("skipped: blocks in little memory, because " + e.getMessage());
            return;
        }
        // Less is better.
        report.add(LoaderBenchmark.above("random-read", "bytes/byte", random[0], "by blocks", blocks[0]));
        report.add(LoaderBenchmark.above("block-speed", "Mrows/s", blocks[1], "at random", random[1]));
    }

    /// The number of independent records that a batch is worth.
    private void quality() {
        int rounds = settings.roundsOr(QUALITY_ROUNDS);
        double[] blocks = new double[rounds];
        double[] shuffled = new double[rounds];
        for (int seed = 0; seed < rounds; seed++) {
            Sampler sampler = new BlockSampler(100L * TableData.MILLION, BLOCK_SIZE, WINDOW_BLOCKS, seed);
            blocks[seed] = ShuffleQuality.of(sampler, 0, BATCH_SIZE).effectiveBatch();
            shuffled[seed] =
                    ShuffleQuality.ofTrueShuffle(sampler, 0, BATCH_SIZE, seed).effectiveBatch();
        }
        report.add(LoaderBenchmark.above("block-quality", "records", blocks, "a true shuffle", shuffled));
    }

    private static void see(MemoryGroup group, Path file, String order, int round, double[][] figures)
            throws Exception {
        Resident.evict(file);
        String output =
                Command.run(group.inside(Command.java(LoaderBlockCases.class, file.toString(), order, "" + round)));
        String[] parts = output.strip().split(" ");
        figures[0][round] = Double.parseDouble(parts[0]);
        figures[1][round] = Double.parseDouble(parts[1]);
    }

    /// A process with little memory. It prints bytes read for each byte of rows, and millions of rows per second.
    public static void main(String[] arguments) throws IOException {
        boolean isBlock = arguments[1].equals("block");
        long seed = Long.parseLong(arguments[2]);
        try (TableReader reader = TableReader.open(Path.of(arguments[0]))) {
            Sampler sampler = isBlock
                    ? new BlockSampler(reader.count(), BLOCK_SIZE, WINDOW_BLOCKS, seed)
                    : new PermutationSampler(reader.count(), seed);
            LoaderOptions options =
                    LoaderOptions.of(BATCH_SIZE).withRanks(Ranks.ALONE).withSampler(sampler);
            long wanted = isBlock ? BLOCK_BATCHES : RANDOM_BATCHES;
            long before = readBytes();
            long start = System.nanoTime();
            long rows = 0;
            try (Loader loader = Loader.open(reader, options.withPrefetchBytes(1))) {
                for (LoaderBatch batch : loader) {
                    rows += batch.rowCount();
                    if (batch.step() + 1 == wanted) {
                        break;
                    }
                }
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            double perByte = (double) (readBytes() - before) / (rows * ROW_SIZE);
            System.out.println(perByte + " " + rows / seconds / 1e6);
        }
    }

    static long readBytes() throws IOException {
        return ColdCases.number(Path.of("/proc/self/io"), "read_bytes:");
    }
}
