// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import static dev.penstock.file.Layouts.U64;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// The records that one rank samples at the positions of an epoch, without those that are repeated as padding.
///
/// **Threads.** One thread at a time.
final class AheadSteps {
    private final Sampler sampler;
    private final Steps steps;
    private final int rank;
    private final Steps.Share share = new Steps.Share();

    AheadSteps(Sampler sampler, Steps steps, int rank) {
        this.sampler = sampler;
        this.steps = steps;
        this.rank = rank;
    }

    /// The records in ascending order. A record that is sampled several times occurs as often.
    ///
    /// @param first the first position
    /// @param limit the position after the last one
    long[] records(long epoch, long first, long limit) {
        long[] records = new long[0];
        int count = 0;
        long lastStep = Math.min(steps.stepOf(limit - 1), steps.count(rank) - 1);
        for (long step = steps.stepOf(first); step <= lastStep; step++) {
            steps.share(step, rank, share);
            long from = Math.max(0, Math.ceilDiv(first - share.position, share.stride));
            long to = Math.min(share.realCount, Math.ceilDiv(limit - share.position, share.stride));
            if (from >= to) {
                continue;
            }
            int added = Math.toIntExact(to - from);
            if (records.length < count + added) {
                records = Arrays.copyOf(records, Math.max(2 * records.length, count + added));
            }
            MemorySegment target =
                    MemorySegment.ofArray(records).asSlice(count * U64.byteSize(), added * U64.byteSize());
            sampler.fill(epoch, share.position + from * share.stride, share.stride, target);
            count += added;
        }
        long[] sorted = Arrays.copyOf(records, count);
        Arrays.sort(sorted);
        return sorted;
    }
}
