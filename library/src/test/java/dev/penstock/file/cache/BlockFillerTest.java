// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Waiting;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// Blocks that are fetched in the background.
final class BlockFillerTest {
    private static final int TOO_MANY = 1000;

    private final BlockFiller filler = new BlockFiller();
    private final AtomicInteger done = new AtomicInteger();

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void workThatIsLeftOutIsReported() throws InterruptedException {
        CountDownLatch free = new CountDownLatch(1);
        int accepted = 0;
        for (int i = 0; i < TOO_MANY; i++) {
            boolean isAccepted = filler.add(() -> {
                await(free);
                done.incrementAndGet();
            });
            accepted += isAccepted ? 1 : 0;
        }
        assertTrue(accepted < TOO_MANY, accepted + " of " + TOO_MANY);
        free.countDown();
        int expected = accepted;
        Waiting.until("all accepted work is done", () -> done.get() == expected);
    }

    @Test
    void workGoesOnAfterFailures() throws InterruptedException {
        for (int i = 0; i < 20; i++) {
            boolean isMemory = i % 2 == 0;
            filler.add(() -> {
                done.incrementAndGet();
                if (isMemory) {
                    throw new OutOfMemoryError("planted");
                }
                throw new IllegalStateException("planted");
            });
        }
        Waiting.until("the failing work is done", () -> done.get() == 20);
        filler.add(done::incrementAndGet);
        Waiting.until("later work is done", () -> done.get() == 21);
        assertEquals(21, done.get());
    }
}
