// SPDX-License-Identifier: Apache-2.0
package dev.penstock.tree;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.PlantedBug;
import dev.penstock.file.RecordingDisk;
import dev.penstock.simulation.Simulations;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("full")
class TreeSimulationTest {
    private static final int SEEDS = 1_000;
    private static final int SEEDS_LONG = 200_000;
    private static final int PLANTED_SEEDS_MAX = 300;

    @Test
    void noSnapshotThatReturnedIsLostAndNoChangeBeforeTheEndOfTheProcess() {
        Simulations.requireRight("tree", TreeSimulationTest.class, SEEDS, SEEDS_LONG, TreeSimulation::new);
    }

    @Test
    void theSameSeedGivesTheSameRun() {
        Simulations.requireRepeatable(TreeSimulation::new);
    }

    /// The first seed that notices a bug.
    static final class Seeds implements Callable<Long> {
        @Override
        public Long call() {
            return Simulations.firstCaught(PLANTED_SEEDS_MAX, TreeSimulation::new);
        }
    }

    @Test
    void namesThatAreNotForcedAreNoticed() throws Exception {
        assertTrue(PlantedBug.without(RecordingDisk.class, "forceDirectory").call(Seeds.class) >= 0);
    }

    @Test
    void bytesThatAreNotForcedAreNoticed() throws Exception {
        assertTrue(PlantedBug.without(RecordingDisk.class, "Writer", "force").call(Seeds.class) >= 0);
    }
}
