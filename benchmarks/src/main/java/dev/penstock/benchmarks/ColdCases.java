// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.table.TableReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/// Batches of 4,096 random rows from a table that is not or only partly in memory.
final class ColdCases {
    private static final int BATCH_SIZE = 4096;
    private static final int ROW_SIZE = 32;
    private static final int ROUNDS = 3;
    private static final int OPENS = 15;
    private static final double OPEN_LIMIT_MILLIS = 50;

    /// The memory limit of the limited cases: a quarter of the table.
    private static final long LIMIT_BYTES = 100L * TableData.MILLION * ROW_SIZE / 4;

    /// The number of batches. Each takes seconds in the slow cases, and more would not make the result more
    /// certain.
    private static final int BATCHES = 16;

    private static final int CHECKED_SIZE = 64;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double BYTES_PER_GIGABYTE = 1e9;
    private static final double KIB_PER_MIB = 1024;

    private final Settings settings;
    private final Report report;
    private final TableData data;
    private final Peers peers;

    ColdCases(Settings settings, Report report) throws IOException, InterruptedException {
        this.settings = settings;
        this.report = report;
        this.data = new TableData(settings, report);
        this.peers = new Peers(report);
    }

    private int rounds() {
        return settings.roundsOr(ROUNDS);
    }

    /// One program and its measurements in each round.
    private record Way(String label, List<String> words, String operation, int batches, List<Seen> rounds) {
        Way(String label, List<String> words, String operation, int batches) {
            this(label, words, operation, batches, new ArrayList<>());
        }

        double[] figures(ToDoubleFunction<Seen> figure) {
            return rounds.stream().mapToDouble(figure).toArray();
        }
    }

    /// @param millis        the median time of a batch
    /// @param amplification bytes read from the device divided by bytes of rows
    /// @param anonymousMib  anonymous memory of the process
    private record Seen(double millis, double amplification, double anonymousMib) {}

    private List<Way> ways(Path file) {
        List<Way> ways = new ArrayList<>();
        ways.add(new Way("ours", Peers.ownWords(file, true), TableGatherer.ROWS, BATCHES));
        if (peers.hasPython()) {
            ways.add(new Way("np.memmap", peers.numpyWords(file, "plain"), "take", 1));
            ways.add(new Way("np.memmap, MADV_RANDOM", peers.numpyWords(file, "random"), "take", BATCHES / 2));
        }
        return ways;
    }

    /// A table four times as large as the memory of the process.
    void limited() throws Exception {
        List<Way> ways = measure(data.steps(100));
        rows("limited-batch", "ms", ways, Seen::millis);
        rows("limited-read", "bytes/byte", ways, Seen::amplification);
        rows("limited-anonymous", "MiB", ways, Seen::anonymousMib);
    }

    /// A sparse table of forty gigabytes, with the same memory limit.
    void sparse() throws Exception {
        Path file = data.sparse();
        double[] warm = new double[OPENS];
        double[] first = new double[rounds()];
        for (int i = 0; i < OPENS; i++) {
            warm[i] = openNanos(file) / NANOS_PER_MILLI;
        }
        for (int i = 0; i < first.length; i++) {
            first[i] = firstOpenNanos(file) / NANOS_PER_MILLI;
        }
        report.add(limit("sparse-open", warm));
        report.add(limit("sparse-open-first", first));
        List<Way> ways = measure(file);
        rows("sparse-batch", "ms", ways, Seen::millis);
        rows("sparse-anonymous", "MiB", ways, Seen::anonymousMib);
    }

    private static Row limit(String caseName, double[] millis) {
        double median = Times.median(millis);
        return new Row(
                ColdBenchmark.NAME,
                caseName,
                median,
                "ms",
                "the limit",
                OPEN_LIMIT_MILLIS,
                OPEN_LIMIT_MILLIS / median,
                Times.spread(millis));
    }

    private static long openNanos(Path file) throws IOException {
        long start = System.nanoTime();
        try (TableReader reader = TableReader.open(file)) {
            if (reader.count() != TableData.SPARSE_ROWS) {
                throw new IllegalStateException(reader.count() + " rows");
            }
        }
        return System.nanoTime() - start;
    }

