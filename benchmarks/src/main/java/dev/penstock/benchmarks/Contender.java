// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

/// One program that gathers rows, in this process or another.
interface Contender {
    /// Gathers batches. The indices are drawn before the clock starts.
    ///
    /// @return the nanoseconds of each batch, or one value for all of them
    long[] run(Draw draw) throws Exception;

    /// The CRC-32 of all bytes gathered, batch after batch.
    long checksum(Draw draw) throws Exception;

    /// The number of callers that gather at the same time, each the whole draw.
    default int callers() {
        return 1;
    }

    /// The number of warm-up runs. The Java runtime compiles a method again after some thousand calls; the speed
    /// after that is measured.
    default int warmUps() {
        return 60;
    }
}
