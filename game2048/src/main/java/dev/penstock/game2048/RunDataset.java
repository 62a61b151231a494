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
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/// The runs of a pack as a dataset. A record is a run, with its metadata and its steps as variable columns.
///
/// Runs are decoded only if one of `boards`, `moves`, `legal`, `branches` and `has_branches` is requested.
/// Metadata alone comes from the [RunIndex], which is opened or built when it is first needed. Tombstones have no
/// record.
public final class RunDataset extends RunView {
    private static final Field BOARDS = Field.variable("boards", ElementType.U64);
    private static final Field MOVES = Field.variable("moves", ElementType.U8);
    private static final Field LEGAL = Field.variable("legal", ElementType.U8);
    private static final Field BRANCHES =
            new Field("branches", ElementType.F32, Float.BYTES, List.of((long) Move.COUNT), true);

    /// Whether a step has branch values. Without them its legal moves are not known either.
    private static final Field HAS_BRANCHES = Field.variable("has_branches", ElementType.BOOL);

    private static final List<Field> ALL = Stream.concat(
                    RunColumn.METADATA.stream(), Stream.of(BOARDS, MOVES, LEGAL, BRANCHES, HAS_BRANCHES))
            .toList();

    private final int threads;

    private RunDataset(RunPack runs, int threads) {
        super(runs, ALL);
        this.threads = threads;
    }

    /// Creates a view of the runs of a pack.
    public static RunDataset of(RunPack runs) {
        return of(runs, Parallel.defaultThreads());
    }

    /// Creates a view of the runs of a pack, which `threads` threads decode.
    public static RunDataset of(RunPack runs, int threads) {
        return new RunDataset(runs, threads);
    }

    @Override
    int runOf(long index) {
        return Math.toIntExact(index);
    }

    @Override
    String word() {
        return "runs";
    }

    @Override
    public long count() {
        return live.length;
    }

    /// Returns the index of a record in the pack.
    public long packIndex(long recordIndex) {
        return live[Math.toIntExact(recordIndex)];
    }

    @Override
    public String name(long recordIndex) {
        return runs.pack().name(packIndex(recordIndex));
    }

    @Override
    public long length(Field field, long recordIndex) throws IOException {
        if (!field.isVariable() || field.equals(RunColumn.ENGINE)) {
            return super.length(field, recordIndex);
        }
        return runs.index(Progress.NONE).stepCount(packIndex(recordIndex));
    }

    @Override
    void fill(long[] indices, Batch batch) throws IOException {
        boolean isDecoding = !RunColumn.METADATA.containsAll(batch.fields());
        Run[] decoded = new Run[isDecoding ? indices.length : 0];
        Parallel.run(decoded.length, threads, row -> decoded[(int) row] = runs.run(packIndex(indices[(int) row])));
        long[] records = LongStream.of(indices).map(this::packIndex).toArray();
        RunIndex.Entry[] entries = new RunIndex.Entry[indices.length];
        RunIndex index = isDecoding ? null : runs.index(Progress.NONE);
        for (int row = 0; row < entries.length; row++) {
            entries[row] = isDecoding ? RunIndex.entryOf(decoded[row]) : index.entry(records[row]);
        }
        for (Column column : batch.columns()) {
            if (RunColumn.METADATA.contains(column.field())) {
                RunColumn.fill(column, records, entries);
            } else {
                fillSteps(decoded, column);
            }
        }
    }

    private static void fillSteps(Run[] decoded, Column column) {
        Field field = column.field();
        long[] sizes = new long[decoded.length];
        for (int row = 0; row < sizes.length; row++) {
            sizes[row] = decoded[row].stepCount() * field.itemSize();
        }
        MemorySegment target = RunColumn.layOut(sizes, column);
        long start = 0;
        for (int row = 0; row < sizes.length; row++) {
            copy(decoded[row].columns(), field, target, start);
            start += sizes[row];
        }
    }

    private static void copy(RunColumns run, Field field, MemorySegment target, long start) {
        int count = run.stepCount;
        switch (field.name()) {
            case "boards" -> MemorySegment.copy(run.boards, 0, target, Layouts.U64, start, count);
            case "moves" -> MemorySegment.copy(run.moves, 0, target, Layouts.U8, start, count);
            case "branches" -> MemorySegment.copy(run.branchBits, 0, target, Layouts.U32, start, count * Move.COUNT);
            case "legal" -> {
                for (int i = 0; i < count; i++) {
                    target.set(Layouts.U8, start + i, (byte) (run.flags[i] & RunColumns.LEGAL));
                }
            }
            default -> {
                for (int i = 0; i < count; i++) {
                    target.set(Layouts.U8, start + i, (byte) (run.flags[i] >>> 4 & 1));
                }
            }
        }
    }
}
