// SPDX-License-Identifier: Apache-2.0
package dev.penstock.rows.kernel;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import java.util.stream.Stream;

/// Makes the runtime compile vector loops before they access a mapped file: see [RowCopy].
final class VectorTraining {
    /// More than the runtime's thresholds for its optimising compiler.
    private static final int CALLS = 1000;

    private static final int ROUNDS_MIN = 3;
    private static final int ROUNDS_MAX = 100;
    private static final long PAUSE_MILLIS = 30;

    /// Ten times what training usually takes. A runtime without its optimising compiler never succeeds.
    private static final long CPU_NANOS_MAX = 5_000_000_000L;

    /// Training uses a core for a while. It is delayed so that it does not slow down the first batch.
    private static final long DELAY_MILLIS = 500;

    private VectorTraining() {}

    /// Trains loops in the background, one after another. If the system cannot create a thread for it, the loops
    /// are never used.
    ///
    /// @param trust     is told when all loops are compiled
    /// @param trainings each returns whether its loops are compiled
    static void start(VectorTrust trust, BooleanSupplier... trainings) {
        try {
            Thread.ofPlatform().daemon().name("penstock-train").start(() -> {
                if (isTime() && Stream.of(trainings).allMatch(BooleanSupplier::getAsBoolean)) {
                    trust.trained();
                }
            });
        } catch (OutOfMemoryError e) {
            trust.distrust();
        }
    }

    private static boolean isTime() {
        try {
            Thread.sleep(DELAY_MILLIS);
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }

    /// Runs loops over private memory until they are compiled.
    ///
    /// @param loops          runs all loops; receives the number of the call
    /// @param allocatedBytes the least that one call allocates while a loop is not compiled as a whole: an object
    ///                       for each vector
    /// @return whether the loops are compiled; on a busy machine this may never happen
    static boolean run(IntConsumer loops, long allocatedBytes) {
        return run(loops, allocatedBytes, CPU_NANOS_MAX);
    }

    static boolean run(IntConsumer loops, long allocatedBytes, long cpuNanosMax) {
        long cpuNanosLimit = cpuNanos() + cpuNanosMax;
        try {
            for (int round = 1; round <= ROUNDS_MAX && cpuNanos() <= cpuNanosLimit; round++) {
                for (int call = 0; call < CALLS; call++) {
                    loops.accept(call);
                }
                // Code that was compiled in the background meanwhile takes effect from the next call on.
                Thread.sleep(PAUSE_MILLIS);
                if (round >= ROUNDS_MIN && isCompiled(loops, allocatedBytes)) {
                    return true;
                }
            }
        } catch (InterruptedException e) {
            // The training thread is never interrupted. Without training, rows are copied by words.
        }
        return false;
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static boolean isCompiled(IntConsumer loops, long allocatedBytes) {
        if (!(ManagementFactory.getThreadMXBean() instanceof ThreadMXBean threads)) {
            return true;
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        loops.accept(0);
        return threads.getCurrentThreadAllocatedBytes() - before < allocatedBytes;
    }
}
