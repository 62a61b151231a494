// SPDX-License-Identifier: Apache-2.0
package dev.penstock.groups;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.PlantedBug;
import dev.penstock.file.RecordingDisk;
import dev.penstock.simulation.Simulations;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("full")
class GroupSimulationTest {
    private static final int SEEDS = 200;
    private static final int SEEDS_LONG = 20_000;
    private static final int PLANTED_SEEDS_MAX = 200;

    @Test
    void noGroupIsLostOrThereByHalf() {
        Simulations.requireRight("groups", GroupSimulationTest.class, SEEDS, SEEDS_LONG, GroupSimulation::new);
    }

    @Test
    void theSameSeedGivesTheSameRun() {
        Simulations.requireRepeatable(GroupSimulation::new);
    }

    /// The first seed that notices a bug.
    static final class Seeds implements Callable<Long> {
        @Override
        public Long call() {
            return Simulations.firstCaught(PLANTED_SEEDS_MAX, GroupSimulation::new);
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

    @Test
    void aChangeWithoutAJournalIsNoticed() throws Exception {
        assertTrue(PlantedBug.without(PageCommit.class, "writeJournal").call(Seeds.class) >= 0);
    }

    @Test
    void anAppendThatDoesNotRollBackAnEarlierOneIsNoticed() throws Exception {
        assertTrue(PlantedBug.without(PageCommit.class, "rollBack").call(Seeds.class) >= 0);
    }
}
