// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.file.Layouts;
import dev.penstock.file.Parallel;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.Stream;

/// The steps of all runs of a pack as one dataset, so that a loader can sample steps from all games.
///
/// The first access to a run decodes it, checks its checksum and records the offset of every 64th step. Later
/// accesses decode only a block of 64 steps. Branch values are those of the original program's step batches: a
/// chosen move that is as good as the best is exactly 1, and a step without branch values has the chosen move as
/// its only legal move.
public final class StepDataset extends RunView {
    private static final List<Field> FIELDS = List.of(
            Field.fixed("board", ElementType.U64),
            Field.fixed("move", ElementType.U8),
            Field.fixed("ev_legal", ElementType.U8),
            Field.fixed("ev_values", ElementType.F32, (long) Move.COUNT),
            Field.fixed("run_id", ElementType.U32),
            Field.fixed("step_index", ElementType.U32));

    /// Beside its own fields, a condition may name the metadata of the run that a step belongs to.
    private static final List<Field> CONDITION_FIELDS =
            Stream.concat(FIELDS.stream(), RunColumn.METADATA.stream()).toList();

    /// The number of bits for a row in a sort key, so that a position and a row fit in one number.
    private static final int ROW_BITS = 20;

    /// The number of parts for each thread, so that a part with longer runs does not delay the others.
    private static final int PARTS_PER_THREAD = 4;

    private final RunIndex index;
    /// The first step of each run, followed by the number of all steps.
    private final long[] firstSteps;
    /// For each run the offsets of its blocks, once it has been decoded.
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

    /// Creates a view of the steps of a pack. If the metadata of the runs is not available yet, it is collected.
    public static StepDataset of(RunPack runs, Progress progress) throws IOException {
        return new StepDataset(runs, runs.index(progress));
    }

    @Override
    int runOf(long index) {
        return run(index);
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
    public List<Field> conditionFields() {
        return CONDITION_FIELDS;
    }

    @Override
    void fill(long[] indices, Batch batch) throws IOException {
        List<Column> own = new ArrayList<>();
        List<Column> ofRuns = new ArrayList<>();
        for (Column column : batch.columns()) {
            (FIELDS.contains(column.field()) ? own : ofRuns).add(column);
        }
        if (!ofRuns.isEmpty()) {
            fillOfRuns(indices, ofRuns);
        }
        if (own.isEmpty()) {
            return;
        }
        for (Column column : own) {
            column.reserveValues(indices.length * column.field().itemSize());
        }
        if (count() >= 1L << Long.SIZE - 1 - ROW_BITS) {
            throw new IllegalStateException(location() + " has too many steps: " + count());
        }
        for (int start = 0; start < indices.length; start += 1 << ROW_BITS) {
            int limit = Math.min(indices.length, start + (1 << ROW_BITS));
            fill(indices, start, limit, own);
        }
    }

    private void fillOfRuns(long[] indices, List<Column> columns) {
        long[] records = new long[indices.length];
        RunIndex.Entry[] entries = new RunIndex.Entry[indices.length];
        for (int row = 0; row < indices.length; row++) {
            boolean isSame = row > 0 && run(indices[row]) == run(indices[row - 1]);
            records[row] = isSame ? records[row - 1] : live[run(indices[row])];
            entries[row] = isSame ? entries[row - 1] : index.entry(records[row]);
        }
        for (Column column : columns) {
            RunColumn.fill(column, records, entries);
        }
    }

    /// Sorts the requested steps by run, and divides them among threads at run boundaries.
    private void fill(long[] indices, int start, int limit, List<Column> columns) throws IOException {
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
            fillRuns(keys, from, to, start, columns);
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
        // Empty runs start at the same step as the next run; the last of them has the step.
        while (firstSteps[found + 1] == step) {
            found++;
        }
        return found;
    }

    private void fillRuns(long[] keys, int from, int to, int rowStart, List<Column> columns) throws IOException {
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
                    copy(source.columns(), source.position(stepIndex), live[run], stepIndex, row, columns);
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

    private static void copy(RunColumns run, int position, long record, int stepIndex, int row, List<Column> columns) {
        for (Column column : columns) {
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
