// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Which source of a mixture each position of a run belongs to, and which sample of the source it is: a function
/// of the stages, which ends where all sources have had their last sample.
///
/// The function of a position depends on earlier weights only. So stages that are added later change nothing
/// before.
///
/// **Threads.** Safe for any number of threads.
final class MixtureSchedule {
    /// Larger than any position, and small enough to add to.
    static final long NO_END = 1L << 60;

    private final List<MixtureStage> stages;
    private final long[] limits;
    private final long seed;
    private final List<MixturePhase> phases = new ArrayList<>();
    /// The position at which all sources are exhausted, once it is known.
    private volatile long end = NO_END;

    private volatile MixturePhase.Chunk last;
    private volatile MixturePhase.Chunk lastButOne;

    /// @param stages in ascending order, the first from 0 on
    /// @param limits the largest number of samples of each source
    MixtureSchedule(List<MixtureStage> stages, long[] limits, long seed) {
        this.stages = List.copyOf(stages);
        this.limits = limits.clone();
        this.seed = seed;
        long before = -1;
        for (MixtureStage stage : stages) {
            if (stage.from() <= before || stage.weights().size() > limits.length) {
                throw new IllegalArgumentException(
                        stage.from() <= before
                                ? "stages must be in ascending order, but the one from sample " + stage.from()
                                        + " comes after one from " + before
                                : "a stage has " + stage.weights().size() + " weights for " + limits.length
                                        + " sources");
            }
            before = stage.from();
        }
        if (stages.isEmpty() || stages.getFirst().from() != 0) {
            throw new IllegalArgumentException("the first stage of a mixture must begin at sample 0");
        }
    }

    int sourceCount() {
        return limits.length;
    }

    /// The position after the last sample, or [#NO_END].
    long end() {
        boolean hasLimits = Arrays.stream(limits).noneMatch(limit -> limit == Long.MAX_VALUE);
        if (hasLimits && end == NO_END) {
            phase(NO_END - 1);
        }
        return end;
    }

    /// The phase of a position.
    ///
    /// @return null after the end
    private MixturePhase phase(long position) {
        synchronized (phases) {
            while ((phases.isEmpty() || phases.getLast().end() <= position) && position < end) {
                MixturePhase next = next();
                if (next == null) {
                    end = phases.isEmpty() ? 0 : phases.getLast().end();
                } else {
                    phases.add(next);
                }
            }
            int low = 0;
            int high = phases.size() - 1;
            while (low < high) {
                int middle = (low + high + 1) >>> 1;
                if (phases.get(middle).start() <= position) {
                    low = middle;
                } else {
                    high = middle - 1;
                }
            }
            return position >= end ? null : phases.get(low);
        }
    }

    /// The phase after the last one, or null if no source has anything left.
    private MixturePhase next() {
        int count = limits.length;
        boolean isFirst = phases.isEmpty();
        long start = isFirst ? 0 : phases.getLast().end();
        long[] counts = isFirst ? new long[count] : phases.getLast().countsAtEnd();
        double[] due = isFirst ? new double[count] : phases.getLast().dueAtEnd();
        long[] left = new long[count];
        Arrays.setAll(left, i -> limits[i] == Long.MAX_VALUE ? Long.MAX_VALUE : limits[i] - counts[i]);
        int stage = stageOf(start);
        long limit = stage + 1 < stages.size() ? stages.get(stage + 1).from() : NO_END;
        long rampEnd = stages.get(stage).from() + stages.get(stage).ramp();
        if (start < rampEnd) {
            limit = Math.min(limit, rampEnd);
        }
        double[] from = alive(sharesAt(stage, start), left);
        double[] to = alive(sharesAt(stage, Math.min(limit, rampEnd)), left);
        if (from == null || to == null) {
            // The sources of one end of a ramp are exhausted, or those of the whole stage.
            double[] only = from == null ? to : from;
            if (only == null) {
                return null;
            }
            from = only;
            to = only;
        }
        give(due, left, from);
        long end = firstExhausted(start, limit, from, to, due, left);
        if (end < limit && !Arrays.equals(from, to)) {
            double done = (double) (end - start) / (limit - start);
            double[] whole = to.clone();
            double[] first = from;
            to = new double[count];
            for (int i = 0; i < count; i++) {
                to[i] = first[i] + (whole[i] - first[i]) * done;
            }
        }
        return new MixturePhase(start, end, from, to, counts, due, left, seed);
    }

    private int stageOf(long position) {
        int stage = 0;
        while (stage + 1 < stages.size() && stages.get(stage + 1).from() <= position) {
            stage++;
        }
        return stage;
    }

