// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.table.TableReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Random batches from files in memory, by every method that Python offers.
///
/// A process with our package, one for all other methods and one in C map the same file and take turns. Loaders
/// are measured in the steady state: they never end, and prefetched batches are taken before the clock starts.
final class PythonCases {
    /// Loaders first deliver prefetched batches and then wait, so it takes many batches to measure their speed.
    private static final int STREAM_FACTOR = 5;

    private static final String MEMCPY = "C, memcpy of each record";
    private static final int ROUNDS = 15;
    private static final int CALL_BATCHES = 2000;
    private static final int[] CALL_SIZES = {1, 16, 256};
    private static final double CALL_LIMIT_MICROS = 2;
    private static final double BYTES_PER_MICRO_OF_GIGABYTE = 1e3;

    private final PythonProgram python;
    private final Settings settings;
    private final Report report;
    private final TableData tables;
    private final Peers peers;

    PythonCases(PythonProgram python, Settings settings, Report report) throws IOException, InterruptedException {
        this.python = python;
        this.settings = settings;
        this.report = report;
        this.tables = new TableData(settings, report);
        this.peers = new Peers(report);
    }

    /// A file and the parameters of its measurement.
    ///
    /// @param batches     the number of batches of a round, so that it takes some ten milliseconds
    /// @param slowBatches the same for slow methods
    private record Case(String name, Path file, int batchSize, double recordSize, int batches, int slowBatches) {
        int batchesOf(PythonWay way) {
            if (way.isSlow() || way.equals(PythonWay.ARR_INDEX)) {
                return slowBatches;
            }
            return way.isStream() ? STREAM_FACTOR * batches : batches;
        }

        String caseOf(PythonWay way) {
            return name + "-" + way.operation();
        }
    }

    /// The processes that take turns.
    private record Sides(Peer ours, Peer others, Optional<Peer> c) implements AutoCloseable {
        Turns add(Turns turns, PythonWay way, int batches) {
            Peer peer = way.isOurs() ? ours : others;
            return turns.add(peer.contender(way.operation()), way.label(), batches);
        }

        @Override
        public void close() {
            ours.close();
            others.close();
            c.ifPresent(Peer::close);
        }
    }

    /// Our process is started first and loads the file into memory: pages that others loaded would stay small.
    private Sides open(Path file) throws IOException, InterruptedException {
        return open(file, file);
    }

    /// @param dataset the dataset for our side: the file, or another dataset with the same records
    private Sides open(Path file, Path dataset) throws IOException, InterruptedException {
        Resident.evict(file);
        Peer ours = Peer.start(python.words("batches.py", file, "penstock", dataset), true);
        report.note(Resident.describe(file, Long.toString(ours.pid())));
        Peer others = Peer.start(python.words("batches.py", file, "others"));
        if (!file.toString().endsWith(".npy")) {
            return new Sides(ours, others, peers.c(file));
        }
        try (TableReader reader = TableReader.open(file)) {
            return new Sides(ours, others, peers.c(reader));
        }
    }

    /// Rows of 32 bytes with six fields.
    void rows() throws Exception {
        Case rows = new Case("rows", tables.steps(10), 4096, 32, 240, 6);
        Turns turns = measure(rows, PythonWay.FIELDS);
        goal(turns, rows, PythonWay.TAKE_OUT, PythonWay.NP_TAKE.label(), 1);
        goal(turns, rows, PythonWay.TAKE_OUT, PythonWay.ARR_INDEX.label(), 15);
        dataLoaderGoals(turns, rows, PythonWay.FIELDS, List.of(PythonWay.LOADER, PythonWay.LOADER_TORCH));
        if (python.hasTorch()) {
            report.add(turns.between(
                    rows.caseOf(PythonWay.LOADER), PythonWay.LOADER.label(), PythonWay.GETITEMS_VIEWS.label()));
        }
    }

    /// Rows of 2 KiB with one field.
    void wide() throws Exception {
        Case wide = new Case("wide", tables.plain(2048), 256, 2048, 120, 20);
        Turns turns = measure(wide, PythonWay.ARRAY);
        goal(turns, wide, PythonWay.TAKE_OUT, PythonWay.NP_TAKE.label(), 1);
        dataLoaderGoals(turns, wide, PythonWay.ARRAY, List.of(PythonWay.LOADER, PythonWay.LOADER_TORCH));
    }

