// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;

/// Every position of an epoch falls to one rank in one step, whatever the numbers.
class StepsTest {
    @Test
    void noPositionIsLostOrComesTwice() {
        for (int length = 0; length <= 60; length++) {
            for (int start = 0; start <= length; start += 7) {
                for (int batchSize : new int[] {1, 2, 3, 8, 100}) {
                    for (int worldSize : new int[] {1, 2, 3, 7}) {
                        check(new Steps(length, start, batchSize, worldSize, false));
                        check(new Steps(length, start, batchSize, worldSize, true));
                    }
                }
            }
        }
    }

    private static void check(Steps steps) {
        int[] seen = new int[(int) steps.length()];
        long padded = 0;
        for (long step = 0; step < steps.count(); step++) {
            long count = steps.share(step, 0).count();
            for (int rank = 0; rank < steps.worldSize(); rank++) {
                Steps.Share share = steps.share(step, rank);
                assertEquals(count, share.count(), () -> "ranks differ in " + steps);
                assertTrue(count >= 1 && count <= steps.batchSize());
                for (long i = 0; i < share.realCount(); i++) {
                    long position = share.position() + i;
                    assertEquals(step, steps.stepOf(position));
                    seen[(int) position]++;
                }
                assertTrue(share.padPosition() + share.paddedCount() <= steps.length() || share.paddedCount() == 0);
                padded += share.paddedCount();
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

    @Test
    void ranksComeFromTheEnvironment() {
        assertEquals(Ranks.ALONE, Ranks.from(Map.of()));
        assertEquals(new Ranks(3, 8, 4), Ranks.from(Map.of("RANK", "3", "WORLD_SIZE", "8", "LOCAL_WORLD_SIZE", "4")));
        assertEquals(new Ranks(1, 2, 1), Ranks.from(Map.of("SLURM_PROCID", "1", "SLURM_NTASKS", "2")));
        assertThrows(IllegalArgumentException.class, () -> Ranks.from(Map.of("RANK", "2", "WORLD_SIZE", "2")));
        assertThrows(IllegalArgumentException.class, () -> Ranks.from(Map.of("RANK", "x")));
    }
}
