// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/// Waits for states of other threads. Tests never wait for a time, in which a busy machine may do nothing.
public final class Waiting {
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(5);

    private Waiting() {}

    /// Waits until a condition holds, and fails with the message if it does not hold after minutes.
    public static void until(String message, BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadline, message);
            Thread.sleep(1);
        }
    }

    /// Returns whether a thread waits for another thread: for a notification, a lock or a time.
    public static boolean isWaiting(Thread thread) {
        return switch (thread.getState()) {
            case WAITING, TIMED_WAITING, BLOCKED -> true;
            default -> false;
        };
    }
}
