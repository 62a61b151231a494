// SPDX-License-Identifier: Apache-2.0
package dev.penstock.rows.kernel;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// Tells programs of the tests when gathers and conversions use vector instructions, which is some time after the
/// first one.
public final class Vectors {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

    private final long deadline = System.nanoTime() + PATIENCE_NANOS;

    /// Has them prepared now, and not only after many rows.
    public Vectors() {
        RowCopy.train();
    }

    /// Leaves the processor to the threads that prepare the vectors.
    public static void pause() {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
    }

    /// Returns whether to go on waiting: gathers do not use vectors yet, and may still come to do so.
    public boolean areAwaited() {
        return areAwaited(RowCopy.isTrained());
    }

    /// The same for conversions.
    public boolean areAwaitedForNumbers() {
        Widening.train();
        return areAwaited(Widening.isTrained());
    }

    private boolean areAwaited(boolean isTrained) {
        return RowCopy.hasVectors() && !isTrained && System.nanoTime() < deadline;
    }
}
