// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loader;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// A part of a run in which the shares of the sources are constant or move in a line.
///
/// At every position of the phase each source is due a number of samples: what it was due before, and the
/// integral of its share. The phase gives each position to the source whose next sample has to come first if no
/// source is to fall behind by a whole sample, among those that are not ahead of what they are due. This is the
/// schedule of earliest deadlines first, which keeps every source within one sample of what it is due.
///
/// Positions are divided into chunks. How many samples each source has had at the end of a chunk follows from the
/// same numbers at its start, so any chunk is reached without its samples; they are made when they are asked for.
///
/// **Threads.** Safe for any number of threads.
final class MixturePhase {
    /// The number of positions of a chunk.
    static final int CHUNK = 1 << 16;

    /// The number of chunks between two that are kept in memory.
    private static final int KEPT_CHUNKS = 256;

    /// What is due is rounded down unless it is this close to the next whole sample.
    private static final double CLOSE = 1e-9;

    private final long start;
    private final long end;
    private final double[] from;
    private final double[] to;
    /// The number of samples that each source had before, and is due beyond that.
    private final long[] counts;

    private final double[] due;
    /// The number of samples that each source still has.
    private final long[] left;

    private final long seed;
    /// The samples of each source since the start of the phase, every [#KEPT_CHUNKS] chunks.
    private final List<long[]> kept = new ArrayList<>();

    /// @param start the first position
    /// @param end   the position after the last one, or a very large number
    /// @param from  the shares of the sources at the start, which add up to 1
    /// @param to    their shares at the end, the same if they are constant
    MixturePhase(
            long start, long end, double[] from, double[] to, long[] counts, double[] due, long[] left, long seed) {
        this.start = start;
        this.end = end;
        this.from = from;
        this.to = to;
        this.counts = counts;
        this.due = due;
        this.left = left;
        this.seed = seed;
        kept.add(new long[from.length]);
    }

    long start() {
        return start;
    }

    long end() {
        return end;
    }

    /// The number of samples that a source had before the phase.
    long countBefore(int source) {
        return counts[source];
    }

    /// The number of samples that a source is due after some positions of the phase.
    private double due(int source, double positions) {
        return due[source] + integral(source, positions);
    }

    private double integral(int source, double positions) {
        double slope = to[source] - from[source];
        return slope == 0
                ? from[source] * positions
                : from[source] * positions + slope * positions * positions / (2.0 * (end - start));
    }

    /// The position at which a source is due a number of samples. After the end of the phase it goes on as it
    /// ends.
    double whenDue(int source, long count) {
        double wanted = count - due[source];
        if (wanted <= 0) {
            return 0;
        }
        double share = from[source];
        double slope = to[source] - share;
        if (slope == 0) {
            return share > 0 ? wanted / share : Double.POSITIVE_INFINITY;
        }
        double length = end - start;
        if (integral(source, length) >= wanted) {
            double root = Math.sqrt(Math.max(0, share * share + 2 * slope / length * wanted));
            return 2 * wanted / (share + root);
        }
        return to[source] > 0 ? length + (wanted - integral(source, length)) / to[source] : Double.POSITIVE_INFINITY;
    }

    /// The samples of each source since the start of the phase, before a chunk.
    synchronized long[] before(long chunk) {
        int at = Math.toIntExact(Math.min(chunk / KEPT_CHUNKS, kept.size() - 1));
        long[] now = kept.get(at);
        for (long one = (long) at * KEPT_CHUNKS; one < chunk; one++) {
            now = next(now, Math.min(end - start, (one + 1) * CHUNK));
            if ((one + 1) % KEPT_CHUNKS == 0 && (one + 1) / KEPT_CHUNKS == kept.size()) {
                kept.add(now);
            }
        }
        return now;
    }

    /// The samples of each source at a position of the phase, from those at an earlier position.
    private long[] next(long[] now, long position) {
        int count = now.length;
        long[] next = new long[count];
        long rest = position;
        for (int i = 0; i < count; i++) {
            long whole = (long) Math.floor(due(i, position) + CLOSE);
            next[i] = Math.min(left[i], Math.max(now[i], whole));
            rest -= next[i];
        }
        while (rest != 0) {
            int best = rest > 0 ? neediest(next, position) : leastNeedy(now, next);
            if (best < 0) {
                throw new IllegalStateException("no source has a sample for position " + (start + position));
            }
            next[best] += Long.signum(rest);
            rest -= Long.signum(rest);
        }
        return next;
    }

