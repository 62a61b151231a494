// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongFunction;

/// What training has seen at every step, and what it will see, computed from the segments of a checkpoint. Nothing
/// is read.
///
/// Before the first segment, epochs count as if they had been divided as in it; after the last one, they go on as
/// in it.
///
/// **Threads.** Safe for any number of threads.
public final class History {
    private final List<Segment> segments;
    private final LongFunction<Sampler> samplers;

    /// A place at which training sees a record. A record that fills up the last step of an epoch is seen at a
    /// second place, with the position of the first.
    ///
    /// @param position the position among the samples of the epoch
    /// @param step     the step of the epoch, as batches have it
    public record Seen(long epoch, long step, int rank, long position) {}

    /// Consecutive steps of an epoch.
    ///
    /// @param count the number of steps
    private record Piece(Sampler sampler, Steps steps, long count) {
        /// The number of a step that an epoch has after this piece's first steps.
        long stepIn(long step) {
            return step - steps.stepOfEpoch(0);
        }
    }

    History(List<Segment> segments, LongFunction<Sampler> samplers) {
        if (segments.isEmpty()) {
            throw new IllegalArgumentException("a history needs at least one segment");
        }
        this.segments = List.copyOf(segments);
        this.samplers = samplers;
    }

    /// The history of a checkpoint.
    ///
    /// @param sampler the sampler of the checkpoint, such as [SamplerRecipe#make] returns
    /// @throws IllegalArgumentException when the checkpoint is of an earlier version, which has no segments;
    ///                                  [LoaderState#withSteps] adds one
    public static History of(LoaderState state, Sampler sampler) {
        if (state.segments().isEmpty()) {
            throw new IllegalArgumentException("the checkpoint does not say how epochs are divided into steps: it was"
                    + " made by an earlier version, or before the first batch; give the batch size and the number of"
                    + " ranks");
        }
        return new History(
                state.segments(), count -> count == sampler.recordCount() ? sampler : sampler.resized(count));
    }

    /// The segments that it is made of.
    public List<Segment> segments() {
        return segments;
    }

    /// All places of a record in an epoch, on all ranks.
    ///
    /// @throws IndexOutOfBoundsException when the record is out of range
    public List<Seen> places(long epoch, long recordIndex) {
        requireEpoch(epoch);
        List<Seen> places = new ArrayList<>();
        boolean isKnown = false;
        for (Piece piece : pieces(epoch)) {
            if (recordIndex >= 0 && recordIndex < piece.sampler().recordCount()) {
                isKnown = true;
                addPlaces(piece, epoch, recordIndex, places);
            }
        }
        long recordCount = segments.getLast().recordCount();
        if (!isKnown && (recordIndex < 0 || recordIndex >= recordCount)) {
            throw new IndexOutOfBoundsException("record " + recordIndex + " of epoch " + epoch
                    + " is out of range: there are " + recordCount + " records");
        }
        return places;
    }

    private static void addPlaces(Piece piece, long epoch, long recordIndex, List<Seen> places) {
        Steps steps = piece.steps();
        long limit = steps.deliveredAfter(piece.count());
        for (long position : piece.sampler().positions(epoch, recordIndex)) {
            if (position >= steps.start() && position < limit) {
                places.add(
                        new Seen(epoch, steps.stepOfEpoch(steps.stepOf(position)), steps.rankOf(position), position));
            }
        }
        if (piece.count() == steps.count()) {
            addPadded(piece, epoch, recordIndex, places);
        }
    }

    /// Adds the places that fill up the last step of the epoch.
    private static void addPadded(Piece piece, long epoch, long recordIndex, List<Seen> places) {
        Steps steps = piece.steps();
        long last = steps.count() - 1;
        Steps.Share share = new Steps.Share();
        for (int rank = 0; last >= 0 && rank < steps.worldSize(); rank++) {
            steps.share(last, rank, share);
            for (long row = share.realCount; row < share.count(); row++) {
                if (piece.sampler().index(epoch, share.positionOf(row)) == recordIndex) {
                    places.add(new Seen(epoch, steps.stepOfEpoch(last), rank, share.positionOf(row)));
                }
            }
        }
    }

    /// Whether a place was delivered before a checkpoint. The repeated records of the last step of an epoch have
    /// the positions of earlier ones, and are delivered with that step.
    public boolean isSeen(Seen place, LoaderState state) {
        if (place.epoch() != state.epoch() || place.position() >= state.delivered()) {
            return place.epoch() < state.epoch();
        }
        for (Piece piece : pieces(place.epoch())) {
            Steps steps = piece.steps();
            boolean isWithin =
                    place.position() >= steps.start() && place.position() < steps.deliveredAfter(piece.count());
            if (isWithin
                    && steps.stepOfEpoch(steps.stepOf(place.position())) == place.step()
                    && steps.rankOf(place.position()) == place.rank()) {
                return true;
            }
        }
        Piece last = pieces(place.epoch()).getLast();
        return state.delivered() >= last.steps().deliveredAfter(last.steps().count());
    }

    /// The records of a step of an epoch.
    ///
    /// @param rank the rank, or -1 for the records of all ranks, one after the other
    /// @throws IndexOutOfBoundsException when there is no such step or rank
    public long[] indices(long epoch, long step, int rank) {
        requireEpoch(epoch);
        long[] found = null;
        List<Piece> pieces = pieces(epoch);
        for (Piece piece : pieces) {
            long at = piece.stepIn(step);
            if (at >= 0 && at < piece.count() && rank < piece.steps().worldSize()) {
                // After a resume within a step, two pieces have parts of it.
                found = joined(found, indices(piece, epoch, at, rank));
            }
        }
        if (found == null || rank < -1) {
            throw new IndexOutOfBoundsException("step " + step + " on rank " + rank + " is out of range: epoch " + epoch
                    + " has " + stepCount(epoch) + " steps on "
                    + segments.getLast().worldSize() + " ranks");
        }
        return found;
    }