    /// The shares that the stages declare at a position, which may be the end of a stage's ramp.
    private double[] sharesAt(int stage, long position) {
        MixtureStage own = stages.get(stage);
        double[] shares = own.shares(limits.length);
        if (stage == 0 || position >= own.from() + own.ramp()) {
            return shares;
        }
        // A ramp may begin before the one of the stage before has come to its end.
        double[] before = sharesAt(stage - 1, own.from());
        double done = (double) (position - own.from()) / own.ramp();
        double[] between = new double[shares.length];
        Arrays.setAll(between, i -> before[i] + (shares[i] - before[i]) * done);
        return between;
    }

    /// The shares of the sources that have samples left, which add up to 1; null if none has.
    private static double[] alive(double[] shares, long[] left) {
        double total = 0;
        for (int i = 0; i < shares.length; i++) {
            total += left[i] > 0 ? shares[i] : 0;
        }
        if (!(total > 0)) {
            return null;
        }
        double[] alive = new double[shares.length];
        for (int i = 0; i < shares.length; i++) {
            alive[i] = left[i] > 0 ? shares[i] / total : 0;
        }
        return alive;
    }

    /// Gives what exhausted sources are due to the others.
    private static void give(double[] due, long[] left, double[] shares) {
        double rest = 0;
        for (int i = 0; i < due.length; i++) {
            if (left[i] == 0) {
                rest += due[i];
                due[i] = 0;
            }
        }
        for (int i = 0; i < due.length; i++) {
            due[i] += rest * shares[i];
        }
    }

    /// The first position before `limit` at which a source has had its last sample, or `limit`.
    private long firstExhausted(long start, long limit, double[] from, double[] to, double[] due, long[] left) {
        MixturePhase whole = new MixturePhase(start, limit, from, to, new long[due.length], due, left, seed);
        double first = limit - start;
        for (int i = 0; i < left.length; i++) {
            if (left[i] != Long.MAX_VALUE && left[i] > 0) {
                first = Math.min(first, Math.max(1, Math.ceil(whole.whenDue(i, left[i]) - 1e-9)));
            }
        }
        return start + (long) first;
    }

    /// The chunk of a position.
    ///
    /// @throws IllegalArgumentException after the end
    MixturePhase.Chunk chunk(long position) {
        for (MixturePhase.Chunk one : new MixturePhase.Chunk[] {last, lastButOne}) {
            if (has(one, position)) {
                return one;
            }
        }
        return make(position);
    }

    private static boolean has(MixturePhase.Chunk chunk, long position) {
        return chunk != null && position >= chunk.start() && position < chunk.start() + chunk.sources().length;
    }

    private synchronized MixturePhase.Chunk make(long position) {
        for (MixturePhase.Chunk one : new MixturePhase.Chunk[] {last, lastButOne}) {
            if (has(one, position)) {
                return one;
            }
        }
        MixturePhase phase = phase(position);
        if (phase == null) {
            throw new IllegalArgumentException("the mixture ends at sample " + end
                    + ", because all its sources have been drawn as often as they may: allow more epochs of a source,"
                    + " or end the run there");
        }
        MixturePhase.Chunk chunk = phase.chunk((position - phase.start()) / MixturePhase.CHUNK);
        lastButOne = last;
        last = chunk;
        return chunk;
    }

    /// The number of samples of each source before a position.
    long[] countsBefore(long position) {
        if (position == 0) {
            return new long[limits.length];
        }
        MixturePhase.Chunk chunk = chunk(position - 1);
        long[] counts = chunk.firsts().clone();
        for (int i = 0; i < position - chunk.start(); i++) {
            counts[chunk.sources()[i]]++;
        }
        return counts;
    }

    /// The position of a sample of a source, or -1 if it does not come before `limit`.
    long positionOf(int source, long number, long limit) {
        long position = 0;
        while (position < limit) {
            MixturePhase phase = phase(position);
            if (phase == null) {
                return -1;
            }
            boolean isLast = phase.end() >= limit;
            long[] atEnd = isLast ? null : phase.countsAtEnd();
            if (isLast || atEnd[source] > number) {
                return positionIn(phase, source, number, limit);
            }
            position = phase.end();
        }
        return -1;
    }

    private long positionIn(MixturePhase phase, int source, long number, long limit) {
        long inPhase = number - phase.countBefore(source);
        if (phase.whenDue(source, inPhase) > limit - phase.start() + 2.0 * MixturePhase.CHUNK) {
            return -1;
        }
        MixturePhase.Chunk chunk = chunk(phase.start() + phase.chunkOf(source, inPhase) * MixturePhase.CHUNK);
        int wanted = (int) (number - chunk.firsts()[source]);
        for (int i = 0; i < chunk.sources().length; i++) {
            if (chunk.sources()[i] == source && chunk.numbers()[i] == wanted) {
                long position = chunk.start() + i;
                return position < limit ? position : -1;
            }
        }
        return -1;
    }
}
