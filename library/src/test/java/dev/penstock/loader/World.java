// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Dataset;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/// All ranks of a run, and what they had together.
///
/// @param ranks for each rank, for each of its steps, the rows
record World(Sampler sampler, LoaderOptions options, int worldSize, long epoch, long start, List<List<Step>> ranks) {
    /// @param position samples of the epoch before the step, as the batch says
    record Step(long position, List<Long> records, List<Boolean> isPadded) {}

    /// World sizes that an order can be divided among.
    static List<Integer> sizes(Sampler sampler, int limit) {
        List<Integer> sizes = new ArrayList<>();
        for (int size = 1; size < limit; size++) {
            if (sampler.shareCount() == 1 || sampler.shareCount() % size == 0) {
                sizes.add(size);
            }
        }
        return sizes;
    }

    /// Runs the rest of an epoch on all ranks, one after the other.
    static World run(Dataset dataset, LoaderOptions options, int worldSize, LoaderState state) throws IOException {
        List<List<Step>> ranks = new ArrayList<>();
        long stepCount = -1;
        for (int rank = 0; rank < worldSize; rank++) {
            try (Loader loader = Loader.open(dataset, options.withRanks(Ranks.of(rank, worldSize)))) {
                loader.resume(state);
                List<Step> steps = new ArrayList<>();
                for (LoaderBatch batch : loader) {
                    steps.add(step(batch));
                }
                assertEquals(state.epoch() + 1, loader.epoch());
                assertTrue(stepCount < 0 || stepCount == steps.size(), "ranks differ in their steps");
                stepCount = steps.size();
                ranks.add(steps);
            }
        }
        return new World(options.sampler(), options, worldSize, state.epoch(), state.delivered(), ranks);
    }

    private static Step step(LoaderBatch batch) {
        List<Long> records = new ArrayList<>();
        List<Boolean> isPadded = new ArrayList<>();
        for (long row = 0; row < batch.rowCount(); row++) {
            records.add(batch.index(row));
            isPadded.add(batch.isPadded(row));
        }
        assertEquals(
                batch.paddedCount(),
                isPadded.stream().filter(Boolean::booleanValue).count());
        return new Step(batch.position(), records, isPadded);
    }

    /// Checks every row of every rank against the order, written down anew: ranks take runs of the step, or their
    /// own positions modulo the world size; all have as many rows; what is beyond the end is flagged.
    ///
    /// @return how many rows there were
    long requireOrder() {
        long length = options.isDroppingLast() ? sampler.repeatsFrom() : sampler.length();
        long position = Math.min(start, length);
        long rows = 0;
        for (int step = 0; step < ranks.getFirst().size(); step++) {
            long real = Math.min(options.batchSize() * worldSize, length - position);
            assertTrue(real > 0, () -> "an empty step: " + this);
            int each = ranks.getFirst().get(step).records().size();
            List<Iterator<Long>> records = new ArrayList<>();
            List<Iterator<Boolean>> isPadded = new ArrayList<>();
            for (List<Step> rank : ranks) {
                assertEquals(position, rank.get(step).position(), () -> "a wrong position: " + this);
                assertEquals(each, rank.get(step).records().size(), () -> "ranks differ in their rows: " + this);
                records.add(rank.get(step).records().iterator());
                isPadded.add(rank.get(step).isPadded().iterator());
            }
            for (long i = 0; i < real; i++) {
                long at = position + i;
                int rank = sampler.shareCount() > 1 ? (int) (at % worldSize) : (int) (i / each);
                assertEquals(sampler.index(epoch, at), records.get(rank).next(), () -> "position " + at + ": " + this);
                assertEquals(sampler.isRepeat(at), isPadded.get(rank).next(), () -> "position " + at + ": " + this);
            }
            for (Iterator<Boolean> rest : isPadded) {
                rest.forEachRemaining(isFlagged -> assertTrue(isFlagged, () -> "a row too many: " + this));
            }
            assertTrue((long) each * worldSize - real < worldSize, () -> "more padding than ranks: " + this);
            rows += (long) each * worldSize;
            position += real;
        }
        long left = length - position;
        assertTrue(
                options.isDroppingLast() ? left < options.batchSize() * worldSize : left == 0,
                () -> left + " positions are missing: " + this);
        return rows;
    }

    @Override
    public String toString() {
        return Samplers.what(sampler) + " from " + start + " in batches of " + options.batchSize() + " on " + worldSize
                + (options.isDroppingLast() ? ", dropping the last" : "");
    }
}
