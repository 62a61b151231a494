// SPDX-License-Identifier: Apache-2.0
package dev.penstock.rows.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CyclicBarrier;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/// After a fault, vectors are never trusted again, whenever the fault happened.
class VectorTrustTest {
    private static final int ROUND_COUNT = 20_000;

    @Test
    void vectorsAreTrustedOnceTheyAreTrained() {
        VectorTrust trust = new VectorTrust();
        assertTrue(trust.begin());
        assertFalse(trust.isTrained());
        trust.trained();
        assertTrue(trust.isTrained());
        trust.distrust();
        assertFalse(trust.isTrained());
        assertTrue(trust.isLost());
    }

    @Test
    void onlyOneThreadTrainsTheLoopsAndNoneAfterAFault() {
        VectorTrust trust = new VectorTrust();
        assertTrue(trust.begin());
        assertFalse(trust.begin());
        VectorTrust lost = new VectorTrust();
        lost.distrust();
        assertFalse(lost.begin());
    }

    @Test
    void aFaultBeforeTheEndOfTheTrainingIsNotForgotten() {
        VectorTrust trust = new VectorTrust();
        trust.begin();
        trust.distrust();
        trust.trained();
        assertFalse(trust.isTrained());
        assertTrue(trust.isLost());
    }

    @Test
    void aFaultAtTheSameTimeAsTheEndOfTheTrainingIsNotForgotten() throws Exception {
        long forgotten = race(() -> {
            VectorTrust trust = new VectorTrust();
            trust.begin();
            return new Subject(trust::trained, trust::distrust, trust::isTrained);
        });
        assertEquals(0, forgotten);
    }

    /// Two flags that are looked at one after the other, with time for a fault in between.
    private static final class TwoFlags {
        private volatile boolean isTrained;
        private volatile boolean hasFaulted;

        void trained() {
            boolean isFine = !hasFaulted;
            Thread.yield();
            isTrained = isFine;
        }

        void distrust() {
            hasFaulted = true;
            isTrained = false;
        }
    }

    @Test
    void theRaceCatchesTwoFlagsThatForgetFaults() throws Exception {
        long forgotten = race(() -> {
            TwoFlags flags = new TwoFlags();
            return new Subject(flags::trained, flags::distrust, () -> flags.isTrained);
        });
        assertTrue(forgotten > 0, "no fault was forgotten in " + ROUND_COUNT + " rounds");
    }

    private record Subject(Runnable train, Runnable distrust, BooleanSupplier isTrained) {}

    /// The number of times that vectors are trusted after both the training and a fault.
    private static long race(Supplier<Subject> subjects) throws Exception {
        CyclicBarrier barrier = new CyclicBarrier(2);
        Subject[] current = new Subject[1];
        long[] forgotten = new long[1];
        Thread faulting = Thread.ofPlatform().start(() -> {
            for (int round = 0; round < ROUND_COUNT; round++) {
                await(barrier);
                current[0].distrust().run();
                await(barrier);
            }
        });
        for (int round = 0; round < ROUND_COUNT; round++) {
            current[0] = subjects.get();
            await(barrier);
            current[0].train().run();
            await(barrier);
            forgotten[0] += current[0].isTrained().getAsBoolean() ? 1 : 0;
        }
        faulting.join();
        return forgotten[0];
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
