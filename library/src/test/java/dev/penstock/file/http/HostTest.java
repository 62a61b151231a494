// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.file.Pace;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What the requests to one host share.
@Timeout(120)
class HostTest {
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final Host host = new Host();

    @Test
    void throttlingHalvesTheRequestsUnderWayDownToOne() throws InterruptedException {
        host.throttled();
        assertEquals(Host.LIMIT_START / 2, host.limit());
        for (int i = 0; i < 20; i++) {
            host.throttled();
        }
        assertEquals(1, host.limit());
        assertTrue(host.acquire(0));
        assertFalse(host.acquire(0), "one request is under way");
        host.release();
        assertTrue(host.acquire(0));
    }

    @Test
    void answersToOneRoundOfRequestsHalveTheLimitOnce() {
        host.answered(TimeUnit.MINUTES.toNanos(1), 0, 0);
        host.throttled();
        host.throttled();
        host.throttled();
        assertEquals(Host.LIMIT_START / 2, host.limit());
    }

    @Test
    void theLimitGrowsWhileRequestsWaitAndAnswersAreFast() throws InterruptedException {
        for (int i = 0; i < Host.LIMIT_START; i++) {
            assertTrue(host.acquire(0));
        }
        for (int i = 0; i < 100; i++) {
            host.answered(30 * MILLI, 0, 0);
        }
        assertEquals(Host.LIMIT_START, host.limit(), "nobody waits");
        CountDownLatch done = new CountDownLatch(1);
        Thread waiting = Thread.ofPlatform().start(() -> {
            try {
                assertTrue(host.acquire(TimeUnit.MINUTES.toNanos(1)));
                done.countDown();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        while (waiting.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        for (int i = 0; i < 10_000; i++) {
            host.answered(30 * MILLI, 0, 0);
        }
        assertEquals(Host.LIMIT_MAX, host.limit());
        host.release();
        done.await();
        for (int i = 0; i < 100_000; i++) {
            host.answered(i % 100 == 0 ? 30 * MILLI : 300 * MILLI, 0, 0);
        }
        assertTrue(host.limit() < Host.LIMIT_START, "slow answers shrink it");
    }

    @Test
    void retriesBeyondTheBudgetOfAllThreadsWait() {
        long waits = 0;
        for (int i = 0; i < 300; i++) {
            waits = host.takeRetry();
        }
        assertTrue(waits > 0, "300 retries at once are too many");
        assertTrue(waits <= TimeUnit.SECONDS.toNanos(10), "20 retries a second are not");
    }

    @Test
    void theSizesOfRequestsFollowFromTheSpeed() {
        assertEquals(Pace.DEFAULT, host.pace());
        for (int i = 0; i < 100; i++) {
            // 80 MB/s
            host.answered(30 * MILLI, TimeUnit.SECONDS.toNanos(1) / 80, 1_000_000);
        }
        assertEquals(2_400_000, host.pace().gapSize(), 1000);
        assertEquals(2 << 20, host.pace().requestSize(), 1000, "64 MiB for 32 requests under way");
        for (int i = 0; i < 1000; i++) {
            host.answered(MILLI / 10, TimeUnit.SECONDS.toNanos(1) / 80, 1_000_000);
        }
        assertEquals(Pace.DEFAULT, host.pace(), "a near host");
    }
}
