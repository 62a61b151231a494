// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.ElementType;
import dev.penstock.Elements;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.groups.GroupedTable;
import dev.penstock.groups.Groups;
import dev.penstock.loader.Transform;
import dev.penstock.memory.Layouts;
import dev.penstock.query.Scan;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Adds the discounted return of each step, as the 32-bit float `return`.
///
/// The reward of a step is the sum of the tiles that its move makes by merging. The return of a step is its
/// reward and the return of the next step of the run times gamma; the last step of a run has its reward alone.
/// Steps are found by `run_id` and `step_index`, which the batch must hold.
///
/// It keeps four bytes for each row of the dataset it was made for.
///
/// **Threads.** Any number.
public final class StepReturns implements Transform {
    private static final Field RETURN = Field.fixed("return", ElementType.F32);

    private final float[][] returns;
    private final Map<Long, Integer> runs = new HashMap<>();

    private StepReturns(float[][] returns, Groups groups) {
        this.returns = returns;
        for (int i = 0; i < groups.count(); i++) {
            runs.put(groups.whole("id", i), i);
        }
    }

    /// Reads boards and moves of a dataset once.
    ///
    /// @param gamma from 0 to 1
    public static StepReturns of(StepsDataset dataset, double gamma, Progress progress) throws IOException {
        if (!(gamma >= 0 && gamma <= 1)) {
            throw new IllegalArgumentException("gamma must be from 0 to 1, got " + gamma);
        }
        GroupedTable table = dataset.table();
        Groups groups = table.groups();
        float[][] returns = new float[Math.toIntExact(groups.count())][];
        for (int i = 0; i < returns.length; i++) {
            returns[i] = new float[Math.toIntExact(groups.rowCount(i))];
        }
        List<Field> fields = table.fields().stream()
                .filter(field -> field.name().equals("board") || field.name().equals("move"))
                .toList();
        Scan.of(table).withFields(fields).withProgress(progress).forEach(chunk -> {
            MemorySegment boards = chunk.batch().column("board").memory();
            MemorySegment moves = chunk.batch().column("move").memory();
            long group = -1;
            for (int row = 0; row < chunk.indices().length; row++) {
                long index = chunk.indices()[row];
                if (group < 0 || index >= groups.limit(group)) {
                    group = groups.groupOf(index);
                }
                if (group >= 0) {
                    returns[(int) group][(int) (index - groups.start(group))] =
                            reward(boards.get(Layouts.U64, row * 8L), moves.get(Layouts.U8, row) & 3);
                }
            }
        });
        for (float[] run : returns) {
            double next = 0;
            for (int step = run.length - 1; step >= 0; step--) {
                next = run[step] + gamma * next;
                run[step] = (float) next;
            }
        }
        return new StepReturns(returns, groups);
    }

    /// The sum of the tiles that a move makes: merging raises the score of the board by just that.
    static float reward(long board, int move) {
        return Board.score(Board.slide(board, move)) - Board.score(board);
    }

    @Override
    public List<Field> fields(List<Field> fields) {
        for (String name : List.of("run_id", "step_index")) {
            if (fields.stream().noneMatch(field -> field.name().equals(name))) {
                throw new IllegalArgumentException("returns need the field " + name + "; there are: " + fields);
            }
        }
        List<Field> more = new ArrayList<>(fields);
        more.add(RETURN);
        return more;
    }

    @Override
    public void apply(Batch source, Batch target) {
        Column runIds = source.column("run_id");
        Column steps = source.column("step_index");
        long rowCount = source.rowCount();
        MemorySegment values = target.column(source.columns().size()).reserveValues(rowCount * Float.BYTES);
        for (long row = 0; row < rowCount; row++) {
            long runId = Elements.toLong(
                    runIds.field().type(), runIds.memory(), row * runIds.field().itemSize());
            long step = Elements.toLong(
                    steps.field().type(), steps.memory(), row * steps.field().itemSize());
            Integer run = runs.get(runId);
            if (run == null || step >= returns[run].length) {
                throw new IllegalArgumentException(
                        "the returns are of another dataset: they have no step " + step + " of run " + runId);
            }
            values.set(Layouts.U32, row * Float.BYTES, Float.floatToRawIntBits(returns[run][(int) step]));
        }
        for (int i = 0; i < source.columns().size(); i++) {
            target.column(i).exchange(source.column(i));
        }
    }
}
