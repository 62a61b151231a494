// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

/// One way to gather rows, in this process or another.
interface Contender {
    /// Gathers batches; the indices are drawn before the clock starts.
    ///
    /// @return the nanoseconds of each batch, or one figure for all of them
    long[] run(Draw draw) throws Exception;

    /// The CRC-32 of all bytes gathered, batch after batch.
    long checksum(Draw draw) throws Exception;

    /// How many callers gather at once, each as much as is drawn.
    default int callers() {
        return 1;
    }

    /// How many runs it takes until it is as fast as it gets. The Java runtime compiles a method again after some
    /// thousand calls, with more of what it calls inside it; what counts is how fast it is after that.
    default int warmUps() {
        return 60;
    }
}
