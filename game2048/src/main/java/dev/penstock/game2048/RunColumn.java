// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.file.Layouts;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// The metadata of runs as columns of a batch.
final class RunColumn {
    private static final Field STEPS = Field.fixed("steps", ElementType.U32);
    private static final Field LENGTH = Field.fixed("length", ElementType.U32);
    private static final Field START = Field.fixed("start_unix_s", ElementType.U64);
    private static final Field ELAPSED = Field.fixed("elapsed_s", ElementType.F32);
    private static final Field SCORE = Field.fixed("max_score", ElementType.U64);
    private static final Field TILE = Field.fixed("highest_tile", ElementType.U32);
    private static final Field KIND = Field.fixed("kind", ElementType.U8);
    private static final Field RECORD = Field.fixed("run_idx", ElementType.U64);
    private static final Field FINAL = Field.fixed("final_board", ElementType.U64);
    static final Field ENGINE = Field.variable("engine", ElementType.UTF8);
    /// The metadata of a run.
    static final List<Field> METADATA =
            List.of(RECORD, KIND, STEPS, LENGTH, START, ELAPSED, SCORE, TILE, FINAL, ENGINE);

    private RunColumn() {}

    /// Fills a column of metadata.
    ///
    /// @param records the indices of the runs in the pack
    static void fill(Column column, long[] records, RunIndex.Entry[] entries) {
        Field field = column.field();
        if (field.equals(ENGINE)) {
            fillEngines(entries, column);
            return;
        }
        MemorySegment values = column.reserveValues(records.length * field.itemSize());
        for (int row = 0; row < records.length; row++) {
            long value = value(field, records[row], entries[row]);
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
    static MemorySegment layOut(long[] sizes, Column column) {
        MemorySegment offsets = column.reserveOffsets(sizes.length);
        long end = 0;
        offsets.set(Layouts.U64, 0, 0);
        for (int row = 0; row < sizes.length; row++) {
            end = Math.addExact(end, sizes[row]);
            offsets.set(Layouts.U64, (row + 1L) * Long.BYTES, end);
        }
        return column.reserveValues(end);
    }
}
