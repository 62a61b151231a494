// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/// A lock whose holders can wait for a condition that another holder brings about.
///
/// It is used as `try (StoreLock.Held _ = lock.hold()) { ... }`. Interrupts are kept for later, because they would
/// close the files that other threads use.
///
/// **Threads.** Safe for any number of threads. A thread may take it again while it holds it.
final class StoreLock {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Held held = lock::unlock;

    /// Releases the lock when it is closed.
    @FunctionalInterface
    interface Held extends AutoCloseable {
        @Override
        void close();
    }

    /// Waits for the lock and takes it.
    Held hold() {
        lock.lock();
        return held;
    }

    /// Makes waiting threads look at their conditions again. The calling thread holds the lock.
    void signalAll() {
        changed.signalAll();
    }

    /// Waits until a condition holds. The calling thread holds the lock, which is released meanwhile.
    void until(BooleanSupplier isSo) {
        while (!isSo.getAsBoolean()) {
            changed.awaitUninterruptibly();
        }
    }

    /// Waits like [#until(BooleanSupplier)], but not much longer than a limit.
    void until(BooleanSupplier isSo, long limitMillis) {
        long leftNanos = TimeUnit.MILLISECONDS.toNanos(limitMillis);
        boolean wasInterrupted = false;
        while (!isSo.getAsBoolean() && leftNanos > 0) {
            try {
                leftNanos = changed.awaitNanos(leftNanos);
            } catch (InterruptedException e) {
                wasInterrupted = true;
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
