// SPDX-License-Identifier: Apache-2.0
package dev.penstock.table;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.PlantedBug;
import dev.penstock.file.RecordingDisk;
import dev.penstock.simulation.Simulations;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("full")
class TableSimulationTest {
    private static final int SEEDS = 250;
    private static final int SEEDS_LONG = 50_000;
    private static final int PLANTED_SEEDS_MAX = 300;

    @Test
    void noAppendIsLostOrThereByHalf() {
        Simulations.requireRight("table", TableSimulationTest.class, SEEDS, SEEDS_LONG, TableSimulation::new);
    }

    @Test
    void theSameSeedGivesTheSameRun() {
        Simulations.requireRepeatable(TableSimulation::new);
    }

    /// The first seed that notices a bug.
    static final class Seeds implements Callable<Long> {
        @Override
        public Long call() {
            return Simulations.firstCaught(PLANTED_SEEDS_MAX, TableSimulation::new);
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
