// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.loader.BlockSampler;
import dev.penstock.loader.PermutationSampler;
import dev.penstock.loader.Sampler;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// Samplers without a dataset: how fast indices are generated, in batches of 4,096, on one core.
final class LoaderOrderCases {
    private static final int BATCH_SIZE = 4096;
    private static final int BATCHES = 500;
    private static final int WARM_UPS = 20;
    private static final int ROUNDS = 15;
    private static final long BILLION = 1_000_000_000L;
    private static final double GOAL = 100;
    private static final double FIRST_LIMIT_MILLIS = 1;
    private static final int PEER_COUNT = 10_000_000;
    private static final int PEER_ROUNDS = 5;

    /// A round number, and numbers just above a power of two or four, where cycle walking in a power of two (or
    /// four) tries two (or four) numbers for each index.
    private static final long[] COUNTS = {BILLION, (1L << 29) + 1, (1L << 30) + 1, (1L << 32) + 1, (1L << 40) + 1};

    private final Settings settings;
    private final Report report;

    LoaderOrderCases(Settings settings, Report report) {
        this.settings = settings;
        this.report = report;
    }

    void run() throws Exception {
        report.add(LoaderBenchmark.below("first-of-1e9", "ms", firstMillis(), FIRST_LIMIT_MILLIS));
        double[] goal = new double[settings.roundsOr(ROUNDS)];
        Arrays.fill(goal, GOAL);
        double[] ours = {};
        for (long count : COUNTS) {
            double[] rates = rates(new PermutationSampler(count, 7));
            ours = count == BILLION ? rates : ours;
            report.add(LoaderBenchmark.above("permutation-" + name(count), "M/s", rates, "the goal", goal));
        }
        double[] blocks = rates(new BlockSampler(BILLION, 1024, 64, 7));
        report.add(LoaderBenchmark.above("block-1e9", "M/s", blocks, "our permutation", ours));
        peers(ours);
    }

    private static String name(long count) {
        return count == BILLION ? "1e9" : "2^" + Long.numberOfTrailingZeros(count - 1) + "+1";
    }

    /// The time from a seed to the first batch. The samplers have been used before, with other numbers.
    private double[] firstMillis() {
        double[] millis = new double[settings.roundsOr(ROUNDS)];
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment target = arena.allocate(BATCH_SIZE * 8L, 8);
            for (int i = -WARM_UPS; i < millis.length; i++) {
                long start = System.nanoTime();
                new PermutationSampler(BILLION, i).fill(0, 0, target);
                millis[Math.max(0, i)] = (System.nanoTime() - start) / 1e6;
            }
        }
        return millis;
    }

    /// Millions of indices per second, in each round.
    private double[] rates(Sampler sampler) {
        double[] rates = new double[settings.roundsOr(ROUNDS)];
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment target = arena.allocate(BATCH_SIZE * 8L, 8);
            for (int round = -WARM_UPS; round < rates.length; round++) {
                long start = System.nanoTime();
                for (int batch = 0; batch < BATCHES; batch++) {
                    sampler.fill(1, (long) BATCH_SIZE * batch, target);
                }
                double seconds = (System.nanoTime() - start) / 1e9;
                rates[Math.max(0, round)] = (double) BATCHES * BATCH_SIZE / seconds / 1e6;
            }
        }
        return rates;
    }

    private void peers(double[] ours) throws IOException, InterruptedException {
        Optional<List<String>> words =
                new Peers(report).script("order.py", Integer.toString(PEER_COUNT), Integer.toString(PEER_ROUNDS));
        if (words.isEmpty()) {
            return;
        }
        String output = Command.run(words.get());
        for (String line : output.strip().split("\n")) {
            String[] parts = line.split(" ");
            double[] theirs = new double[ours.length];
            Arrays.fill(theirs, Double.parseDouble(parts[1]) / 1e6);
            String label = (parts[0].equals("numpy") ? "np.random permutation" : "torch.randperm") + " of 10M";
            report.add(LoaderBenchmark.above("permutation-1e9", "M/s", ours, label, theirs));
        }
        if (!output.contains("torch")) {
            report.note("skipped: torch.randperm, because PyTorch is not installed");
        }
    }
}
