// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// Computes what a [Loader] delivers without reading anything: any step of any epoch on any rank.
///
/// **Threads.** Safe for any number of threads.
public final class Plan {
    private final Sampler sampler;
    private final Steps steps;

    /// The place of a record in an epoch.
    ///
    /// @param position the position among the samples of the epoch
    /// @param step     the step of the record, or -1 when it is in the last step and that is dropped
    /// @param rank     the rank of the record, or -1 likewise
    public record Place(long position, long step, int rank) {
        /// Whether the record is delivered.
        public boolean isDelivered() {
            return step >= 0;
        }
    }

    Plan(Sampler sampler, Steps steps) {
        this.sampler = sampler;
        this.steps = steps;
    }

    /// Creates the plan of a loader with these options.
    ///
    /// @param batchSize      the number of records in a batch on one rank
    /// @param isDroppingLast whether the incomplete last step is dropped
    /// @throws IllegalArgumentException when the sampler's shares cannot be divided among the ranks
    public static Plan of(Sampler sampler, long batchSize, int worldSize, boolean isDroppingLast) {
        if (worldSize < 1) {
            throw new IllegalArgumentException("worldSize must be at least 1, got " + worldSize);
        }
        return new Plan(sampler, Steps.of(sampler, 0, batchSize, worldSize, isDroppingLast));
    }

    /// The number of steps of an epoch.
    public long stepCount() {
        return steps.count();
    }

    /// The number of positions of an epoch that all ranks together deliver. It includes positions that a short
    /// share repeats, but not those that fill up the last step.
    public long sampleCount() {
        return Math.min(steps.length(), steps.count() * steps.stepSize());
    }

    /// The number of positions of a whole step on all ranks.
    public long stepSize() {
        return steps.stepSize();
    }

    /// The number of rows of a step on one rank, which is the same on all ranks.
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

    /// The rows of a step that repeat a record of the epoch, so that all ranks have the same number.
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

    /// The number of such rows of a step on all ranks.
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

    /// The number of positions of a step on all ranks.
    private long stepSamples(long step) {
        return Math.min(steps.stepSize(), steps.length() - steps.stepStart(step));
    }

    /// The place of a record in an epoch; empty when the sampler has no inverse, or does not sample the record.
    ///
    /// @throws IndexOutOfBoundsException when the record is out of range
    public Optional<Place> find(long epoch, long recordIndex) {
        if (epoch < 0 || recordIndex < 0 || recordIndex >= sampler.recordCount()) {
            throw new IndexOutOfBoundsException("record " + recordIndex + " of epoch " + epoch
                    + " is out of range: there are " + sampler.recordCount() + " records");
        }
        OptionalLong position = sampler.position(epoch, recordIndex);
        return position.isPresent() ? Optional.of(place(position.getAsLong())) : Optional.empty();
    }

    /// All places of a record in an epoch, on all ranks: none when it is not sampled or its step is dropped,
    /// several when it is repeated. A sampler without an inverse is searched.
    ///
    /// @throws IndexOutOfBoundsException when the record is out of range
    public List<Place> findAll(long epoch, long recordIndex) {
        Segment whole = new Segment(
                0,
                0,
                sampler.recordCount(),
                steps.batchSize(),
                steps.worldSize(),
                steps.isDroppingLast(),
                steps.isEven(),
                -1,
                -1);
        return new History(List.of(whole), count -> sampler)
                .places(epoch, recordIndex).stream()
                        .map(seen -> new Place(seen.position(), seen.step(), seen.rank()))
                        .toList();
    }

    private Place place(long position) {
        return position < sampleCount()
                ? new Place(position, steps.stepOf(position), steps.rankOf(position))
                : new Place(position, -1, -1);
    }

    private Steps.Share share(long step, int rank) {
        if (step < 0 || step >= steps.count() || rank < 0 || rank >= steps.worldSize()) {
            throw new IndexOutOfBoundsException("step " + step + " on rank " + rank + " is out of range: there are "
                    + steps.count() + " steps on " + steps.worldSize() + " ranks");
        }
        Steps.Share share = new Steps.Share();
        steps.share(step, rank, share);
        return share;
    }
}
