// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static dev.penstock.app.DemoCommand.secondsSince;

import java.io.IOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;

/// The speed of an operation that is repeated, in the fastest of many short rounds. Other programs slow down most
/// rounds on a busy machine.
///
/// The rounds go on until the speed stops rising and Java stops compiling, because compiled code is much faster.
///
/// @param callsPerSecond the number of calls per second
/// @param bytesPerSecond the number of bytes per second
record DemoRate(double callsPerSecond, double bytesPerSecond) {
    private static final double ROUND_SECONDS = 0.05;

    /// The time after which the rounds end in any case.
    private static final double SECONDS_MAX = 10;

    /// A new best round counts as a rise if it is faster by this factor.
    private static final double RISE = 1.05;

    /// Compilation of some small methods makes no difference.
    private static final long COMPILED_MILLIS = 50;

    /// An operation that is measured.
    @FunctionalInterface
    interface Operation {
        /// @return the number of bytes that were read
        long run() throws IOException;
    }

    /// Measures an operation.
    ///
    /// @param steadySeconds the time without a rise and without compilation after which the rounds end
    static DemoRate of(double steadySeconds, Operation operation) throws IOException {
        DemoRate best = new DemoRate(0, 0);
        double steady = 0;
        long start = System.nanoTime();
        long steadySince = start;
        long compiled = compiledMillis();
        while (secondsSince(steadySince) < steadySeconds && secondsSince(start) < SECONDS_MAX) {
            DemoRate round = round(operation);
            best = round.callsPerSecond > best.callsPerSecond ? round : best;
            if (best.callsPerSecond > steady * RISE || compiledMillis() > compiled + COMPILED_MILLIS) {
                steady = best.callsPerSecond;
                steadySince = System.nanoTime();
                compiled = compiledMillis();
            }
        }
        return best;
    }

    private static DemoRate round(Operation operation) throws IOException {
        long calls = 0;
        long bytes = 0;
        long start = System.nanoTime();
        do {
            bytes += operation.run();
            calls++;
        } while (secondsSince(start) < ROUND_SECONDS);
        double seconds = secondsSince(start);
        return new DemoRate(calls / seconds, bytes / seconds);
    }

    /// The time that Java has compiled for, or 0 if it does not say.
    private static long compiledMillis() {
        CompilationMXBean compilation = ManagementFactory.getCompilationMXBean();
        return compilation == null || !compilation.isCompilationTimeMonitoringSupported()
                ? 0
                : compilation.getTotalCompilationTime();
    }
}
