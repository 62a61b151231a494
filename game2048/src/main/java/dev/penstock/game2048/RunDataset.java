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
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// The runs of a pack as a dataset: a record is a run, with its metadata and its steps as columns of any length.
///
/// Runs are decoded only when one of `boards`, `moves`, `legal` and `branches` is wanted; the other fields come from
/// the [RunIndex]. Tombstones have no record.
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

    private static final List<Field> METADATA =
            List.of(RECORD, KIND, STEPS, LENGTH, START, ELAPSED, SCORE, TILE, FINAL, ENGINE);
    private static final List<Field> ALL = List.of(
            RECORD, KIND, STEPS, LENGTH, START, ELAPSED, SCORE, TILE, FINAL, ENGINE, BOARDS, MOVES, LEGAL, BRANCHES);

    private RunDataset(RunPack runs, RunIndex index) {
        super(runs, index, ALL);
    }

    /// Views the runs of a pack. Collects the metadata of all of them if it is not there yet.
    public static RunDataset of(RunPack runs, Progress progress) throws IOException {
        return new RunDataset(runs, runs.index(progress));
    }

    @Override
    String word() {
        return "runs";
    }

    @Override
    public long count() {
        return live.length;
    }

    /// Returns the index that a record has in the pack.
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
        return index.stepCount(packIndex(recordIndex));
    }

    /// A column of steps whose memory has been laid out.
    private record Target(Field field, MemorySegment offsets, MemorySegment values) {}

    @Override
    void fill(long[] indices, Batch batch) throws IOException {
        List<Target> decoded = new ArrayList<>();
        for (Column column : batch.columns()) {
            if (METADATA.contains(column.field())) {
                fillMetadata(indices, column);
            } else {
                decoded.add(layOut(indices, column));
            }
        }
        if (!decoded.isEmpty()) {
            Parallel.run(indices.length, Parallel.defaultThreads(), row -> decode(indices, (int) row, decoded));
        }
    }

    private void fillMetadata(long[] indices, Column column) {
        Field field = column.field();
        if (field.equals(ENGINE)) {
            fillEngines(indices, column);
            return;
        }
        MemorySegment values = column.reserveValues(indices.length * field.itemSize());
        for (int row = 0; row < indices.length; row++) {
            RunIndex.Entry entry = index.entry(packIndex(indices[row]));
            long value = value(field, packIndex(indices[row]), entry);
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
            case "kind" -> entry.version().kind().ordinal();
            case "steps" -> meta.steps();
            case "length" -> entry.stepCount();
            case "start_unix_s" -> meta.startUnixS();
            case "elapsed_s" -> meta.elapsedBits();
            case "max_score" -> meta.maxScore();
            case "highest_tile" -> meta.highestTile();
            default -> entry.finalBoard();
        };
    }

    private void fillEngines(long[] indices, Column column) {
        MemorySegment offsets = column.reserveOffsets(indices.length);
        byte[][] names = new byte[indices.length][];
        long end = 0;
        offsets.set(Layouts.U64, 0, 0);
        for (int row = 0; row < indices.length; row++) {
            String engine = index.meta(packIndex(indices[row])).engine();
            names[row] = engine == null ? new byte[0] : engine.getBytes(StandardCharsets.UTF_8);
            end += names[row].length;
            offsets.set(Layouts.U64, (row + 1L) * Long.BYTES, end);
        }
        MemorySegment values = column.reserveValues(end);
        for (int row = 0; row < indices.length; row++) {
            long start = offsets.get(Layouts.U64, (long) row * Long.BYTES);
            MemorySegment.copy(MemorySegment.ofArray(names[row]), 0, values, start, names[row].length);
        }
    }

    /// Reserves the memory of a column of steps, whose lengths are known.
    private Target layOut(long[] indices, Column column) {
        MemorySegment offsets = column.reserveOffsets(indices.length);
        long end = 0;
        offsets.set(Layouts.U64, 0, 0);
        for (int row = 0; row < indices.length; row++) {
            end = Math.addExact(
                    end,
                    index.stepCount(packIndex(indices[row])) * column.field().itemSize());
            offsets.set(Layouts.U64, (row + 1L) * Long.BYTES, end);
        }
        return new Target(column.field(), offsets, column.reserveValues(end));
    }

    private void decode(long[] indices, int row, List<Target> columns) throws IOException {
        long record = packIndex(indices[row]);
        RunPack.Scratch scratch = runs.borrow();
        try {
            runs.decode(record, scratch, scratch.columns, new ArrayList<>());
            if (scratch.columns.stepCount != index.stepCount(record)) {
                throw new IllegalStateException(
                        "the metadata beside " + path() + " is of another pack: remove " + RunIndex.file(path()));
            }
            for (Target column : columns) {
                copy(scratch.columns, column, row);
            }
        } finally {
            runs.giveBack(scratch);
        }
    }

    private static void copy(RunColumns run, Target column, int row) {
        MemorySegment target = column.values();
        long start = column.offsets().get(Layouts.U64, (long) row * Long.BYTES);
        int count = run.stepCount;
        switch (column.field().name()) {
            case "boards" -> MemorySegment.copy(run.boards, 0, target, Layouts.U64, start, count);
            case "moves" -> MemorySegment.copy(run.moves, 0, target, Layouts.U8, start, count);
            case "branches" -> MemorySegment.copy(run.branchBits, 0, target, Layouts.U32, start, count * Move.COUNT);
            default -> {
                for (int i = 0; i < count; i++) {
                    target.set(Layouts.U8, start + i, (byte) (run.flags[i] & RunColumns.LEGAL));
                }
            }
        }
    }
}
