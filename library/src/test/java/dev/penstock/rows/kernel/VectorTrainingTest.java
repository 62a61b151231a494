// SPDX-License-Identifier: Apache-2.0
package dev.penstock.rows.kernel;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class VectorTrainingTest {
    private static Object kept;

    @Test
    void loopsThatAllocateNothingAreTrainedAtOnce() {
        assertTrue(VectorTraining.run(call -> {}, 1 << 20));
    }

    /// A runtime without its optimising compiler allocates an object for each vector for ever.
    @Test
    void trainingEndsWithoutTheOptimisingCompiler() {
        AtomicInteger calls = new AtomicInteger();
        assertFalse(VectorTraining.run(
                call -> {
                    calls.incrementAndGet();
                    kept = new byte[1 << 14];
                },
                1 << 14,
                1_000_000));
        // The limit is looked at after each round of a thousand calls.
        assertTrue(calls.get() < 20_000, () -> "calls: " + calls);
    }
}
