// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.IntConsumer;

/// Makes the runtime compile vector loops before they access a mapped file: see [RowCopy].
final class VectorTraining {
    /// More than the runtime's thresholds for its optimising compiler.
    private static final int CALLS = 1000;

    private static final int ROUNDS_MIN = 3;
    private static final int ROUNDS_MAX = 100;
    private static final long PAUSE_MILLIS = 30;

    private VectorTraining() {}

    /// Runs loops over private memory until they are compiled.
    ///
    /// @param loops          runs all loops; receives the number of the call
    /// @param allocatedBytes the least that one call allocates while a loop is not compiled as a whole: an object
    ///                       for each vector
    /// @return whether the loops are compiled; on a busy machine this may never happen
    static boolean run(IntConsumer loops, long allocatedBytes) {
        try {
            for (int round = 1; round <= ROUNDS_MAX; round++) {
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

    private static boolean isCompiled(IntConsumer loops, long allocatedBytes) {
        if (!(ManagementFactory.getThreadMXBean() instanceof ThreadMXBean threads)) {
            return true;
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        loops.accept(0);
        return threads.getCurrentThreadAllocatedBytes() - before < allocatedBytes;
    }
}
