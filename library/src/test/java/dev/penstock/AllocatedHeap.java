// SPDX-License-Identifier: Apache-2.0
package dev.penstock;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.DoublePredicate;

/// Waits until code is compiled before its heap use is judged. Code that is interpreted allocates for every call,
/// and on a busy machine it takes long until the compiler gets to it.
public final class AllocatedHeap {
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(5);

    private AllocatedHeap() {}

    /// Measures something once.
    @FunctionalInterface
    public interface Measurement {
        double bytes() throws IOException;
    }

    /// Measures at least three times, until the result is small enough or five minutes are over.
    ///
    /// @return the last result
    public static double settled(DoublePredicate isSmall, Measurement measurement) throws IOException {
        long start = System.nanoTime();
        measurement.bytes();
        measurement.bytes();
        double bytes;
        do {
            bytes = measurement.bytes();
        } while (!isSmall.test(bytes) && System.nanoTime() - start < PATIENCE_NANOS);
        return bytes;
    }
}
