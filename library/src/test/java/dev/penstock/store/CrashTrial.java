// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.penstock.Figures;
import dev.penstock.file.BuggyDisks;
import dev.penstock.file.Disk;
import java.io.IOException;
import java.util.List;
import java.util.function.UnaryOperator;

/// Does something to a store, crashes after every operation, and looks at what is left.
@FunctionalInterface
interface CrashTrial {
    int ATTEMPTS = 20;

    /// @param bug        the disk as the store sees it, with or without a planted bug
    /// @param stateCount the number of states that were looked at, to which this trial adds its own
    /// @return the violations, at least one if there are any
    List<String> run(UnaryOperator<Disk> bug, long[] stateCount) throws IOException;

    /// Repeats the trial until a number of states was looked at.
    default void requireNoViolation(long states, String figure) throws IOException {
        long[] stateCount = {0};
        while (stateCount[0] < states) {
            assertEquals(List.of(), run(UnaryOperator.identity(), stateCount));
        }
        Figures.print(figure, stateCount[0]);
    }

    /// The trial notices disks that leave out what makes changes durable.
    default void requireForcesAreMissed() throws IOException {
        requireCaught(BuggyDisks::withoutForce);
        requireCaught(BuggyDisks::withoutForceDirectory);
    }

    private void requireCaught(UnaryOperator<Disk> bug) throws IOException {
        for (int i = 0; i < ATTEMPTS; i++) {
            if (!run(bug, new long[1]).isEmpty()) {
                return;
            }
        }
        throw new AssertionError("the planted bug was not caught");
    }
}
