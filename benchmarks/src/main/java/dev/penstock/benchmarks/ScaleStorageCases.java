// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.loader.BlockSampler;
import dev.penstock.loader.PermutationSampler;
import dev.penstock.loader.Plan;
import dev.penstock.loader.Sampler;
import dev.penstock.loader.ShareSampler;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/// What a rank asks object storage for, counted from the records that the planner gives it: requests, and bytes
/// for each byte of records. A shuffle of single records asks for each by itself. A shuffle of blocks fetches
/// whole blocks, which a rank keeps as long as their window lasts; ranks of one machine with a common cache fetch
/// each block once. A shuffle of shares gives each rank blocks of its own.
final class ScaleStorageCases {
    private static final long RECORDS = 1_000_000_000L;
    private static final long RECORD_SIZE = 4096;

    /// A block of 4 MiB.
    private static final long BLOCK_RECORDS = 1024;

    private static final long WINDOW_BLOCKS = 64;
    private static final int RANKS_OF_MACHINE = 8;
    private static final int[] WORLDS = {1, 8, 64, 1024, 16_384};
    private static final long[] BATCHES = {1, 32, 256, 4096};

    /// The positions that are looked at where all ranks draw from the same windows.
    private static final long WINDOWS = 16;

    private static final long MEGABYTE = 1_000_000;

    private final Report report;

    ScaleStorageCases(Report report) {
        this.report = report;
    }

    void run() {
        for (int world : WORLDS) {
            for (long batch : BATCHES) {
                if (batch * world <= WINDOWS * WINDOW_BLOCKS * BLOCK_RECORDS * RANKS_OF_MACHINE) {
                    report(world, batch);
                }
            }
        }
    }

    private void report(int world, long batch) {
        Plan single = plan(new PermutationSampler(RECORDS, 7), batch, world);
        Plan blocks = plan(new BlockSampler(RECORDS, BLOCK_RECORDS, WINDOW_BLOCKS, 7), batch, world);
        Plan shares = plan(new ShareSampler(RECORDS, BLOCK_RECORDS, WINDOW_BLOCKS, world, 7), batch, world);
        int together = Math.min(world, RANKS_OF_MACHINE);
        double singly = requestsOfRecords(single, batch);
        long windowRecords = WINDOW_BLOCKS * BLOCK_RECORDS;
        long common = Math.max(1, WINDOWS * windowRecords / blocks.stepSize());
        double alone = blocksOf(blocks, batch, 1, common);
        double shared = blocksOf(blocks, batch, together, common);
        // Each rank has windows of its own, or one that is smaller.
        long own = Math.min(shares.stepCount() - 1, windowRecords / batch);
        double owned = blocksOf(shares, batch, 1, own);
        String numbers = String.format(Locale.ROOT, "r%d-b%d", world, batch);
        add("requests-" + numbers, "/MB", requests(shared), "a cache of its own", requests(alone));
        add("requests1-" + numbers, "/MB", requests(shared), "single records", singly * MEGABYTE / RECORD_SIZE);
        add("bytes-" + numbers, "bytes/byte", shared * BLOCK_RECORDS, "a cache of its own", alone * BLOCK_RECORDS);
        add("share-" + numbers, "bytes/byte", owned * BLOCK_RECORDS, "a cache of its own", alone * BLOCK_RECORDS);
    }

    private static Plan plan(Sampler sampler, long batch, int world) {
        return Plan.of(sampler, batch, world, true);
    }

    /// Requests for each megabyte of records.
    private static double requests(double blocksEach) {
        return blocksEach * MEGABYTE / RECORD_SIZE;
    }

    /// Less is better in all rows.
    private void add(String name, String unit, double value, String floor, double other) {
        report.add(new Row(ScaleBenchmark.NAME, name, value, unit, floor, other, other / value, 0, ""));
    }

    /// The requests for each record of a shuffle of single records, after neighbours were joined.
    private static double requestsOfRecords(Plan plan, long batch) {
        long[] indices = plan.indices(0, 1, 0);
        java.util.Arrays.sort(indices);
        long requests = 0;
        for (int i = 0; i < indices.length; i++) {
            requests += i == 0 || indices[i] > indices[i - 1] + 1 ? 1 : 0;
        }
        return (double) requests / batch;
    }

    /// The blocks that some ranks fetch together, for each record that they deliver.
    ///
    /// @param steps the steps that are looked at: whole windows of the ranks
    private static double blocksOf(Plan plan, long batch, int ranks, long steps) {
        Set<Long> fetched = new HashSet<>();
        for (long step = 0; step < steps; step++) {
            for (int rank = 0; rank < ranks; rank++) {
                for (long index : plan.indices(0, step, rank)) {
                    // A block belongs to one window of an epoch, so it is fetched once.
                    fetched.add(index / BLOCK_RECORDS);
                }
            }
        }
        return (double) fetched.size() / (steps * batch * ranks);
    }
}
