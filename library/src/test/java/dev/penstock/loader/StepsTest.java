// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.file.ChildJava;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Every position of an epoch falls to one rank in one step, whatever the numbers.
class StepsTest {
    @Test
    void noPositionIsLostOrComesTwice() {
        for (int length = 0; length <= 60; length++) {
            for (int start = 0; start <= length; start += 7) {
                for (int batchSize : new int[] {1, 2, 3, 8, 100}) {
                    for (int worldSize : new int[] {1, 2, 3, 7}) {
                        for (boolean isStrided : new boolean[] {false, true}) {
                            check(new Steps(length, start, batchSize, worldSize, false, true, isStrided));
                            check(new Steps(length, start, batchSize, worldSize, true, true, isStrided));
                            checkUneven(new Steps(length, start, batchSize, worldSize, false, false, isStrided));
                        }
                    }
                }
            }
        }
    }

    private static Steps.Share share(Steps steps, long step, int rank) {
        Steps.Share share = new Steps.Share();
        steps.share(step, rank, share);
        return share;
    }

    private static void check(Steps steps) {
        int[] seen = new int[(int) steps.length()];
        long padded = 0;
        for (long step = 0; step < steps.count(); step++) {
            long count = share(steps, step, 0).count();
            for (int rank = 0; rank < steps.worldSize(); rank++) {
                Steps.Share share = share(steps, step, rank);
                assertEquals(count, share.count(), () -> "ranks differ in " + steps);
                assertTrue(count >= 1 && count <= steps.batchSize());
                for (long i = 0; i < share.realCount; i++) {
                    long position = share.position + i * share.stride;
                    assertEquals(step, steps.stepOf(position));
                    assertEquals(rank, steps.rankOf(position));
                    seen[(int) position]++;
                }
                long padLimit = share.padPosition + (share.paddedCount - 1) * share.stride + 1;
                assertTrue(share.paddedCount == 0 || padLimit <= Math.max(steps.length(), steps.worldSize()));
                padded += share.paddedCount;
            }
        }
        long covered = steps.deliveredAfter(steps.count());
        for (int i = 0; i < seen.length; i++) {
            assertEquals(i >= steps.start() && i < covered ? 1 : 0, seen[i], "position " + i + " of " + steps);
        }
        assertTrue(padded < steps.worldSize());
        assertTrue(steps.isDroppingLast() ? padded == 0 : covered == steps.length());
        assertTrue(steps.length() - covered < steps.stepSize());
    }

    /// Every position exactly once, no empty batch, and ranks that differ by one position at most.
    private static void checkUneven(Steps steps) {
        int[] seen = new int[(int) steps.length()];
        for (int rank = 0; rank < steps.worldSize(); rank++) {
            assertTrue(steps.count() - steps.count(rank) <= 1);
            for (long step = 0; step < steps.count(rank); step++) {
                Steps.Share share = share(steps, step, rank);
                assertEquals(0, share.paddedCount);
                assertTrue(share.count() >= 1 && share.count() <= steps.batchSize(), steps::toString);
                long another =
                        share(steps, step, (rank + 1) % steps.worldSize()).count();
                assertTrue(Math.abs(share.count() - another) <= 1);
                for (long i = 0; i < share.realCount; i++) {
                    seen[(int) share.positionOf(i)]++;
                }
            }
        }
        for (int i = 0; i < seen.length; i++) {
            assertEquals(i >= steps.start() ? 1 : 0, seen[i], "position " + i + " of " + steps);
        }
    }

    @Test
    void everyRecordOnceAndALastStepThatIsLeftOutContradictEachOther() {
        LoaderOptions options = LoaderOptions.of(10).withEvenBatches(false);
        assertThrows(IllegalArgumentException.class, () -> options.withDroppingLast(true));
    }

    @Test
    void ranksComeFromTheEnvironment() {
        assertEquals(Ranks.ALONE, Ranks.from(Map.of()));
        assertEquals(new Ranks(3, 8, 4), Ranks.from(Map.of("RANK", "3", "WORLD_SIZE", "8", "LOCAL_WORLD_SIZE", "4")));
        assertEquals(Ranks.ALONE, Ranks.from(Map.of("SLURM_PROCID", "1", "SLURM_NTASKS", "2")));
        assertThrows(IllegalArgumentException.class, () -> Ranks.from(Map.of("RANK", "2", "WORLD_SIZE", "2")));
        assertThrows(IllegalArgumentException.class, () -> Ranks.from(Map.of("RANK", "x")));
    }

    /// Two machines of four ranks each have every local rank twice.
    @Test
    void aRankOfTheMachineIsOneOfTheWorldOnlyWhereTheMachineIsAll() {
        assertEquals(
                new Ranks(2, 4, 4), Ranks.from(Map.of("LOCAL_RANK", "2", "WORLD_SIZE", "4", "LOCAL_WORLD_SIZE", "4")));
        assertEquals(new Ranks(2, 4, 1), Ranks.from(Map.of("LOCAL_RANK", "2", "WORLD_SIZE", "4")));
        assertThrows(
                IllegalArgumentException.class,
                () -> Ranks.from(Map.of("LOCAL_RANK", "2", "WORLD_SIZE", "8", "LOCAL_WORLD_SIZE", "4")));
    }

    @Test
    void ranksThatAreGivenNeedNoEnvironment(@TempDir Path folder) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of("env", "-u", "RANK", "WORLD_SIZE=4"));
        words.addAll(ChildJava.command(folder, ForgottenLoader.class));
        ChildJava.Result result = ChildJava.run(folder, words);
        assertEquals(0, result.exitCode(), result.output());
    }

    @Test
    void ranksOfOneMachineShareItsCores() {
        LoaderOptions options = LoaderOptions.of(10).withRanks(new Ranks(0, 1 << 20, 1 << 20));
        assertEquals(1, options.threads());
        assertEquals(3, options.withThreads(3).threads());
        assertThrows(IllegalArgumentException.class, () -> options.withThreads(0));
    }

    @Test
    void aBatchSizeThatCannotBeIsToldAlone() {
        String message = assertThrows(IllegalArgumentException.class, () -> LoaderOptions.of(1L << 40))
                .getMessage();
        assertEquals("batchSize must be between 1 and 2147483647, got 1099511627776", message);
    }
}
