// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Elements;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.file.Layouts;
import dev.penstock.groups.GroupedTable;
import dev.penstock.groups.Groups;
import dev.penstock.loader.Transform;
import dev.penstock.query.Scan;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// A transform that adds the discounted return of each step as the field `return`, a 32-bit float.
///
/// The reward of a step is the sum of the tiles that its move creates by merging. The return of a step is its
/// reward plus gamma times the return of the next step of the run; the return of the last step is its reward.
/// Steps are found by the fields `run_id` and `step_index`, which the batch must have.
///
/// It keeps four bytes for each row of its dataset in memory.
///
/// **Threads.** Safe for any number of threads.
public final class StepReturns implements Transform {
    private static final Set<String> SOURCES = Set.of("board", "move", "run_id", "step_index");
    private static final Field RETURN = Field.fixed("return", ElementType.F32);

    private final float[][] returns;
    private final Map<Long, Integer> runs = new HashMap<>();

    private StepReturns(float[][] returns, Groups groups) {
        this.returns = returns;
        for (int i = 0; i < groups.count(); i++) {
            runs.put(groups.whole("id", i), i);
        }
    }

    /// Computes the returns. This reads all steps of the runs of a dataset once. For a view these are also the
    /// steps that its condition left out, because their rewards are part of the returns.
    ///
    /// @param gamma from 0 to 1
    /// @throws DatasetException when run ids or step indices do not match the database
    public static StepReturns of(StepsDataset dataset, double gamma, Progress progress) throws IOException {
        if (!(gamma >= 0 && gamma <= 1)) {
            throw new IllegalArgumentException("gamma must be between 0 and 1, got " + gamma);
        }
        GroupedTable table = dataset.table().wholeGroups();
        Groups groups = table.groups();
        float[][] returns = new float[Math.toIntExact(groups.count())][];
        for (int i = 0; i < returns.length; i++) {
            returns[i] = new float[Math.toIntExact(groups.rowCount(i))];
        }
        List<Field> fields = table.fields().stream()
                .filter(field -> SOURCES.contains(field.name()))
                .toList();
        Scan.of(table).withFields(fields).withProgress(progress).forEach(chunk -> {
            Column boards = chunk.batch().column("board");
            Column moves = chunk.batch().column("move");
            Column runIds = chunk.batch().column("run_id");
            Column steps = chunk.batch().column("step_index");
            long group = -1;
            for (int row = 0; row < chunk.indices().length; row++) {
                long index = chunk.indices()[row];
                if (group < 0 || index >= groups.limit(group)) {
                    group = groups.groupOf(index);
                }
                long step = index - groups.start(group);
                requireOwn(table, index, number(runIds, row), number(steps, row), group, step);
                returns[(int) group][(int) step] = reward(number(boards, row), (int) number(moves, row) & 3);
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

    private static long number(Column column, long row) {
        Field field = column.field();
        return Elements.toLong(field.type(), column.memory(), row * field.itemSize());
    }

    /// The transform finds a step by its run id and step index, so these have to be right.
    private static void requireOwn(GroupedTable table, long row, long runId, long step, long group, long expectedStep) {
        long expectedId = table.groups().whole("id", group);
        if (runId != expectedId || step != expectedStep) {
            throw new DatasetException.Corrupt(
                    table.location(),
                    0,
                    GameReason.BAD_RUN_ID,
                    "row " + row + " says that it is step " + step + " of run " + runId + ", but it is step "
                            + expectedStep + " of run " + expectedId
                            + "; repair the dataset with `penstock game2048 steps repair`");
        }
    }

    /// The sum of the tiles that a move creates, which is the increase of the board's score.
    static float reward(long board, int move) {
        return Board.score(Board.slide(board, move)) - Board.score(board);
    }

    @Override
    public List<Field> fields(List<Field> fields) {
        for (String name : List.of("run_id", "step_index")) {
            if (fields.stream().noneMatch(field -> field.name().equals(name))) {
                throw new IllegalArgumentException(
                        "the transform needs the field " + name + "; the fields are " + fields);
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
            long runId = number(runIds, row);
            long step = number(steps, row);
            Integer run = runs.get(runId);
            if (run == null || step >= returns[run].length) {
                throw new IllegalArgumentException("the returns were computed for another dataset, which has no step "
                        + step + " of run " + runId);
            }
            values.set(Layouts.U32, row * Float.BYTES, Float.floatToRawIntBits(returns[run][(int) step]));
        }
        for (int i = 0; i < source.columns().size(); i++) {
            target.column(i).exchange(source.column(i));
        }
    }
}