    private static long[] joined(long[] first, long[] second) {
        if (first == null) {
            return second;
        }
        long[] all = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, all, first.length, second.length);
        return all;
    }

    private static long[] indices(Piece piece, long epoch, long step, int wanted) {
        long[] all = new long[0];
        Steps.Share share = new Steps.Share();
        for (int rank = 0; rank < piece.steps().worldSize(); rank++) {
            if (wanted < 0 || rank == wanted) {
                piece.steps().share(step, rank, share);
                long[] indices = new long[Math.toIntExact(share.count())];
                share.fill(piece.sampler(), epoch, MemorySegment.ofArray(indices));
                all = joined(all, indices);
            }
        }
        return all;
    }

    /// The number of steps of an epoch, counted up to the last one.
    public long stepCount(long epoch) {
        requireEpoch(epoch);
        long count = 0;
        for (Piece piece : pieces(epoch)) {
            count = Math.max(count, piece.count() == 0 ? 0 : piece.steps().stepOfEpoch(piece.count() - 1) + 1);
        }
        return count;
    }

    /// The step of an epoch, for a step counted from the beginning of training.
    public record EpochStep(long epoch, long step) {}

    /// Finds a step that is counted from the beginning of training, over all epochs.
    ///
    /// @throws IndexOutOfBoundsException when no step has this number
    public EpochStep stepOfRun(long runStep) {
        long left = runStep;
        long lastEpoch = segments.getLast().epoch() + 1;
        for (long epoch = 0; left >= 0; epoch++) {
            long inEpoch = 0;
            for (Piece piece : pieces(epoch)) {
                if (left < inEpoch + piece.count()) {
                    return new EpochStep(epoch, piece.steps().stepOfEpoch(left - inEpoch));
                }
                inEpoch += piece.count();
            }
            if (epoch >= lastEpoch) {
                // All further epochs are alike.
                if (inEpoch == 0) {
                    break;
                }
                epoch += left / inEpoch - 1;
                left %= inEpoch;
            } else {
                left -= inEpoch;
            }
        }
        throw new IndexOutOfBoundsException("training has no step " + runStep);
    }

    /// The number of a step counted from the beginning of training; the reverse of [#stepOfRun].
    public long runStep(long epoch, long step) {
        long before = stepsBefore(epoch);
        for (Piece piece : pieces(epoch)) {
            long at = piece.stepIn(step);
            if (at >= 0 && at < piece.count()) {
                return before + at;
            }
            before += piece.count();
        }
        throw new IndexOutOfBoundsException("epoch " + epoch + " has no step " + step);
    }

    /// The number of steps from the beginning of training until all ranks together were given this number of
    /// samples of an epoch.
    public long stepsUntil(long epoch, long delivered) {
        requireEpoch(epoch);
        long before = stepsBefore(epoch);
        for (Piece piece : pieces(epoch)) {
            Steps steps = piece.steps();
            if (delivered < steps.deliveredAfter(piece.count())) {
                return before + Math.ceilDiv(Math.max(0, delivered - steps.start()), steps.stepSize());
            }
            before += piece.count();
        }
        return before;
    }

    /// The number of steps of all epochs before one.
    private long stepsBefore(long epoch) {
        long before = 0;
        long lastEpoch = segments.getLast().epoch() + 1;
        for (long one = 0; one < epoch; one++) {
            long inEpoch = pieces(one).stream().mapToLong(Piece::count).sum();
            if (one >= lastEpoch) {
                return before + inEpoch * (epoch - one);
            }
            before += inEpoch;
        }
        return before;
    }

    private static void requireEpoch(long epoch) {
        if (epoch < 0) {
            throw new IndexOutOfBoundsException("the epoch must not be negative, got " + epoch);
        }
    }

    private List<Piece> pieces(long epoch) {
        List<Piece> pieces = new ArrayList<>();
        for (int i = 0; i < segments.size(); i++) {
            Segment one = segments.get(i);
            boolean isLast = i == segments.size() - 1;
            long endEpoch = one.hasEnd()
                    ? one.endEpoch()
                    : isLast ? Long.MAX_VALUE : segments.get(i + 1).epoch();
            long end = one.hasEnd()
                    ? one.endDelivered()
                    : isLast ? 0 : segments.get(i + 1).delivered();
            boolean isFirst = i == 0 && epoch <= one.epoch();
            long start = isFirst || one.epoch() < epoch ? 0 : one.delivered();
            boolean isWithin = (isFirst || one.epoch() <= epoch) && (endEpoch > epoch || endEpoch == epoch && end > 0);
            if (isWithin) {
                pieces.add(piece(one, start, endEpoch == epoch ? end : Long.MAX_VALUE));
            }
        }
        return pieces;
    }

    private Piece piece(Segment one, long start, long end) {
        Sampler sampler = samplers.apply(one.recordCount());
        Steps steps = Steps.of(sampler, start, one.batchSize(), one.worldSize(), one.isDroppingLast(), one.isEven());
        long count = steps.count();
        if (end != Long.MAX_VALUE) {
            count = Math.min(count, Math.ceilDiv(Math.max(0, end - start), steps.stepSize()));
        }
        return new Piece(sampler, steps, count);
    }
}
