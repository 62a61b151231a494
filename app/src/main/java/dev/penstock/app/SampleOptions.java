// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.plugin.Seed;
import dev.penstock.shards.ShardSample;
import java.util.Map;
import picocli.CommandLine.Option;

/// The options that choose a sample.
final class SampleOptions {
    @Option(
            names = "--fraction",
            paramLabel = "F",
            description = "The fraction of the records, greater than 0 and at most 1.")
    private Double fraction;

    @Option(
            names = "--seed",
            paramLabel = "S",
            converter = Seed.class,
            description = "Random seed for another sample, a 64-bit number from -2^63 to 2^64 - 1 (default: nested"
                    + " samples).")
    private Long seed;

    boolean hasFraction() {
        return fraction != null;
    }

    /// The seed, or 0 if none was given.
    long seed() {
        return seed == null ? 0 : seed;
    }

    /// The choice of records.
    ///
    /// @throws IllegalArgumentException when the fraction is missing or out of range
    ShardSample choice() {
        if (fraction == null) {
            throw new IllegalArgumentException("--fraction is missing: the fraction of the records to choose");
        }
        if (!(fraction > 0) || fraction > 1) {
            throw new IllegalArgumentException("--fraction must be greater than 0 and at most 1, got " + fraction);
        }
        return ShardSample.of(fraction, seed);
    }

    /// The options as texts by name, to be stored with the sample.
    Map<String, String> texts() {
        return Map.of(
                "fraction", String.valueOf(fraction), "seed", seed == null ? "none" : Long.toUnsignedString(seed));
    }
}
