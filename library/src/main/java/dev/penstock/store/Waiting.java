// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/// Waits for other threads.
final class Waiting {
    private Waiting() {}

    /// Waits for a time before looking again at something that another process changes.
    ///
    /// @throws InterruptedIOException when the thread is interrupted, which it stays
    static void pause(long millis) throws InterruptedIOException {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for another writer");
        }
    }

    /// Waits until a condition holds. The calling thread holds the lock, which is released meanwhile. An interrupt
    /// is kept for later, because it would close the files that other threads use.
    static void until(Object lock, BooleanSupplier isSo) {
        until(lock, isSo, Long.MAX_VALUE);
    }

    /// Waits like [#until(Object, BooleanSupplier)], but not much longer than a limit.
    static void until(Object lock, BooleanSupplier isSo, long limitMillis) {
        long startNanos = System.nanoTime();
        boolean wasInterrupted = false;
        while (!isSo.getAsBoolean()) {
            long leftMillis = limitMillis - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
            if (leftMillis <= 0) {
                break;
            }
            try {
                lock.wait(leftMillis);
            } catch (InterruptedException e) {
                wasInterrupted = true;
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
