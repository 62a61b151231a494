// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import dev.penstock.DatasetException;
import dev.penstock.file.Location;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/// Statistics of the lengths of the runs of a pack, by the number of steps in their metadata. The original program
/// stores them as the statistics block of a pack.
///
/// The block is postcard: count varint64, totalSteps varint64, minSteps varint32, maxSteps varint32, meanSteps as
/// a 64-bit float, then the percentiles 50, 90 and 99 as varint32.
///
/// @param p50 the run at rank `0.5 * (count - 1)`, rounded half up
public record RunLengths(
        long count, long totalSteps, long minSteps, long maxSteps, double meanSteps, long p50, long p90, long p99) {
    private static final Location BLOCK = Location.of(Path.of("statistics"));

    /// Computes the statistics.
    ///
    /// @param steps the number of steps of each run; the array is sorted by this call
    static RunLengths of(long[] steps) {
        Arrays.sort(steps);
        int count = steps.length;
        if (count == 0) {
            return new RunLengths(0, 0, 0, 0, 0, 0, 0, 0);
        }
        long total = Arrays.stream(steps).sum();
        return new RunLengths(
                count,
                total,
                steps[0],
                steps[count - 1],
                (double) total / count,
                percentile(steps, 0.50),
                percentile(steps, 0.90),
                percentile(steps, 0.99));
    }

    private static long percentile(long[] sorted, double share) {
        return sorted[(int) Math.round(share * (sorted.length - 1))];
    }

    /// Encodes the statistics block.
    byte[] encode() {
        RunOutput out = new RunOutput(Long.BYTES * 8);
        out.varint(count);
        out.varint(totalSteps);
        out.varint(minSteps);
        out.varint(maxSteps);
        out.u64(Double.doubleToRawLongBits(meanSteps));
        out.varint(p50);
        out.varint(p90);
        out.varint(p99);
        return out.toBytes();
    }

    /// Decodes a block. Returns empty when the bytes are invalid, inconsistent, or do not match the number of
    /// runs.
    static Optional<RunLengths> decode(byte[] block, long runCount) {
        try {
            RunBytes in = new RunBytes(block, block.length, BLOCK, 0, null);
            long count = in.varint64("the count");
            long total = in.varint64("the total");
            long min = in.varint32("the minimum");
            long max = in.varint32("the maximum");
            in.require(Double.BYTES, "the mean");
            double mean = Double.longBitsToDouble((long) RunBytes.U64.get(block, in.position));
            in.position += Double.BYTES;
            RunLengths lengths = new RunLengths(
                    count,
                    total,
                    min,
                    max,
                    mean,
                    in.varint32("percentile 50"),
                    in.varint32("percentile 90"),
                    in.varint32("percentile 99"));
            boolean isWhole = in.remaining() == 0;
            return isWhole && lengths.isConsistent(runCount) ? Optional.of(lengths) : Optional.empty();
        } catch (DatasetException e) {
            return Optional.empty();
        }
    }

    private boolean isConsistent(long runCount) {
        if (count != runCount || totalSteps < 0 || count == 0) {
            return count == runCount && equals(of(new long[0]));
        }
        boolean isOrdered = minSteps <= p50 && p50 <= p90 && p90 <= p99 && p99 <= maxSteps;
        boolean isSum = minSteps <= totalSteps / count && Math.ceilDiv(totalSteps, count) <= maxSteps;
        return isOrdered && isSum && meanSteps == (double) totalSteps / count;
    }
}
