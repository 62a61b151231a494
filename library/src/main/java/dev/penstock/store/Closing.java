// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.file.Parallel;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Closes several resources, all of them even if one fails.
///
/// `close` of a store runs on a thread of its own and is waited for a stated time (`Closing.within`). A disk
/// that does not answer blocks no caller.
final class Closing {
    private Closing() {}

    /// A resource to close.
    @FunctionalInterface
    interface Step extends Closeable {}

    /// Closes all resources, then throws the first failure.
    static void all(Iterable<? extends Step> steps) throws IOException {
        IOException first = null;
        for (Step step : steps) {
            try {
                step.close();
            } catch (IOException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /// Closes a resource on another thread and waits at most the given milliseconds. The interrupt status is kept.
    ///
    /// @param what the name of the resource in messages
    /// @throws IOException when closing fails, or when the time is over; closing then continues in the background
    static void within(long millis, Object what, Step step) throws IOException {
        Future<?> closing = Parallel.start(() -> {
            step.close();
            return null;
        });
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        boolean wasInterrupted = Thread.interrupted();
        try {
            while (!closing.isDone()) {
                try {
                    closing.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    wasInterrupted = true;
                } catch (TimeoutException e) {
                    throw new IOException(
                            what + ": closing takes longer than " + millis + " ms, because the disk or another thread"
                                    + " does not answer; it continues in the background, and until then no other"
                                    + " writer can open it",
                            e);
                } catch (ExecutionException e) {
                    // Thrown below unchanged.
                }
            }
            Parallel.await(closing);
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /// Closes a resource after an error. The error stays the one that is reported.
    static void after(Throwable error, Step step) {
        try {
            step.close();
        } catch (IOException e) {
            error.addSuppressed(e);
        }
    }
}
