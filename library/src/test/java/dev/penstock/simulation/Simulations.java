// SPDX-License-Identifier: Apache-2.0
package dev.penstock.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Figures;
import dev.penstock.TestData;
import java.util.List;
import java.util.function.LongFunction;

/// Runs simulations with many seeds.
public final class Simulations {
    /// The seed of a single run to repeat.
    private static final String GIVEN_SEED = System.getProperty("seed", "");

    private Simulations() {}

    /// Requires that no seed finds anything wrong. Otherwise the message has the history of the run and the
    /// command that repeats it.
    public static void requireRight(
            String name, Class<?> test, int seedCount, int longSeedCount, LongFunction<Simulation> simulation) {
        if (!GIVEN_SEED.isEmpty()) {
            requireRight(test, Long.parseLong(GIVEN_SEED), simulation);
            return;
        }
        int count = TestData.isLong() ? longSeedCount : seedCount;
        long operationCount = 0;
        for (long seed = 0; seed < count; seed++) {
            operationCount += requireRight(test, seed, simulation);
        }
        assertTrue(operationCount > count, "the simulation does nothing");
        Figures.print(name + ", simulated runs", count);
        Figures.print(name + ", simulated operations of the disk", operationCount);
    }

    private static long requireRight(Class<?> test, long seed, LongFunction<Simulation> simulation) {
        Simulation.Outcome outcome = simulation.apply(seed).run();
        assertEquals(
                List.of(),
                outcome.violations(),
                () -> String.join("\n", outcome.history()) + "\nreproduce with: ./check --test " + test.getSimpleName()
                        + " --seed " + seed + "\n");
        return outcome.operationCount();
    }

    /// Requires that a seed gives the same run again.
    public static void requireRepeatable(LongFunction<Simulation> simulation) {
        for (long seed = 0; seed < 20; seed++) {
            assertEquals(simulation.apply(seed).run(), simulation.apply(seed).run());
        }
    }

    /// The first seed that finds something wrong, or -1.
    public static long firstCaught(int seedCount, LongFunction<Simulation> simulation) {
        for (long seed = 0; seed < seedCount; seed++) {
            if (!simulation.apply(seed).run().violations().isEmpty()) {
                return seed;
            }
        }
        return -1;
    }
}
