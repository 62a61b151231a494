// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import com.sun.management.ThreadMXBean;
import dev.penstock.Batch;
import dev.penstock.ElementType;
import dev.penstock.loader.Convert;
import dev.penstock.loader.Loader;
import dev.penstock.loader.LoaderBatch;
import dev.penstock.loader.LoaderOptions;
import dev.penstock.loader.LoaderStats;
import dev.penstock.loader.PermutationSampler;
import dev.penstock.loader.Ranks;
import dev.penstock.table.TableReader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/// The loader over a table of 32-byte rows in memory, with a permutation sampler.
final class LoaderCases {
    private static final int BATCH_SIZE = 4096;
    private static final int ROUNDS = 15;
    private static final int WARM_UPS = 8;
    private static final int BATCHES = 400;
    private static final long ROW_SIZE = 32;
    private static final int TILE_SIZE = 512;

    /// A single rank, whatever the environment says.
    private static final LoaderOptions OPTIONS = LoaderOptions.of(BATCH_SIZE).withRanks(Ranks.ALONE);

    private static final long BUSY_NANOS = 100_000;
    private static final double BUSY_WAIT_LIMIT_MICROS = 15;
    private static final long SLOW_NANOS = 1_000_000;
    private static final double SLOW_IDLE_LIMIT_PERCENT = 5;

    private static final int ENDLESS_BATCH_SIZE = 16;
    private static final long ENDLESS_BATCHES = 10_000_000;
    private static final double ENDLESS_LIMIT_MIB = 4;

    private final Settings settings;
    private final Report report;
    private final TableData data;

    LoaderCases(Settings settings, Report report) throws IOException {
        this.settings = settings;
        this.report = report;
        this.data = new TableData(settings, report);
    }

    /// The file is evicted first: pages that were loaded by other means would stay small.
    private TableReader open(Path table) throws Exception {
        Resident.evict(table);
        TableReader reader = TableReader.open(table);
        reader.prepare();
        Resident.awaitFill();
        report.note(Resident.describe(table));
        return reader;
    }

    /// A loader that continues with the next epoch after each epoch.
    private static final class Endless {
        private final Loader loader;
        private Iterator<LoaderBatch> batches;

        Endless(Loader loader) {
            this.loader = loader;
            this.batches = loader.iterator();
        }

        LoaderBatch next() {
            if (!batches.hasNext()) {
                batches = loader.iterator();
            }
            return batches.next();
        }
    }

    private int rounds() {
        return settings.roundsOr(ROUNDS);
    }

    /// Rows of six fields and of one field, as fast as a consumer can take them, compared with direct gathers into
    /// columns with known indices.
    void speed() throws Exception {
        speed(data.steps(10), "speed-");
        speed(data.plain(ROW_SIZE), "speed-plain-");
    }

    private void speed(Path table, String caseName) throws Exception {
        try (TableReader reader = open(table);
                Batch batch = Batch.create(reader.fields());
                Arena arena = Arena.ofConfined()) {
            PermutationSampler sampler = new PermutationSampler(reader.count(), 1);
            MemorySegment indices = arena.allocate((long) BATCHES * BATCH_SIZE * 8, 8);
            for (int threads : new int[] {1, 2}) {
                LoaderOptions options = OPTIONS.withSampler(sampler).withThreads(threads);
                try (Loader loader = Loader.open(reader, options)) {
                    Endless endless = new Endless(loader);
                    double[] ours = new double[rounds()];
                    double[] bare = new double[rounds()];
                    for (int round = -WARM_UPS; round < rounds(); round++) {
                        ours[Math.max(0, round)] = loaderRate(endless);
                        sampler.fill(round + WARM_UPS, 0, indices);
                        bare[Math.max(0, round)] = bareRate(reader, indices, batch);
                    }
                    String threadsName = threads + (threads == 1 ? "-thread" : "-threads");
                    report.add(LoaderBenchmark.above(caseName + threadsName, "Mrows/s", ours, "the bare gather", bare));
                }
            }
        }
    }

    private static double loaderRate(Endless endless) {
        // Batches that were prefetched during the other measurement are not counted.
        for (int i = 0; i < 2 * 64; i++) {
            endless.next();
        }
        long start = System.nanoTime();
        for (int i = 0; i < BATCHES; i++) {
            endless.next();
        }
        return rate(start);
    }

    private static double bareRate(TableReader reader, MemorySegment indices, Batch batch) throws IOException {
        // Wait until the threads of the loader have filled their batches and sleep.
        settle();
        long start = System.nanoTime();
        for (int i = 0; i < BATCHES; i++) {
            reader.gather(indices.asSlice((long) i * BATCH_SIZE * 8, BATCH_SIZE * 8), batch);
        }
        return rate(start);
    }

    /// Converting bytes to floats for a whole batch after the gather, compared with some rows at a time while they
    /// are in the first-level cache.
    private void convertInTiles(Path table) throws Exception {
        Convert convert = Convert.scaled(ElementType.F32, 1 / 255.0, -0.5);
        try (TableReader reader = open(table);
                Batch source = Batch.create(reader.fields());
                Batch target = Batch.create(convert.fields(reader.fields()));
                Arena arena = Arena.ofConfined()) {
            MemorySegment indices = arena.allocate((long) BATCHES * BATCH_SIZE * 8, 8);
            double[] whole = new double[rounds()];
            double[] tiles = new double[rounds()];
            for (int round = -WARM_UPS; round < rounds(); round++) {
                new PermutationSampler(reader.count(), round).fill(0, 0, indices);
                whole[Math.max(0, round)] = convertRate(reader, indices, BATCH_SIZE, convert, source, target);
                tiles[Math.max(0, round)] = convertRate(reader, indices, TILE_SIZE, convert, source, target);
            }
            report.add(LoaderBenchmark.above("convert-whole", "Mrows/s", whole, TILE_SIZE + " rows at a time", tiles));
        }
    }