    private static long firstOpenNanos(Path file) throws IOException, InterruptedException {
        return Long.parseLong(
                Command.run(Command.java(ColdCases.class, file.toString())).strip());
    }

    /// A new process that opens the sparse table.
    public static void main(String[] arguments) throws IOException {
        System.out.println(openNanos(Path.of(arguments[0])));
    }

    private List<Way> measure(Path file) throws Exception {
        List<Way> ways = ways(file);
        try (MemoryGroup group = MemoryGroup.create(LIMIT_BYTES)) {
            requireSameAnswer(ways, group);
            for (int round = 0; round < rounds(); round++) {
                for (Way way : ways) {
                    Resident.evict(file);
                    way.rounds.add(see(way, group, round));
                }
            }
            return ways;
        } catch (IOException e) {
            report.note("skipped: gathers in little memory, because " + e.getMessage());
            return List.of();
        }
    }

    private static void requireSameAnswer(List<Way> ways, MemoryGroup group) throws Exception {
        long ours = 0;
        for (Way way : ways) {
            try (Peer peer = Peer.start(group.inside(way.words))) {
                long sum = peer.contender(way.operation).checksum(new Draw(1, CHECKED_SIZE, 1));
                if (way != ways.getFirst() && sum != ours) {
                    throw new IllegalStateException("the bytes of " + way.label + " differ from ours");
                }
                ours = sum;
            }
        }
    }

    private static Seen see(Way way, MemoryGroup group, int round) throws Exception {
        try (Peer peer = Peer.start(group.inside(way.words))) {
            Path process = Path.of("/proc", Long.toString(peer.pid()));
            long before = number(process.resolve("io"), "read_bytes:");
            long[] nanos = peer.contender(way.operation).run(new Draw(way.batches, BATCH_SIZE, round));
            double readBytes = number(process.resolve("io"), "read_bytes:") - before;
            double anonymous = number(process.resolve("status"), "RssAnon:") / KIB_PER_MIB;
            double millis = Times.median(Arrays.stream(nanos).asDoubleStream().toArray()) / NANOS_PER_MILLI;
            return new Seen(millis, readBytes / ((double) way.batches * BATCH_SIZE * ROW_SIZE), anonymous);
        }
    }

    /// Reads a number from a status file of the system.
    static long number(Path file, String label) throws IOException {
        return Files.readAllLines(file).stream()
                .filter(line -> line.startsWith(label))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElseThrow(() -> new IOException(file + " has no " + label));
    }

    /// For all of these figures less is better.
    private void rows(String caseName, String unit, List<Way> ways, ToDoubleFunction<Seen> figure) {
        if (ways.size() < 2) {
            return;
        }
        double[] ours = ways.getFirst().figures(figure);
        for (Way way : ways.subList(1, ways.size())) {
            report.add(row(caseName, unit, ours, way.figures(figure), way.label));
        }
    }

    private static Row row(String caseName, String unit, double[] ours, double[] theirs, String label) {
        double[] ratios = new double[ours.length];
        Arrays.setAll(ratios, i -> theirs[i] / ours[i]);
        return new Row(
                ColdBenchmark.NAME,
                caseName,
                Times.median(ours),
                unit,
                label,
                Times.median(theirs),
                Times.median(ratios),
                Times.spread(ratios));
    }

    /// The time until a table is in memory, compared with reading its file.
    void resident() throws Exception {
        Path file = data.steps(100);
        double gigabytes = Files.size(file) / BYTES_PER_GIGABYTE;
        double[] ours = new double[rounds()];
        double[] theirs = new double[ours.length];
        for (int round = 0; round < ours.length; round++) {
            Resident.evict(file);
            long start = System.nanoTime();
            try (TableReader reader = TableReader.open(file)) {
                reader.prepare();
                Resident.awaitFill();
                ours[round] = (System.nanoTime() - start) / NANOS_PER_SECOND / gigabytes;
                report.note(Resident.describe(file));
            }
            Resident.evict(file);
            start = System.nanoTime();
            Command.run("sh", "-c", "cat \"$0\" > /dev/null", file.toString());
            theirs[round] = (System.nanoTime() - start) / NANOS_PER_SECOND / gigabytes;
        }
        report.add(row("resident", "s/GB", ours, theirs, "cat FILE > /dev/null"));
    }
}
