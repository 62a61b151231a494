// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Figures;
import dev.penstock.TestData;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("full")
class StoreSimulationTest {
    private static final int SEEDS = 5_000;
    private static final int SEEDS_LONG = 1_000_000;
    /// The seed of a single run to repeat.
    private static final String GIVEN_SEED = System.getProperty("seed", "");

    private static final int PLANTED_SEEDS_MAX = 500;

    @Test
    void nothingAcknowledgedIsLostBesideFaultsOfOtherThreads() {
        int count = TestData.isLong() ? SEEDS_LONG : SEEDS;
        long operationCount = 0;
        if (!GIVEN_SEED.isEmpty()) {
            requireRight(Long.parseLong(GIVEN_SEED));
            return;
        }
        for (long seed = 0; seed < count; seed++) {
            operationCount += requireRight(seed);
        }
        Figures.print("store, simulated runs", count);
        Figures.print("store, simulated operations of the disk", operationCount);
    }

    private static long requireRight(long seed) {
        StoreSimulation.Outcome outcome = StoreSimulation.run(seed);
        if (!outcome.violations().isEmpty()) {
            StoreSimulation.Outcome again = StoreSimulation.run(seed, true);
            assertEquals(outcome.violations(), again.violations(), "the same seed gives the same run");
            String history = String.join("\n", again.history());
            assertEquals(
                    List.of(),
                    outcome.violations(),
                    history + "\nreproduce with: ./check --test StoreSimulationTest --seed " + seed + "\n");
        }
        return outcome.operationCount();
    }

    @Test
    void theSameSeedGivesTheSameRun() {
        for (long seed = 0; seed < 20; seed++) {
            StoreSimulation.Outcome first = StoreSimulation.run(seed, true);
            assertEquals(first, StoreSimulation.run(seed, true));
            assertTrue(first.operationCount() > 0);
        }
    }

    @Test
    void aDiskThatForcesNothingIsFound() {
        long seed = 0;
        while (seed < PLANTED_SEEDS_MAX
                && StoreSimulation.runUnforced(seed).violations().isEmpty()) {
            seed++;
        }
        assertNotEquals(PLANTED_SEEDS_MAX, seed, "the lie of the disk is never noticed");
    }
}
