// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.memory.Layouts;
import dev.penstock.memory.Parallel;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/// The steps of all runs of a pack as one dataset, so that a loader can draw batches of steps from all games.
///
/// The first step that is wanted of a run decodes the run, checks its checksum and notes where every 64th step
/// starts. Later steps of it take a block of 64 only. Branch values are those of the original's step batches: a
/// chosen move that is as good as the best is exactly 1, and a step without branch values has one legal move, the
/// chosen one.
public final class StepDataset extends RunView {
    private static final List<Field> FIELDS = List.of(
            Field.fixed("board", ElementType.U64),
            Field.fixed("move", ElementType.U8),
            Field.fixed("ev_legal", ElementType.U8),
            Field.fixed("ev_values", ElementType.F32, (long) Move.COUNT),
            Field.fixed("run_id", ElementType.U32),
            Field.fixed("step_index", ElementType.U32));

    /// Rows that are sorted together, so that a position and a row fit in one number.
    private static final int ROW_BITS = 20;

    /// Groups of rows for each thread, so that one with longer runs does not keep the others waiting.
    private static final int PARTS_PER_THREAD = 4;

    private final RunIndex index;
    /// The first step of each run, and behind the last one the number of all steps.
    private final long[] firstSteps;
    /// For each run where its blocks start, once it has been decoded.
    private final AtomicReferenceArray<int[]> blockOffsets;

    private StepDataset(RunPack runs, RunIndex index) {
        super(runs, FIELDS);
        this.index = index;
        this.firstSteps = new long[live.length + 1];
        for (int i = 0; i < live.length; i++) {
            firstSteps[i + 1] = firstSteps[i] + index.stepCount(live[i]);
        }
        this.blockOffsets = new AtomicReferenceArray<>(live.length);
    }

    /// Views the steps of a pack. Collects the metadata of all runs if it is not there yet.
    public static StepDataset of(RunPack runs, Progress progress) throws IOException {
        return new StepDataset(runs, runs.index(progress));
    }

    @Override
    String word() {
        return "steps";
    }

    @Override
    public long count() {
        return firstSteps[live.length];
    }

    @Override
    void fill(long[] indices, Batch batch) throws IOException {
        for (Column column : batch.columns()) {
            column.reserveValues(indices.length * column.field().itemSize());
        }
        if (count() >= 1L << Long.SIZE - 1 - ROW_BITS) {
            throw new IllegalStateException(location() + " has too many steps: " + count());
        }
        for (int start = 0; start < indices.length; start += 1 << ROW_BITS) {
            int limit = Math.min(indices.length, start + (1 << ROW_BITS));
            fill(indices, start, limit, batch);
        }
    }

    /// Sorts the wanted steps, so that those of one run are together, and divides them among threads between runs.
    private void fill(long[] indices, int start, int limit, Batch batch) throws IOException {
        long[] keys = new long[limit - start];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = indices[start + i] << ROW_BITS | i;
        }
        Arrays.sort(keys);
        int threads = Parallel.defaultThreads();
        int partCount = Math.min(keys.length, threads * PARTS_PER_THREAD);
        Parallel.run(partCount, threads, part -> {
            int from = runStart(keys, (int) ((long) keys.length * part / partCount));
            int to = runStart(keys, (int) ((long) keys.length * (part + 1) / partCount));
            fillRuns(keys, from, to, start, batch);
        });
    }

    /// The first key of the run that a key belongs to.
    private int runStart(long[] keys, int position) {
        if (position == 0 || position == keys.length) {
            return position;
        }
        long first = firstSteps[run(keys[position] >>> ROW_BITS)];
        int start = position;
        while (start > 0 && keys[start - 1] >>> ROW_BITS >= first) {
            start--;
        }
        return start;
    }

    private int run(long step) {
        int found = Arrays.binarySearch(firstSteps, step);
        if (found < 0) {
            return -found - 2;
        }
        // Runs without steps start where the next one does; the last of them has the step.
        while (firstSteps[found + 1] == step) {
            found++;
        }
        return found;
    }

    private void fillRuns(long[] keys, int from, int to, int rowStart, Batch batch) throws IOException {
        StepSource source = new StepSource(runs, blockOffsets);
        try {
            for (int i = from; i < to; i++) {
                long step = keys[i] >>> ROW_BITS;
                int run = run(step);
                int wanted = wanted(keys, i, to, firstSteps[run + 1]);
                source.open(run, live[run], index.stepCount(live[run]), wanted);
                for (int limit = i + wanted; i < limit; i++) {
                    int stepIndex = (int) ((keys[i] >>> ROW_BITS) - firstSteps[run]);
                    int row = rowStart + (int) (keys[i] & (1 << ROW_BITS) - 1);
                    copy(source.columns(), source.position(stepIndex), live[run], stepIndex, row, batch);
                }
                i--;
            }
        } finally {
            source.close();
        }
    }

    private static int wanted(long[] keys, int from, int to, long stepLimit) {
        int limit = from;
        while (limit < to && keys[limit] >>> ROW_BITS < stepLimit) {
            limit++;
        }
        return limit - from;
    }

    private static void copy(RunColumns run, int position, long record, int stepIndex, int row, Batch batch) {
        for (Column column : batch.columns()) {
            MemorySegment target = column.memory();
            switch (column.field().name()) {
                case "board" -> target.set(Layouts.U64, row * 8L, run.boards[position]);
                case "move" -> target.set(Layouts.U8, row, run.moves[position]);
                case "ev_legal" -> target.set(Layouts.U8, row, (byte) StepBranches.legal(run, position));
                case "run_id" -> target.set(Layouts.U32, row * 4L, (int) record);
                case "step_index" -> target.set(Layouts.U32, row * 4L, stepIndex);
                default -> {
                    for (int move = 0; move < Move.COUNT; move++) {
                        int bits = StepBranches.valueBits(run, position, move);
                        target.set(Layouts.U32, (row * 4L + move) * 4, bits);
                    }
                }
            }
        }
    }
}
