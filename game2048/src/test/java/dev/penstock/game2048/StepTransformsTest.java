// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.file.Layouts;
import dev.penstock.groups.GroupedTable;
import dev.penstock.loader.Loader;
import dev.penstock.loader.LoaderBatch;
import dev.penstock.loader.LoaderOptions;
import dev.penstock.loader.PermutationSampler;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Exponents, symmetries and returns.
final class StepTransformsTest {
    @TempDir
    Path folder;

    /// Numbers of rows around the size of the chunks that are converted together.
    @Test
    void everyNibbleBecomesAByte() {
        Random random = new Random(5);
        BoardExponents exponents = new BoardExponents();
        List<Field> fields = List.of(Field.fixed("board", ElementType.U64));
        for (int rowCount : new int[] {0, 1, 2, 255, 256, 257, 1000}) {
            try (Batch source = Batch.create(fields);
                    Batch target = Batch.create(exponents.fields(fields))) {
                MemorySegment boards = source.column(0).reserveValues(rowCount * 8L);
                for (int row = 0; row < rowCount; row++) {
                    boards.set(Layouts.U64, row * 8L, random.nextLong());
                }
                source.complete(rowCount);
                exponents.apply(source, target);
                target.complete(rowCount);
                for (int row = 0; row < rowCount; row++) {
                    long board = boards.get(Layouts.U64, row * 8L);
                    for (int cell = 0; cell < Board.CELLS; cell++) {
                        int found = target.column(0).memory().get(Layouts.U8, row * 16L + cell);
                        assertEquals(Board.exponent(board, cell), found);
                    }
                }
            }
        }
    }

    @Test
    void aMoveAndASymmetryCanBeExchanged() {
        Random random = new Random(6);
        for (int round = 0; round < 1000; round++) {
            // No tile of 32768, which could not merge.
            long board = random.nextLong() & 0x7777_7777_7777_7777L;
            for (int symmetry = 0; symmetry < BoardSymmetry.COUNT; symmetry++) {
                for (int move = 0; move < Move.COUNT; move++) {
                    long turnedFirst =
                            Board.slide(BoardSymmetry.board(board, symmetry), BoardSymmetry.move(move, symmetry));
                    assertEquals(BoardSymmetry.board(Board.slide(board, move), symmetry), turnedFirst);
                }
            }
        }
        assertThrows(IllegalArgumentException.class, () -> BoardSymmetry.of(8));
    }

    /// The boards of some epochs by index, in the order in which they come.
    private static List<List<Long>> boards(Dataset steps, int threads, int epochs) {
        LoaderOptions options = LoaderOptions.of(50)
                .withSampler(new PermutationSampler(steps.count(), 4))
                .withThreads(threads)
                .withTransforms(BoardSymmetry.random(9));
        List<List<Long>> all = new ArrayList<>();
        try (Loader loader = Loader.open(steps, options)) {
            for (int epoch = 0; epoch < epochs; epoch++) {
                List<Long> found = new ArrayList<>();
                for (LoaderBatch batch : loader) {
                    for (long row = 0; row < batch.rowCount(); row++) {
                        long board = batch.column("board").memory().get(Layouts.U64, row * 8);
                        found.add(board);
                    }
                }
                all.add(found);
            }
        }
        return all;
    }

    @Test
    void aRandomSymmetryChangesWithTheEpochAndNotWithTheThreads() throws IOException {
        StepsDataset.build(Golden.runs("clean"), folder.resolve("steps"));
        try (StepsDataset steps = StepsDataset.open(folder.resolve("steps"))) {
            List<List<Long>> found = boards(steps.table(), 1, 2);
            assertEquals(found, boards(steps.table(), 4, 2));
            // The smallest of the eight boards names a row, whatever its symmetry.
            List<Map<Long, Integer>> symmetries = new ArrayList<>();
            for (List<Long> epoch : found) {
                Map<Long, Integer> byBoard = new HashMap<>();
                int[] counts = new int[BoardSymmetry.COUNT];
                for (long board : epoch) {
                    long[] eight = IntStream.range(0, BoardSymmetry.COUNT)
                            .mapToLong(i -> BoardSymmetry.board(board, i))
                            .toArray();
                    int own = IntStream.range(0, eight.length)
                            .reduce((a, b) -> Long.compareUnsigned(eight[a], eight[b]) <= 0 ? a : b)
                            .orElseThrow();
                    byBoard.put(eight[own], own);
                    counts[own]++;
                }
                for (int count : counts) {
                    assertTrue(count > epoch.size() / 16, () -> "symmetries are uneven: " + Arrays.toString(counts));
                }
                symmetries.add(byBoard);
            }
            assertEquals(symmetries.get(0).keySet(), symmetries.get(1).keySet());
            long sameCount = symmetries.get(0).entrySet().stream()
                    .filter(entry -> entry.getValue().equals(symmetries.get(1).get(entry.getKey())))
                    .count();
            assertTrue(sameCount < symmetries.get(0).size() / 4, sameCount + " rows have the same symmetry again");
        }
    }