    /// The source that gets one more sample before a position: the one that has to have it first, among those
    /// that are due a part of it.
    private int neediest(long[] next, long position) {
        int best = -1;
        boolean isBestDue = false;
        double bestWhen = 0;
        for (int i = 0; i < next.length; i++) {
            if (next[i] < left[i]) {
                boolean isDue = due(i, position) - CLOSE > next[i];
                double when = isDue ? whenDue(i, next[i] + 1) : next[i] - due(i, position);
                if (best < 0 || isDue && !isBestDue || isDue == isBestDue && when < bestWhen) {
                    best = i;
                    isBestDue = isDue;
                    bestWhen = when;
                }
            }
        }
        return best;
    }

    /// The source that can wait for its last sample the longest.
    private int leastNeedy(long[] now, long[] next) {
        int best = -1;
        for (int i = 0; i < next.length; i++) {
            if (next[i] > now[i] && (best < 0 || whenDue(i, next[i]) > whenDue(best, next[best]))) {
                best = i;
            }
        }
        return best;
    }

    /// The samples of a chunk.
    ///
    /// @param sources the source of each position, from the start of the chunk
    /// @param numbers the number of the sample among those of its source in the chunk
    /// @param firsts  for each source the number of its samples in the run before the chunk
    record Chunk(long start, int[] sources, int[] numbers, long[] firsts) {}

    Chunk chunk(long chunk) {
        long first = chunk * CHUNK;
        long[] now = before(chunk);
        int length = (int) Math.min(CHUNK, end - start - first);
        long[] limits = next(now, first + length);
        int[] sources = new int[length];
        int[] numbers = new int[length];
        long[] done = now.clone();
        Turns turns = new Turns(done, limits);
        for (int i = 0; i < length; i++) {
            int source = turns.take(first + i);
            sources[i] = source;
            numbers[i] = (int) (done[source]++ - now[source]);
            turns.set(source);
        }
        long[] firsts = new long[now.length];
        Arrays.setAll(firsts, i -> counts[i] + now[i]);
        return new Chunk(start + first, sources, numbers, firsts);
    }

    /// Whose turn it is at each position of a chunk.
    private final class Turns {
        private final long[] done;
        private final long[] limits;
        /// The first position at which the next sample of a source may come, and before which it has to.
        private final long[] releases;

        private final double[] deadlines;

        Turns(long[] done, long[] limits) {
            this.done = done;
            this.limits = limits;
            this.releases = new long[done.length];
            this.deadlines = new double[done.length];
            for (int i = 0; i < done.length; i++) {
                set(i);
            }
        }

        void set(int source) {
            boolean isOver = done[source] >= limits[source];
            double when = whenDue(source, done[source]);
            releases[source] = isOver ? Long.MAX_VALUE : (long) Math.floor(when + CLOSE * Math.max(1, when));
            deadlines[source] = isOver ? 0 : whenDue(source, done[source] + 1);
        }

        int take(long position) {
            int best = -1;
            for (int i = 0; i < releases.length; i++) {
                if (releases[i] <= position && (best < 0 || comesFirst(i, best, position))) {
                    best = i;
                }
            }
            return best < 0 ? earliest() : best;
        }

        private boolean comesFirst(int one, int other, long position) {
            double difference = deadlines[one] - deadlines[other];
            if (Math.abs(difference) > CLOSE * Math.max(1, position)) {
                return difference < 0;
            }
            // Sources with equal weights take turns at random: otherwise a rank could get one of them only.
            long hash = Mix.at(seed, start + position);
            return Mix.at(hash, one) < Mix.at(hash, other);
        }

        private int earliest() {
            int best = -1;
            for (int i = 0; i < releases.length; i++) {
                if (releases[i] != Long.MAX_VALUE && (best < 0 || releases[i] < releases[best])) {
                    best = i;
                }
            }
            return best;
        }
    }

    /// The chunk that has a sample of a source, counted from the start of the phase.
    long chunkOf(int source, long number) {
        double when = Math.min(whenDue(source, number), (double) (end - start - 1));
        long chunk = (long) (when / CHUNK);
        while (chunk > 0 && before(chunk)[source] > number) {
            chunk--;
        }
        while (before(chunk + 1)[source] <= number) {
            chunk++;
        }
        return chunk;
    }

    /// The samples of each source at the end of the phase, counted from the beginning of the run.
    long[] countsAtEnd() {
        long[] last = before(Math.ceilDiv(end - start, CHUNK));
        long[] all = new long[last.length];
        Arrays.setAll(all, i -> counts[i] + last[i]);
        return all;
    }

    /// What each source is due at the end of the phase beyond the samples that it has had.
    double[] dueAtEnd() {
        long[] last = before(Math.ceilDiv(end - start, CHUNK));
        double[] rest = new double[last.length];
        Arrays.setAll(rest, i -> due(i, end - start) - last[i]);
        return rest;
    }
}
