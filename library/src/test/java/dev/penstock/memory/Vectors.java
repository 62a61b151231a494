// SPDX-License-Identifier: Apache-2.0
package dev.penstock.memory;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// Tells programs of the tests when gathers use vector instructions, which is some time after the first gather.
public final class Vectors {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

    private final long deadline = System.nanoTime() + PATIENCE_NANOS;

    /// Leaves the processor to the threads that prepare the vectors.
    public static void pause() {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
    }

    /// Returns whether to go on waiting: the vectors are not in use yet, and may still come to be.
    public boolean areAwaited() {
        return RowCopy.hasVectors() && !RowCopy.isTrained() && System.nanoTime() < deadline;
    }
}
