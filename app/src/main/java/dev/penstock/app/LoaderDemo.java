// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.loader.Loader;
import dev.penstock.loader.LoaderBatch;
import dev.penstock.loader.LoaderOptions;
import dev.penstock.loader.LoaderState;
import dev.penstock.loader.PermutationSampler;
import dev.penstock.loader.Ranks;
import dev.penstock.plugin.Text;
import dev.penstock.table.TableReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.stream.LongStream;

/// Stops an epoch in the middle and resumes it with twice as many ranks and another batch size. The records are
/// compared with those of an epoch that was not interrupted.
record LoaderDemo(DemoCommand demo) {
    private static final long SEED = 2048;
    private static final int BATCH_SIZE = 4096;
    private static final int RESUMED_BATCH_SIZE = 1000;
    private static final int RESUMED_WORLD_SIZE = 2;

    /// @param path a table of rows
    /// @return whether the records are the same
    boolean run(Path path) throws IOException {
        try (TableReader table = TableReader.open(path)) {
            long[] whole = joined(List.of(batches(table, BATCH_SIZE, Ranks.ALONE, null)));
            String checkpoint = stopInTheMiddle(table);
            LoaderState state = LoaderState.parse(checkpoint);
            demo.note("loaderStateBytes", (long) checkpoint.length());
            demo.show(
                    "loaderStopped",
                    state.delivered(),
                    "  loaded   " + Text.number(state.delivered()) + " of " + Text.number(whole.length)
                            + " samples of an epoch with batches of " + Text.number(BATCH_SIZE)
                            + ", stopped, and saved a checkpoint of " + checkpoint.length() + " bytes");
            List<List<long[]>> ranks = new ArrayList<>();
            for (int rank = 0; rank < RESUMED_WORLD_SIZE; rank++) {
                ranks.add(batches(table, RESUMED_BATCH_SIZE, Ranks.of(rank, RESUMED_WORLD_SIZE), state));
            }
            return compare(Arrays.copyOfRange(whole, (int) state.delivered(), whole.length), joined(ranks));
        }
    }

    private boolean compare(long[] expected, long[] found) {
        boolean isSame = Arrays.equals(expected, found);
        demo.note("loaderResumedWorld", (long) RESUMED_WORLD_SIZE);
        demo.show(
                "loaderOk",
                isSame,
                isSame
                        ? "  resumed  with " + RESUMED_WORLD_SIZE + " ranks and batches of "
                                + Text.number(RESUMED_BATCH_SIZE) + ": all " + Text.number(found.length)
                                + " remaining samples are those of an uninterrupted run"
                        : "  FAILED   the samples after the checkpoint are others, from number "
                                + Text.number(Arrays.mismatch(expected, found)) + " on");
        return isSame;
    }

    private static Loader open(TableReader table, long batchSize, Ranks ranks) throws IOException {
        return Loader.open(
                table,
                LoaderOptions.of(batchSize)
                        .withSampler(new PermutationSampler(table.count(), SEED))
                        .withRanks(ranks));
    }

    /// The checkpoint of a loader after half of its steps.
    private static String stopInTheMiddle(TableReader table) throws IOException {
        try (Loader loader = open(table, BATCH_SIZE, Ranks.ALONE)) {
            Iterator<LoaderBatch> batches = loader.iterator();
            for (long step = 0; step < loader.stepCount() / 2; step++) {
                batches.next();
            }
            return loader.state().toJson();
        }
    }

    /// The records in each batch of a rank, from a checkpoint on, or from the start if it is null.
    private static List<long[]> batches(TableReader table, long batchSize, Ranks ranks, LoaderState from)
            throws IOException {
        List<long[]> batches = new ArrayList<>();
        try (Loader loader = open(table, batchSize, ranks)) {
            if (from != null) {
                loader.resume(from);
            }
            for (LoaderBatch batch : loader) {
                batches.add(LongStream.range(0, batch.rowCount())
                        .filter(row -> !batch.isPadded(row))
                        .map(batch::index)
                        .toArray());
            }
        }
        return batches;
    }

    /// The records of all ranks, step after step.
    private static long[] joined(List<List<long[]>> ranks) {
        LongStream.Builder all = LongStream.builder();
        for (int step = 0; step < ranks.getFirst().size(); step++) {
            for (List<long[]> batches : ranks) {
                Arrays.stream(batches.get(step)).forEach(all);
            }
        }
        return all.build().toArray();
    }
}
