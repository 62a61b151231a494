// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;

/// Runs several contenders that gather rows in turns, the first of which is ours.
///
/// First all must gather the same bytes. Then they are warmed up. In each measured round every contender gathers
/// rows that have not been gathered before, and another one goes first. The time of a round is the median of its
/// batches; [#rareMillis] shows the batches that were interrupted.
final class Turns {
    private static final int CHECKED_BATCHES = 2;

    private static final long WARM_UP_NANOS_MAX = 3_000_000_000L;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double NANOS_PER_MICRO = 1e3;
    private static final double RARE = 0.999;

    private final String name;
    private final int batchSize;
    private final List<Entry> entries = new ArrayList<>();
    private boolean isTotal;
    private long seed;

    private record Entry(Contender contender, String label, int batchCount, boolean isUnlike, List<long[]> rounds) {
        double nanosPerRow(int round, int batchSize, boolean isTotal) {
            double[] nanos = Arrays.stream(rounds.get(round)).asDoubleStream().toArray();
            double rows = (double) batchSize * batchCount * contender.callers();
            return isTotal ? Arrays.stream(nanos).sum() / rows : Times.median(nanos) / batchSize;
        }
    }

    Turns(String name, int batchSize) {
        this.name = name;
        this.batchSize = batchSize;
        this.seed = name.hashCode();
    }

    /// Adds a contender.
    ///
    /// @param batchCount the number of batches of a round; slow contenders take fewer
    Turns add(Contender contender, String label, int batchCount) {
        entries.add(new Entry(contender, label, batchCount, false, new ArrayList<>()));
        return this;
    }

    /// Adds a contender that gathers other bytes than ours, so that they are not compared.
    Turns addUnlike(Contender contender, String label, int batchCount) {
        entries.add(new Entry(contender, label, batchCount, true, new ArrayList<>()));
        return this;
    }

    /// Makes the time of a round that of all its batches. If threads wait for each other, the median of the
    /// batches is not enough.
    Turns inTotal() {
        this.isTotal = true;
        return this;
    }

    /// Runs the measurement.
    ///
    /// @throws IllegalStateException when the contenders gather different bytes
    Turns run(int rounds) throws Exception {
        requireSameAnswer();
        for (Entry entry : entries) {
            warmUp(entry);
        }
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < entries.size(); i++) {
                Entry entry = entries.get((i + round) % entries.size());
                entry.rounds.add(entry.contender.run(draw(entry)));
            }
        }
        return this;
    }

    private Draw draw(Entry entry) {
        seed += 2;
        return new Draw(entry.batchCount, batchSize, Draw.mix(seed) >>> 1);
    }

    private void warmUp(Entry entry) throws Exception {
        long limit = System.nanoTime() + WARM_UP_NANOS_MAX;
        for (int i = 0; i < entry.contender.warmUps() && System.nanoTime() < limit; i++) {
            entry.contender.run(draw(entry));
        }
    }

    private void requireSameAnswer() throws Exception {
        Draw draw = new Draw(CHECKED_BATCHES, batchSize, Math.abs(seed));
        long ours = entries.getFirst().contender.checksum(draw);
        for (Entry entry : entries) {
            long theirs = entry.contender.checksum(draw);
            if (ours != theirs && !entry.isUnlike) {
                throw new IllegalStateException("the bytes differ: ours have the checksum " + ours + ", those of "
                        + entry.label + " " + theirs);
            }
        }
    }

    /// A row for each of the others, in millions of rows per second.
    List<Row> rows(String caseName) {
        return rows(caseName, "Mrows/s", nanosPerRow -> 1000 / nanosPerRow);
    }

    /// A row for each of the others, in milliseconds for a batch.
    List<Row> millis(String caseName) {
        return rows(caseName, "ms", nanosPerRow -> nanosPerRow * batchSize / NANOS_PER_MILLI);
    }

    private List<Row> rows(String caseName, String unit, DoubleUnaryOperator figure) {
        List<Row> rows = new ArrayList<>();
        for (Entry entry : entries.subList(1, entries.size())) {
            rows.add(row(caseName, entries.getFirst(), entry, unit, figure));
        }
        return rows;
    }

    private Row row(String caseName, Entry one, Entry other, String unit, DoubleUnaryOperator figure) {
        double[] ours = nanosPerRow(one);
        double[] theirs = nanosPerRow(other);
        double[] ratios = IntStream.range(0, ours.length)
                .mapToDouble(round -> theirs[round] / ours[round])
                .toArray();
        return new Row(
                name,
                caseName,
                figure.applyAsDouble(Times.median(ours)),
                unit,
                other.label,
                figure.applyAsDouble(Times.median(theirs)),
                Times.median(ratios),
                Times.spread(ratios));
    }

    /// One contender compared with another, in microseconds for a batch.
    Row between(String caseName, String label, String floorLabel) {
        return row(caseName, entry(label), entry(floorLabel), "us", this::micros);
    }

    /// The additional time of a batch of one contender compared with another, in microseconds, in each round.
    double[] excessMicros(String label, String floorLabel) {
        double[] ours = nanosPerRow(entry(label));
        double[] theirs = nanosPerRow(entry(floorLabel));
        return IntStream.range(0, ours.length)
                .mapToDouble(round -> micros(ours[round] - theirs[round]))
                .toArray();
    }

    /// The fastest of some contenders.
    String fastest(List<String> labels) {
        return labels.stream()
                .min(Comparator.comparingDouble(label -> Times.median(nanosPerRow(entry(label)))))
                .orElseThrow();
    }

    private double micros(double nanosPerRow) {
        return nanosPerRow * batchSize / NANOS_PER_MICRO;
    }

    private Entry entry(String label) {
        return entries.stream()
                .filter(entry -> entry.label.equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("nothing was measured as " + label));
    }

    private double[] nanosPerRow(Entry entry) {
        return IntStream.range(0, entry.rounds.size())
                .mapToDouble(round -> entry.nanosPerRow(round, batchSize, isTotal))
                .toArray();
    }

    /// The time that one batch in a thousand exceeds, over all rounds: ours compared with a limit, and with the
    /// others.
    List<Row> rareMillis(String caseName, double limitMillis) {
        double ours = rare(entries.getFirst());
        double[] worst = entries.getFirst().rounds.stream()
                .mapToDouble(round -> percentile(round) / NANOS_PER_MILLI)
                .toArray();
        double spread = Times.spread(worst);
        List<Row> rows = new ArrayList<>();
        rows.add(new Row(name, caseName, ours, "ms", "the limit", limitMillis, limitMillis / ours, spread));
        for (Entry entry : entries.subList(1, entries.size())) {
            double theirs = rare(entry);
            rows.add(new Row(name, caseName, ours, "ms", entry.label, theirs, theirs / ours, spread));
        }
        return rows;
    }

    private static double rare(Entry entry) {
        long[] all = entry.rounds.stream().flatMapToLong(Arrays::stream).toArray();
        return percentile(all) / NANOS_PER_MILLI;
    }

    private static long percentile(long[] nanos) {
        long[] sorted = nanos.clone();
        Arrays.sort(sorted);
        return sorted[Math.min(sorted.length - 1, (int) (sorted.length * RARE))];
    }
}
