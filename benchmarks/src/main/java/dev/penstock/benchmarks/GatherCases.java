// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.file.Access;
import dev.penstock.file.Disk;
import dev.penstock.file.Storage;
import dev.penstock.table.TableReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/// Batches of 4,096 random rows from a table that is completely in memory.
///
/// Every program maps the same file, has all of it mapped before the clock starts, and gathers into reused memory,
/// except where NumPy cannot.
final class GatherCases {
    private static final int BATCH_SIZE = 4096;
    private static final int ROUNDS = 25;

    /// Enough that a round takes some ten milliseconds, and that the rows of one round do not fit in the CPU
    /// cache.
    private static final int BATCHES = 240;

    private static final int SLOW_BATCHES = 24;
    private static final double LIMIT_MILLIS = 1;
    private static final long[] SIZES = {28, 46, 64, 128, 512, 2048};
    private static final long MANY_BYTES = 1 << 20;
    private static final int LARGE_BATCH_SIZE = 1 << 20;
    private static final String SOME_FIELDS = "board,move";

    private static final TableReader.Options ONE_THREAD = TableReader.Options.DEFAULT.withThreads(1);
    private static final TableReader.Options TWO_THREADS = TableReader.Options.DEFAULT.withThreads(2);

    private final Settings settings;
    private final Report report;
    private final TableData data;
    private final Peers peers;

    GatherCases(Settings settings, Report report) throws IOException, InterruptedException {
        this.settings = settings;
        this.report = report;
        this.data = new TableData(settings, report);
        this.peers = new Peers(report);
    }

    private static Turns turns(int batchSize) {
        return new Turns(GatherBenchmark.NAME, batchSize);
    }

    private int rounds() {
        return settings.roundsOr(ROUNDS);
    }

    /// Opens a table and waits until all of it is in memory. The file is evicted first, so that the library loads
    /// it: pages that were loaded by random accesses would stay small.
    private TableReader openResident(Path table, TableReader.Options options) throws Exception {
        TableReader reader = openAgain(table, options);
        report.note(Resident.describe(table));
        return reader;
    }

    private static TableReader openAgain(Path table, TableReader.Options options) throws Exception {
        TableReader reader = TableReader.open(table, options);
        reader.prepare();
        Resident.awaitFill();
        return reader;
    }

    /// Whole rows of 32 bytes.
    void rows(int millions) throws Exception {
        Path file = data.steps(millions);
        Resident.evict(file);
        try (TableReader reader = openResident(file, ONE_THREAD);
                TableGatherer ours = TableGatherer.rows(reader);
                OptionalPeer c = new OptionalPeer(peers.c(reader));
                OptionalPeer numpy = new OptionalPeer(peers.numpy(file))) {
            Turns turns = turns(BATCH_SIZE).add(ours, "ours", BATCHES);
            c.add(turns, "prefetch", "C, prefetching 16 rows ahead", BATCHES);
            c.add(turns, "plain", "C, memcpy of each row", BATCHES);
            numpy.add(turns, "take", "np.take(out=, mode='clip')", BATCHES);
            numpy.add(turns, "index", "arr[idx], structured", SLOW_BATCHES);
            turns.run(rounds());
            turns.rows("rows-" + millions + "M").forEach(report::add);
            turns.rareMillis("rows-" + millions + "M-p99.9", LIMIT_MILLIS).forEach(report::add);
        }
    }

    /// Whole rows from a store that answers without delay, compared with a file that is read by position. It shows
    /// the overhead of joining and overlapping requests.
    void ranges() throws Exception {
        Path file = data.steps(10);
        TableReader.Options stored = ONE_THREAD.withStorage(Storage.of(Disk.real()));
        try (TableReader ranges = TableReader.open(file, stored);
                TableReader positions = TableReader.open(file, ONE_THREAD.withAccess(Access.READ));
                TableGatherer ours = TableGatherer.rows(ranges);
                TableGatherer read = TableGatherer.rows(positions)) {
            Turns turns = turns(BATCH_SIZE).add(ours, "ours", SLOW_BATCHES);
            turns.add(read, "read by position", SLOW_BATCHES);
            turns.run(rounds()).rows("ranges-10M").forEach(report::add);
        }
    }

    /// Rows split into columns, all fields and some fields.
    void columns() throws Exception {
        for (int millions : new int[] {10, 100}) {
            Path file = data.steps(millions);
            Resident.evict(file);
            try (TableReader reader = openResident(file, ONE_THREAD);
                    OptionalPeer numpy = new OptionalPeer(peers.numpy(file))) {
                columns(reader, numpy, "columns-" + millions + "M", "");
                columns(reader, numpy, "some-" + millions + "M", ":" + SOME_FIELDS);
            }
        }
    }

    private void columns(TableReader reader, OptionalPeer numpy, String caseName, String fields) throws Exception {
        try (TableGatherer ours = TableGatherer.of(reader, TableGatherer.COLUMNS + fields);
                TableGatherer rows = TableGatherer.rows(reader)) {
            Turns turns = turns(BATCH_SIZE).add(ours, "ours", BATCHES);
            numpy.add(turns, "fields-packed" + fields, "np.take of rows, then of each field", BATCHES);
            numpy.add(turns, "fields-index" + fields, "arr[field][idx] of each field", SLOW_BATCHES);
            turns.run(rounds()).rows(caseName).forEach(report::add);
            Turns slow = turns(BATCH_SIZE).add(ours, "ours", BATCHES);
            if (reader.count() <= 10L * TableData.MILLION) {
                numpy.add(slow, "fields-take" + fields, "np.take(arr[field], idx) of each field", 1);
                slow.run(Math.min(3, rounds())).rows(caseName).forEach(report::add);
            }
            // The checksums differ, because one gathers columns and the other rows.
            Turns own = turns(BATCH_SIZE).add(ours, "ours", BATCHES);
            own.addUnlike(rows, "our own gather of whole rows", BATCHES);
            own.run(rounds()).rows(caseName).forEach(report::add);
        }
    }

