// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.util.Arrays;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

/// The duration of each round, ours and the baseline's, and the rows computed from them.
final class Times {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double BYTES_PER_MEGABYTE = 1e6;

    private final long[] ours;
    private final long[] floor;
    private final long[] bytes;

    Times(int rounds) {
        this.ours = new long[rounds];
        this.floor = new long[rounds];
        this.bytes = new long[rounds];
    }

    void set(int round, long ourNanos, long floorNanos, long byteCount) {
        ours[round] = ourNanos;
        floor[round] = floorNanos;
        bytes[round] = byteCount;
    }

    /// A row in megabytes (10^6) per second; both sides count the bytes of our side.
    Row megabytes(String name, String caseName, String floorName) {
        return row(name, caseName, "MB/s", floorName, round -> bytes[round] / BYTES_PER_MEGABYTE);
    }

    /// A row in things per second; each round has `count` things.
    Row things(String name, String caseName, String unit, long count, String floorName) {
        return row(name, caseName, unit, floorName, round -> count);
    }

    /// A row in milliseconds for each of `count` repetitions in a round.
    Row millis(String name, String caseName, long count, String floorName) {
        double divisor = NANOS_PER_MILLI * count;
        return new Row(
                name,
                caseName,
                median(round -> ours[round] / divisor),
                "ms",
                floorName,
                median(round -> floor[round] / divisor),
                median(this::ratio),
                spread(this::ratio));
    }

    private Row row(String name, String caseName, String unit, String floorName, IntToDoubleFunction amount) {
        return new Row(
                name,
                caseName,
                median(round -> amount.applyAsDouble(round) / ours[round] * NANOS_PER_SECOND),
                unit,
                floorName,
                median(round -> amount.applyAsDouble(round) / floor[round] * NANOS_PER_SECOND),
                median(this::ratio),
                spread(this::ratio));
    }

    private double ratio(int round) {
        return (double) floor[round] / ours[round];
    }

    private double median(IntToDoubleFunction figure) {
        return median(figures(figure));
    }

    private double spread(IntToDoubleFunction figure) {
        return spread(figures(figure));
    }

    private double[] figures(IntToDoubleFunction figure) {
        return IntStream.range(0, ours.length).mapToDouble(figure).toArray();
    }

    static double median(double[] figures) {
        double[] sorted = figures.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    static double spread(double[] figures) {
        double max = Arrays.stream(figures).max().orElseThrow();
        double min = Arrays.stream(figures).min().orElseThrow();
        return (max - min) / median(figures);
    }
}
