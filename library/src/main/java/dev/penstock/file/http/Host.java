// SPDX-License-Identifier: Apache-2.0
package dev.penstock.file.http;

import dev.penstock.file.Location;
import dev.penstock.file.Pace;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// What all requests to one host share: the number of requests under way, the budget of retries, and the measured
/// speed, from which the size of requests follows.
///
/// **Requests under way.** The limit grows by one for each round of answers, as long as requests wait for it and
/// answers take no longer than they would on an idle link. It shrinks by one a round when answers take much
/// longer, because more requests would only wait for each other. The answers 429 and 503 halve it.
///
/// **Budget.** All threads together retry some requests a second. More retries wait, so that a host that recovers
/// is not flooded by the threads that wait for it.
///
/// **Speed.** The latency is the mean time until the head of an answer arrives, and the bandwidth is that of one
/// connection while a body arrives.
///
/// **Threads.** Safe for any number of threads.
final class Host {
    static final int LIMIT_MAX = 128;
    static final int LIMIT_START = 32;

    private static final double RETRIES_PER_SECOND = 20;
    private static final double RETRIES_AT_ONCE = 100;

    /// Answers this many times slower than those of an idle link show that the link is full.
    private static final double SLOW = 3;

    private static final double FAST = 1.5;

    /// Bodies below this size arrive together with the head, so that they say nothing about the bandwidth.
    private static final int BODY_SIZE_MIN = 64 << 10;

    private static final long REPORT_NANOS = TimeUnit.SECONDS.toNanos(5);

    /// The weight of one answer in the means: the last 20 answers or so count.
    private static final double WEIGHT = 0.05;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition freed = lock.newCondition();
    private double limit = LIMIT_START;
    private int underWay;
    private int waiting;
    private double retries = RETRIES_AT_ONCE;
    private long retriesAt = System.nanoTime();
    private long throttledAt = System.nanoTime() - TimeUnit.HOURS.toNanos(1);
    private long reportedAt = throttledAt;
    private boolean hasAnswered;
    private double latencyNanos;
    private double idleNanos;
    private double bytesPerNano;

    /// Waits until a request may be sent. [#release] ends it.
    ///
    /// @return whether it may be sent; false when the time is over
    boolean acquire(long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = nanos;
            waiting++;
            try {
                while (underWay >= Math.max(1, (int) limit)) {
                    if (left <= 0) {
                        return false;
                    }
                    left = freed.awaitNanos(left);
                }
            } finally {
                waiting--;
            }
            underWay++;
            return true;
        } finally {
            lock.unlock();
        }
    }

    void release() {
        lock.lock();
        try {
            underWay--;
            freed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// Notes a usable answer.
    ///
    /// @param headNanos the time until its head arrived
    /// @param bodyNanos the time from then until the end of its body
    void answered(long headNanos, long bodyNanos, long byteCount) {
        lock.lock();
        try {
            latencyNanos = latencyNanos == 0 ? headNanos : mean(latencyNanos, headNanos);
            // The fastest answer counts; it is forgotten slowly, because the way to the host may change.
            idleNanos = idleNanos == 0 ? headNanos : Math.min(headNanos, idleNanos * (1 + WEIGHT / 10));
            if (byteCount >= BODY_SIZE_MIN) {
                double speed = (double) byteCount / Math.max(1, bodyNanos);
                bytesPerNano = bytesPerNano == 0 ? speed : mean(bytesPerNano, speed);
            }
            if (headNanos < FAST * idleNanos && waiting > 0) {
                limit = Math.min(LIMIT_MAX, limit + 1 / limit);
            } else if (headNanos > SLOW * idleNanos) {
                limit = Math.max(Math.min(limit, LIMIT_START / 4), limit - 1 / limit);
            }
        } finally {
            lock.unlock();
        }
    }

    private static double mean(double before, double now) {
        return before + WEIGHT * (now - before);
    }

    /// Halves the limit. Answers to requests that were under way already count once.
    void throttled() {
        lock.lock();
        try {
            long now = System.nanoTime();
            if (now - throttledAt > latencyNanos * 2) {
                limit = Math.max(1, limit / 2);
                throttledAt = now;
            }
        } finally {
            lock.unlock();
        }
    }

    /// Notes that the host exists: it has sent an answer of any kind.
    void exists() {
        lock.lock();
        hasAnswered = true;
        lock.unlock();
    }

    boolean hasAnswered() {
        lock.lock();
        try {
            return hasAnswered;
        } finally {
            lock.unlock();
        }
    }

    /// Takes a retry from the budget.
    ///
    /// @return the nanoseconds to wait before the retry
    long takeRetry() {
        lock.lock();
        try {
            long now = System.nanoTime();
            double nanosEach = TimeUnit.SECONDS.toNanos(1) / RETRIES_PER_SECOND;
            retries = Math.min(RETRIES_AT_ONCE, retries + (now - retriesAt) / nanosEach) - 1;
            retriesAt = now;
            return retries >= 0 ? 0 : (long) (-retries * nanosEach);
        } finally {
            lock.unlock();
        }
    }

    /// Says on the standard error stream that a request takes long, at most once in five seconds for all of them.
    void report(Location object, long nanos, int attempts, String reason) {
        lock.lock();
        try {
            long now = System.nanoTime();
            if (nanos < REPORT_NANOS || now - reportedAt < REPORT_NANOS) {
                return;
            }
            reportedAt = now;
        } finally {
            lock.unlock();
        }
        System.err.println("penstock: still waiting for " + object + " after " + TimeUnit.NANOSECONDS.toSeconds(nanos)
                + " s and " + attempts + " attempts: " + reason);
    }

    int limit() {
        lock.lock();
        try {
            return (int) limit;
        } finally {
            lock.unlock();
        }
    }

    /// The sizes of requests that follow from the measured speed.
    Pace pace() {
        lock.lock();
        try {
            return Pace.of(latencyNanos, bytesPerNano, Math.max(1, (int) limit));
        } finally {
            lock.unlock();
        }
    }
}