    /// Whole rows of other sizes.
    void sizes() throws Exception {
        for (long size : SIZES) {
            Path file = data.plain(size);
            Resident.evict(file);
            int batches = (int) Math.max(16, Math.min(BATCHES, BATCHES * 128L / size));
            try (TableReader reader = openResident(file, ONE_THREAD);
                    TableGatherer ours = TableGatherer.rows(reader);
                    OptionalPeer c = new OptionalPeer(peers.c(reader));
                    OptionalPeer numpy = new OptionalPeer(peers.numpy(file))) {
                Turns turns = turns(BATCH_SIZE).add(ours, "ours", batches);
                numpy.add(turns, "take", "np.take(out=, mode='clip')", batches);
                c.add(turns, "prefetch", "C, prefetching 16 rows ahead", batches);
                turns.run(rounds()).rows("rows-of-" + size).forEach(report::add);
                if (size * BATCH_SIZE >= MANY_BYTES) {
                    withThreads(file, ours, "rows-of-" + size + "-2-threads", BATCH_SIZE, batches);
                }
            }
        }
    }

    /// A gather by two threads compared with one thread.
    private void withThreads(Path file, TableGatherer one, String caseName, int batchSize, int batches)
            throws Exception {
        try (TableReader reader = openAgain(file, TWO_THREADS);
                TableGatherer two = TableGatherer.rows(reader)) {
            Turns turns = turns(batchSize).inTotal().add(two, "ours", batches).add(one, "ours, 1 thread", batches);
            turns.run(rounds()).rows(caseName).forEach(report::add);
        }
    }

    /// Two callers compared with one, and a large batch by two threads compared with one. The gain of C shows the
    /// limit of the machine.
    void threads() throws Exception {
        for (int millions : new int[] {10, 100}) {
            Path file = data.steps(millions);
            Resident.evict(file);
            try (TableReader reader = openResident(file, ONE_THREAD);
                    TableGatherer one = TableGatherer.rows(reader);
                    TwoCallers two = new TwoCallers(reader);
                    OptionalPeer c = new OptionalPeer(peers.c(reader))) {
                turns(BATCH_SIZE)
                        .inTotal()
                        .add(two, "ours", BATCHES)
                        .add(one, "ours, 1 caller", BATCHES)
                        .run(rounds())
                        .rows("2-callers-" + millions + "M")
                        .forEach(report::add);
                if (c.isThere()) {
                    turns(BATCH_SIZE)
                            .inTotal()
                            .add(c.contender("prefetch2", 2), "C", BATCHES)
                            .add(c.contender("prefetch", 1), "C, 1 caller", BATCHES)
                            .run(rounds())
                            .rows("C-2-callers-" + millions + "M")
                            .forEach(report::add);
                }
                withThreads(file, one, "1M-2-threads-" + millions + "M", LARGE_BATCH_SIZE, 2);
            }
        }
    }

    /// Many files compared with one.
    void shards() throws Exception {
        Path file = data.steps(10);
        Path folder = data.shards();
        Resident.evict(file);
        Resident.evict(folder);
        try (TableReader reader = openResident(file, ONE_THREAD);
                TableReader shards = openResident(folder, ONE_THREAD);
                TableGatherer ours = TableGatherer.rows(shards);
                TableGatherer single = TableGatherer.rows(reader)) {
            turns(BATCH_SIZE)
                    .add(ours, "ours", BATCHES)
                    .add(single, "ours, one file", BATCHES)
                    .run(rounds())
                    .rows(TableData.SHARD_COUNT + "-shards-10M")
                    .forEach(report::add);
        }
    }

    /// A runtime without the vector module.
    void scalar() throws Exception {
        for (int millions : new int[] {10, 100}) {
            Path file = data.steps(millions);
            Resident.evict(file);
            try (TableReader reader = openResident(file, ONE_THREAD);
                    TableGatherer ours = TableGatherer.rows(reader);
                    Peer scalar = Peer.start(Peers.ownWords(file, false));
                    OptionalPeer numpy = new OptionalPeer(peers.numpy(file))) {
                Turns turns = turns(BATCH_SIZE)
                        .add(scalar.contender(TableGatherer.ROWS), "ours", BATCHES)
                        .add(ours, "ours, with vectors", BATCHES);
                numpy.add(turns, "take", "np.take(out=, mode='clip')", BATCHES);
                turns.run(rounds()).rows("scalar-" + millions + "M").forEach(report::add);
                Turns columns = turns(BATCH_SIZE).add(scalar.contender(TableGatherer.COLUMNS), "ours", BATCHES);
                numpy.add(columns, "fields-packed", "np.take of rows, then of each field", BATCHES);
                columns.run(rounds()).rows("scalar-columns-" + millions + "M").forEach(report::add);
            }
        }
    }

    /// A peer that may not be available on this machine.
    private record OptionalPeer(Optional<Peer> peer) implements AutoCloseable {
        boolean isThere() {
            return peer.isPresent();
        }

        Contender contender(String operation, int callers) {
            return peer.orElseThrow().contender(operation, callers);
        }

        void add(Turns turns, String operation, String label, int batches) {
            peer.ifPresent(one -> turns.add(one.contender(operation), label, batches));
        }

        @Override
        public void close() {
            peer.ifPresent(Peer::close);
        }
    }
}
