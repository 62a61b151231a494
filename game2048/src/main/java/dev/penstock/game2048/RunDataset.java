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
import java.nio.charset.StandardCharsets;
import java.util.List;

/// The runs of a pack as a dataset. A record is a run, with its metadata and its steps as variable columns.
///
/// Runs are decoded only if one of `boards`, `moves`, `legal`, `branches` and `has_branches` is requested.
/// Metadata alone comes from the [RunIndex], which is opened or built when it is first needed. Tombstones have no
/// record.
public final class RunDataset extends RunView {
    private static final Field STEPS = Field.fixed("steps", ElementType.U32);
    private static final Field LENGTH = Field.fixed("length", ElementType.U32);
    private static final Field START = Field.fixed("start_unix_s", ElementType.U64);
    private static final Field ELAPSED = Field.fixed("elapsed_s", ElementType.F32);
    private static final Field SCORE = Field.fixed("max_score", ElementType.U64);
    private static final Field TILE = Field.fixed("highest_tile", ElementType.U32);
    private static final Field KIND = Field.fixed("kind", ElementType.U8);
    private static final Field RECORD = Field.fixed("run_idx", ElementType.U64);
    private static final Field FINAL = Field.fixed("final_board", ElementType.U64);
    private static final Field ENGINE = Field.variable("engine", ElementType.UTF8);
    private static final Field BOARDS = Field.variable("boards", ElementType.U64);
    private static final Field MOVES = Field.variable("moves", ElementType.U8);
    private static final Field LEGAL = Field.variable("legal", ElementType.U8);
    private static final Field BRANCHES =
            new Field("branches", ElementType.F32, Float.BYTES, List.of((long) Move.COUNT), true);

    /// Whether a step has branch values. Without them its legal moves are not known either.
    private static final Field HAS_BRANCHES = Field.variable("has_branches", ElementType.BOOL);

    private static final List<Field> METADATA =
            List.of(RECORD, KIND, STEPS, LENGTH, START, ELAPSED, SCORE, TILE, FINAL, ENGINE);
    private static final List<Field> ALL = List.of(
            RECORD,
            KIND,
            STEPS,
            LENGTH,
            START,
            ELAPSED,
            SCORE,
            TILE,
            FINAL,
            ENGINE,
            BOARDS,
            MOVES,
            LEGAL,
            BRANCHES,
            HAS_BRANCHES);

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
        if (!field.isVariable() || field.equals(ENGINE)) {
            return super.length(field, recordIndex);
        }
        return runs.index(Progress.NONE).stepCount(packIndex(recordIndex));
    }

    @Override
    void fill(long[] indices, Batch batch) throws IOException {
        boolean isDecoding = !METADATA.containsAll(batch.fields());
        Run[] decoded = new Run[isDecoding ? indices.length : 0];
        Parallel.run(decoded.length, threads, row -> decoded[(int) row] = runs.run(packIndex(indices[(int) row])));
        RunIndex.Entry[] entries = new RunIndex.Entry[indices.length];
        RunIndex index = isDecoding ? null : runs.index(Progress.NONE);
        for (int row = 0; row < entries.length; row++) {
            entries[row] = isDecoding ? RunIndex.entryOf(decoded[row]) : index.entry(packIndex(indices[row]));
        }
        for (Column column : batch.columns()) {
            if (column.field().equals(ENGINE)) {
                fillEngines(entries, column);
            } else if (METADATA.contains(column.field())) {
                fillMetadata(indices, entries, column);
            } else {
                fillSteps(decoded, column);
            }
        }
    }

    private void fillMetadata(long[] indices, RunIndex.Entry[] entries, Column column) {
        Field field = column.field();
        MemorySegment values = column.reserveValues(indices.length * field.itemSize());
        for (int row = 0; row < indices.length; row++) {
            long value = value(field, packIndex(indices[row]), entries[row]);
            switch ((int) field.itemSize()) {
                case 1 -> values.set(Layouts.U8, row, (byte) value);
                case 4 -> values.set(Layouts.U32, row * 4L, (int) value);
                default -> values.set(Layouts.U64, row * 8L, value);
            }
        }
    }

    private static long value(Field field, long record, RunIndex.Entry entry) {
        RunMeta meta = entry.meta();
        return switch (field.name()) {
            case "run_idx" -> record;
            case "kind" -> entry.version() == RunVersion.V1 ? 1 : 2;
            case "steps" -> meta.steps();
            case "length" -> entry.stepCount();
            case "start_unix_s" -> meta.startUnixS();
            case "elapsed_s" -> meta.elapsedBits();
            case "max_score" -> meta.maxScore();
            case "highest_tile" -> meta.highestTile();
            default -> entry.finalBoard();
        };
    }

    private static void fillEngines(RunIndex.Entry[] entries, Column column) {
        byte[][] names = new byte[entries.length][];
        long[] sizes = new long[entries.length];
        for (int row = 0; row < entries.length; row++) {
            String engine = entries[row].meta().engine();
            names[row] = engine == null ? new byte[0] : engine.getBytes(StandardCharsets.UTF_8);
            sizes[row] = names[row].length;
        }
        MemorySegment values = layOut(sizes, column);
        long start = 0;
        for (byte[] name : names) {
            MemorySegment.copy(MemorySegment.ofArray(name), 0, values, start, name.length);
            start += name.length;
        }
    }

    /// Writes the offsets of rows of these sizes and reserves memory for their values.
    private static MemorySegment layOut(long[] sizes, Column column) {
        MemorySegment offsets = column.reserveOffsets(sizes.length);
        long end = 0;
        offsets.set(Layouts.U64, 0, 0);
        for (int row = 0; row < sizes.length; row++) {
            end = Math.addExact(end, sizes[row]);
            offsets.set(Layouts.U64, (row + 1L) * Long.BYTES, end);
        }
        return column.reserveValues(end);
    }

    private static void fillSteps(Run[] decoded, Column column) {
        Field field = column.field();
        long[] sizes = new long[decoded.length];
        for (int row = 0; row < sizes.length; row++) {
            sizes[row] = decoded[row].stepCount() * field.itemSize();
        }
        MemorySegment target = layOut(sizes, column);
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
