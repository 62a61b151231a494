// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.penstock.Batch;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.memory.Layouts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Exponents, symmetries and returns.
final class StepTransformsTest {
    @TempDir
    Path folder;

    @Test
    void everyNibbleBecomesAByte() {
        Random random = new Random(5);
        for (int round = 0; round < 1000; round++) {
            long board = random.nextLong();
            for (int cell = 0; cell < Board.CELLS; cell++) {
                long half = cell < 8 ? board >>> 32 : board & 0xFFFF_FFFFL;
                long found = BoardExponents.spread(half) >>> 8 * (cell % 8) & 0xFF;
                assertEquals(Board.exponent(board, cell), found);
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
}
