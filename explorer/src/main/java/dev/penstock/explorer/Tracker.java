// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.Progress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;

/// The progress of one scan, and the way to stop it: when it was cancelled, or its time is over, the next report
/// of progress throws.
///
/// **Threads.** Safe for any number of threads.
final class Tracker implements Progress {
    private final long budgetNanos;
    private volatile long startNanos;
    private volatile boolean hasStarted;
    private volatile boolean isCancelled;
    private volatile long done;
    private volatile long total;

    /// @param budgetSeconds the time that the scan may take
    Tracker(long budgetSeconds) {
        this.budgetNanos = TimeUnit.SECONDS.toNanos(budgetSeconds);
    }

    /// The time of the scan is over. What was found so far is valid.
    static final class OutOfTime extends RuntimeException {
        OutOfTime() {
            super("the time budget is used up", null, false, false);
        }
    }

    /// The scan begins. Waiting for a thread does not count.
    void start() {
        startNanos = System.nanoTime();
        hasStarted = true;
    }

    void cancel() {
        isCancelled = true;
    }

    boolean isCancelled() {
        return isCancelled;
    }

    /// @throws CancellationException when the scan was cancelled
    /// @throws OutOfTime             when its time is over
    @Override
    public void at(long done, long total) {
        this.done = done;
        this.total = total;
        if (isCancelled) {
            throw new CancellationException("the query was cancelled");
        }
        if (done < total && System.nanoTime() - startNanos > budgetNanos) {
            throw new OutOfTime();
        }
    }

    Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("waiting", !hasStarted);
        json.put("done", done);
        json.put("total", total);
        return json;
    }
}
