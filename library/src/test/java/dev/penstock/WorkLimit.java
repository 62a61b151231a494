// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/// Notices that one step of a test takes far more work than it should, as a reader does that goes around in
/// circles.
///
/// It measures the processor time of the thread and not the time that passes, so it does not depend on what else
/// the machine does, or on the number of steps.
public final class WorkLimit {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final long NANOS_MAX = 30_000_000_000L;

    private WorkLimit() {}

    /// A step of a test.
    @FunctionalInterface
    public interface Step<T> {
        T run() throws IOException;
    }

    /// Runs a step.
    public static <T> T of(Step<T> step) throws IOException {
        return of(NANOS_MAX, step);
    }

    static <T> T of(long nanosMax, Step<T> step) throws IOException {
        long start = THREADS.getCurrentThreadCpuTime();
        T result = step.run();
        long nanos = THREADS.getCurrentThreadCpuTime() - start;
        if (nanos > nanosMax) {
            throw new AssertionError("one step took " + nanos / 1_000_000 + " ms of processor time");
        }
        return result;
    }
}