    /// Records of about 1.5 KiB.
    void pack() throws Exception {
        Path file = new PackData(settings, report).smallPack();
        Case pack = new Case("pack", file, 1024, PackData.smallSize(), 60, 10);
        Turns turns = measure(pack, PythonWay.PACK);
        if (peers.hasC()) {
            goal(turns, pack, PythonWay.TAKE_RAGGED, MEMCPY, 0.5);
            goal(turns, pack, PythonWay.LOADER_RAGGED, MEMCPY, 0.5);
        }
        dataLoaderGoals(turns, pack, PythonWay.PACK, List.of(PythonWay.LOADER_RAGGED, PythonWay.LOADER));
    }

    /// The same records in a store, compared with the pack in C and LMDB.
    void store() throws Exception {
        PackData data = new PackData(settings, report);
        Path file = data.smallPack();
        Case store = new Case("store", file, 1024, PackData.smallSize(), 60, 10);
        Turns turns = measure(store, PythonWay.STORE, data.smallStore(file));
        if (peers.hasC()) {
            goal(turns, store, PythonWay.TAKE_RAGGED, MEMCPY, 0.5);
            goal(turns, store, PythonWay.LOADER_RAGGED, MEMCPY, 0.5);
        }
    }

    private Turns measure(Case one, List<PythonWay> all) throws Exception {
        return measure(one, all, one.file);
    }

    private Turns measure(Case one, List<PythonWay> all, Path dataset) throws Exception {
        List<PythonWay> ways =
                all.stream().filter(way -> way.isPossible(python)).toList();
        Turns turns = new Turns(PythonBenchmark.NAME, one.batchSize);
        try (Sides sides = open(one.file, dataset)) {
            ways.forEach(way -> sides.add(turns, way, one.batchesOf(way)));
            sides.c.ifPresent(c -> turns.add(c.contender("plain"), MEMCPY, one.batches));
            turns.run(settings.roundsOr(ROUNDS));
        }
        String floor = peers.hasC() ? MEMCPY : ways.getFirst().label();
        for (PythonWay way : ways) {
            Row row = turns.between(one.caseOf(way), way.label(), floor);
            report.add(row.withRemark(gigabytes(one, row.value())));
        }
        return turns;
    }

    private static String gigabytes(Case one, double micros) {
        double rate = one.batchSize * one.recordSize / micros / BYTES_PER_MICRO_OF_GIGABYTE;
        return String.format(Locale.ROOT, "%.2f GB/s", rate);
    }

    private void goal(Turns turns, Case one, PythonWay way, String floorLabel, double goal) {
        report.add(turns.between(one.caseOf(way), way.label(), floorLabel).withGoal(goal));
    }

    /// Loaders compared with the fastest of each kind of PyTorch loader.
    private void dataLoaderGoals(Turns turns, Case one, List<PythonWay> ways, List<PythonWay> loaders) {
        if (python.hasTorch()) {
            for (PythonWay loader : loaders) {
                goal(turns, one, loader, fastest(turns, ways, PythonWay.Kind.BY_HAND), 2);
                goal(turns, one, loader, fastest(turns, ways, PythonWay.Kind.USUAL), 10);
            }
        }
    }

    private static String fastest(Turns turns, List<PythonWay> ways, PythonWay.Kind kind) {
        return turns.fastest(ways.stream()
                .filter(way -> way.kind() == kind)
                .map(PythonWay::label)
                .toList());
    }

    /// The overhead of a call: few rows, in Python and in C.
    void calls() throws Exception {
        try (Sides sides = open(tables.steps(10))) {
            for (int size : CALL_SIZES) {
                Turns turns = new Turns(PythonBenchmark.NAME, size);
                sides.add(turns, PythonWay.TAKE_OUT, CALL_BATCHES);
                sides.add(turns, PythonWay.NP_TAKE, CALL_BATCHES);
                sides.c.ifPresent(c -> turns.add(c.contender("plain"), MEMCPY, CALL_BATCHES));
                turns.run(settings.roundsOr(ROUNDS));
                String caseName = "call-" + size + (size == 1 ? "-row" : "-rows");
                String label = PythonWay.TAKE_OUT.label();
                report.add(turns.between(caseName, label, PythonWay.NP_TAKE.label()));
                if (peers.hasC()) {
                    report.add(turns.between(caseName, label, MEMCPY));
                    double[] excess = turns.excessMicros(label, MEMCPY);
                    report.add(
                            Row.below(PythonBenchmark.NAME, caseName + "-above-copy", "us", excess, CALL_LIMIT_MICROS)
                                    .withGoal(1));
                }
            }
        }
    }
}