    @Test
    void returnsAddUpRewardsToTheEndOfTheRun() throws IOException {
        StepsDataset.build(Golden.runs("clean"), folder.resolve("steps"));
        try (StepsDataset steps = StepsDataset.open(folder.resolve("steps"));
                Batch batch = Batch.create(steps.table().fields())) {
            StepReturns returns = StepReturns.of(steps, 1, Progress.NONE);
            List<Field> fields = returns.fields(steps.table().fields());
            assertEquals(Field.fixed("return", ElementType.F32), fields.getLast());
            steps.table().gather(LongStream.range(0, steps.count()).toArray(), batch);
            double[] expected = new double[(int) steps.count()];
            for (int run = 0; run < steps.runs().count(); run++) {
                double sum = 0;
                for (long row = steps.runs().limit(run) - 1; row >= steps.runs().start(run); row--) {
                    long board = batch.column("board").memory().get(Layouts.U64, row * 8);
                    sum += StepReturns.reward(
                            board, batch.column("move").memory().get(Layouts.U8, row));
                    expected[(int) row] = sum;
                }
            }
            try (Batch target = Batch.create(fields)) {
                returns.apply(batch, target);
                target.complete(steps.count());
                for (int row = 0; row < expected.length; row++) {
                    float found = Float.intBitsToFloat(
                            target.column("return").memory().get(Layouts.U32, row * 4L));
                    assertEquals(expected[row], found, 0.01);
                }
            }
            assertThrows(IllegalArgumentException.class, () -> StepReturns.of(steps, 2, Progress.NONE));
        }
        assertEquals(8, StepReturns.reward(0x2200_0000_0000_0000L, Move.LEFT.code()));
    }

    /// A condition on steps leaves out rewards that belong to the returns of the steps that it keeps.
    @Test
    void returnsOfSomeStepsCountTheRewardsOfAllStepsOfTheirRuns() throws IOException {
        StepsDataset.build(Golden.runs("clean"), folder.resolve("steps"));
        try (StepsDataset steps = StepsDataset.open(folder.resolve("steps"))) {
            for (String condition : List.of("move == 2", "step_index < 20", "max_score >= 4700")) {
                GroupedTable some = steps.table().where(condition);
                float[] expected = returns(StepReturns.of(steps, 0.9, Progress.NONE), some);
                assertTrue(expected.length > 0);
                assertArrayEquals(
                        expected, returns(StepReturns.of(StepsDataset.of(some), 0.9, Progress.NONE), some), condition);
            }
        }
    }

    private static float[] returns(StepReturns returns, GroupedTable table) throws IOException {
        try (Batch batch = Batch.create(table.fields());
                Batch target = Batch.create(returns.fields(table.fields()))) {
            table.gather(LongStream.range(0, table.count()).toArray(), batch);
            returns.apply(batch, target);
            target.complete(table.count());
            return target.column("return").memory().toArray(ValueLayout.JAVA_FLOAT_UNALIGNED);
        }
    }

    /// The original program appends rows whose run ids start at 0 again. They would get the returns of other runs.
    @Test
    void rowsOfWrongRunIdsHaveNoReturns() throws IOException {
        try (StepsDataset steps = StepsDataset.open(Golden.runs("dataset/clean-then-more"))) {
            DatasetException refusal =
                    assertThrows(DatasetException.class, () -> StepReturns.of(steps, 1, Progress.NONE));
            assertEquals(GameReason.BAD_RUN_ID, refusal.reason());
            assertTrue(
                    refusal.getMessage().contains("row 724 says that it is step 0 of run 0, but it is step 0 of run 5"),
                    refusal.getMessage());
        }
    }
}
