// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.Optional;
import java.util.OptionalLong;

/// What a [Loader] hands out, by arithmetic alone: nothing is read, and any step of any epoch can be asked for, on
/// any rank.
///
/// **Threads.** Any number.
public final class Plan {
    private final Sampler sampler;
    private final Steps steps;

    /// Where a record comes.
    ///
    /// @param position among the samples of the epoch
    /// @param step     the step it falls to, or -1 when it is in the last one and that is left out
    /// @param rank     the rank that takes it, or -1 likewise
    public record Place(long position, long step, int rank) {
        /// Whether it comes at all.
        public boolean isDelivered() {
            return step >= 0;
        }
    }

    private Plan(Sampler sampler, Steps steps) {
        this.sampler = sampler;
        this.steps = steps;
    }

    /// The plan of a loader with these options.
    ///
    /// @param batchSize      records of a batch on one rank
    /// @param isDroppingLast whether the smaller step at the end is left out
    /// @throws IllegalArgumentException when the order's shares cannot be divided among the ranks
    public static Plan of(Sampler sampler, long batchSize, int worldSize, boolean isDroppingLast) {
        if (worldSize < 1) {
            throw new IllegalArgumentException("there is no world of " + worldSize + " ranks");
        }
        return new Plan(sampler, Steps.of(sampler, 0, batchSize, worldSize, isDroppingLast));
    }

    /// Steps of an epoch.
    public long stepCount() {
        return steps.count();
    }

    /// Positions of an epoch that all ranks together hand out. Those that a short share repeats are among them;
    /// what fills up the last step is not.
    public long sampleCount() {
        return Math.min(steps.length(), steps.count() * steps.stepSize());
    }

    /// Positions of a whole step on all ranks.
    public long stepSize() {
        return steps.stepSize();
    }

    /// Rows of a step on one rank; they are as many on all.
    public long rowCount(long step) {
        return share(step, 0).count();
    }

    /// The records of a step on one rank, in order.
    public long[] indices(long epoch, long step, int rank) {
        Steps.Share share = share(step, rank);
        long[] indices = new long[Math.toIntExact(share.count())];
        share.fill(sampler, epoch, MemorySegment.ofArray(indices));
        return indices;
    }

    /// Which rows of a step have a record that came before in the epoch, only so that all ranks have as many.
    public BitSet padded(long step, int rank) {
        Steps.Share share = share(step, rank);
        BitSet padded = new BitSet();
        if (share.hasPadded(sampler)) {
            for (int row = 0; row < share.count(); row++) {
                padded.set(row, share.isPadded(sampler, row));
            }
        }
        return padded;
    }

    /// Rows of a step, on all ranks, that only fill up.
    public long paddedCount(long step) {
        if (sampler.shareCount() == 1) {
            return rowCount(step) * steps.worldSize() - stepSamples(step);
        }
        long count = 0;
        for (int rank = 0; rank < steps.worldSize(); rank++) {
            count += padded(step, rank).cardinality();
        }
        return count;
    }

    /// Positions of a step on all ranks.
    private long stepSamples(long step) {
        return Math.min(steps.stepSize(), steps.length() - steps.stepStart(step));
    }

    /// Where a record comes in an epoch; nothing when the order has no inverse, or does not have the record.
    ///
    /// @throws IndexOutOfBoundsException when there is no such record
    public Optional<Place> find(long epoch, long recordIndex) {
        if (epoch < 0 || recordIndex < 0 || recordIndex >= sampler.recordCount()) {
            throw new IndexOutOfBoundsException("record " + recordIndex + " of epoch " + epoch + " is not among the "
                    + sampler.recordCount() + " records");
        }
        OptionalLong position = sampler.position(epoch, recordIndex);
        return position.isPresent() ? Optional.of(place(position.getAsLong())) : Optional.empty();
    }

    private Place place(long position) {
        return position < sampleCount()
                ? new Place(position, steps.stepOf(position), steps.rankOf(position))
                : new Place(position, -1, -1);
    }

    private Steps.Share share(long step, int rank) {
        if (step < 0 || step >= steps.count() || rank < 0 || rank >= steps.worldSize()) {
            throw new IndexOutOfBoundsException("step " + step + " on rank " + rank + " is not among the "
                    + steps.count() + " steps on " + steps.worldSize() + " ranks");
        }
        Steps.Share share = new Steps.Share();
        steps.share(step, rank, share);
        return share;
    }
}