    private static double convertRate(
            TableReader reader, MemorySegment indices, int size, Convert convert, Batch source, Batch target)
            throws IOException {
        long start = System.nanoTime();
        for (long row = 0; row < (long) BATCHES * BATCH_SIZE; row += size) {
            reader.gather(indices.asSlice(row * 8, size * 8L), source);
            convert.apply(source, target);
        }
        return rate(start);
    }

    private static void settle() {
        try {
            Thread.sleep(50);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static double rate(long start) {
        return (double) BATCHES * BATCH_SIZE / ((System.nanoTime() - start) / 1e9) / 1e6;
    }

    /// Consumers that do some work with each batch: how long they wait for the next.
    void consumers() throws Exception {
        consumers(data.steps(10), "");
        consumers(data.plain(ROW_SIZE), "-plain");
    }

    private void consumers(Path table, String suffix) throws Exception {
        try (TableReader reader = open(table)) {
            for (int batchSize : new int[] {256, BATCH_SIZE}) {
                report.add(LoaderBenchmark.below(
                        "wait-of-100us-" + batchSize + suffix,
                        "us",
                        waits(reader, batchSize, BUSY_NANOS),
                        BUSY_WAIT_LIMIT_MICROS));
                double[] slow = waits(reader, batchSize, SLOW_NANOS);
                for (int i = 0; i < slow.length; i++) {
                    slow[i] = slow[i] / (slow[i] + SLOW_NANOS / 1e3) * 100;
                }
                report.add(
                        LoaderBenchmark.below("idle-of-1ms-" + batchSize + suffix, "%", slow, SLOW_IDLE_LIMIT_PERCENT));
            }
        }
    }

    /// The microseconds that the consumer waits for a batch, on average over each round.
    private double[] waits(TableReader reader, int batchSize, long workNanos) {
        LoaderOptions options = OPTIONS.withBatchSize(batchSize).withSampler(new PermutationSampler(reader.count(), 1));
        double[] waits = new double[rounds()];
        try (Loader loader = Loader.open(reader, options)) {
            Endless endless = new Endless(loader);
            for (int round = -WARM_UPS; round < waits.length; round++) {
                LoaderStats before = loader.stats();
                for (int i = 0; i < BATCHES; i++) {
                    endless.next();
                    work(workNanos);
                }
                waits[Math.max(0, round)] = (loader.stats().waitNanos() - before.waitNanos()) / 1e3 / BATCHES;
            }
        }
        return waits;
    }

    private static void work(long nanos) {
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }

    /// Bytes converted to floats with scale and offset, compared with the loader without the conversion.
    void convert() throws Exception {
        Path table = data.plain(ROW_SIZE);
        convertInTiles(table);
        try (TableReader reader = open(table)) {
            PermutationSampler sampler = new PermutationSampler(reader.count(), 1);
            LoaderOptions plain = OPTIONS.withSampler(sampler);
            LoaderOptions converting = plain.withTransforms(Convert.scaled(ElementType.F32, 1 / 255.0, -0.5));
            try (Loader loader = Loader.open(reader, converting);
                    Loader other = Loader.open(reader, plain)) {
                double[] ours = new double[rounds()];
                double[] theirs = new double[rounds()];
                Endless converted = new Endless(loader);
                Endless unchanged = new Endless(other);
                for (int round = -WARM_UPS; round < rounds(); round++) {
                    settle();
                    ours[Math.max(0, round)] = loaderRate(converted);
                    settle();
                    theirs[Math.max(0, round)] = loaderRate(unchanged);
                }
                report.add(LoaderBenchmark.above("convert", "Mrows/s", ours, "the loader without", theirs));
            }
        }
    }

    /// Many small batches: the growth of memory, and the heap allocation of each batch.
    void endless() throws Exception {
        try (TableReader reader = open(data.steps(10));
                Loader loader = Loader.open(
                        reader,
                        OPTIONS.withBatchSize(ENDLESS_BATCH_SIZE)
                                .withSampler(new PermutationSampler(reader.count(), 1)))) {
            Endless endless = new Endless(loader);
            for (long i = 0; i < ENDLESS_BATCHES / 10; i++) {
                endless.next();
            }
            List<Double> grown = new ArrayList<>();
            double before = anonymousMib();
            long heapBefore = allocatedBytes();
            for (int part = 0; part < 10; part++) {
                for (long i = 0; i < ENDLESS_BATCHES / 10; i++) {
                    endless.next();
                }
                grown.add(Math.max(0, anonymousMib() - before));
            }
            double heapBytes = (double) (allocatedBytes() - heapBefore) / ENDLESS_BATCHES;
            double[] last = {grown.getLast()};
            report.note("memory after each million of batches, above that after the first: " + grown);
            report.add(LoaderBenchmark.below("growth-10M-batches", "MiB", last, ENDLESS_LIMIT_MIB));
            report.add(LoaderBenchmark.below("heap-per-batch", "bytes", new double[] {heapBytes}, 1));
        }
    }

    private static double anonymousMib() throws IOException {
        return ColdCases.number(Path.of("/proc/self/status"), "RssAnon:") / 1024.0;
    }

    /// The bytes that all living threads have allocated on the heap.
    private static long allocatedBytes() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long bytes = 0;
        for (long id : threads.getAllThreadIds()) {
            bytes += Math.max(0, threads.getThreadAllocatedBytes(id));
        }
        return bytes;
    }
}
