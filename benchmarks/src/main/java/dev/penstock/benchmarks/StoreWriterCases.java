// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.Batch;
import dev.penstock.file.Parallel;
import dev.penstock.store.StoreCompression;
import dev.penstock.store.StoreField;
import dev.penstock.store.StoreOptions;
import dev.penstock.store.StoreReader;
import dev.penstock.store.StoreWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

/// How much faster do two writers append than one, and how much do readers slow them down?
///
/// A batch is 1,000 records of 1.5 KiB, committed durably. Values are letters, which zstd shrinks to half.
final class StoreWriterCases {
    private static final int BATCH_SIZE = 1000;
    private static final int COMMITS_PER_ROUND = 16;
    private static final int READERS = 8;
    private static final int GATHER_SIZE = 256;
    private static final double GOAL_ZSTD = 1.6;
    private static final double GOAL_RAW = 1.2;

    private StoreWriterCases() {}

    static void run(Settings settings, Path folder, Report report) throws Exception {
        writers(settings, folder, report, StoreCompression.ZSTD, 1, GOAL_ZSTD);
        writers(settings, folder, report, StoreCompression.ZSTD, 2, GOAL_ZSTD);
        writers(settings, folder, report, StoreCompression.RAW, 1, GOAL_RAW);
        writers(settings, folder, report, StoreCompression.RAW, 2, GOAL_RAW);
        plainFiles(settings, folder, report);
        besideReaders(settings, folder, report);
    }

    /// Two writers beside one: by one thread that appends large batches, or by as many threads as writers.
    private static void writers(
            Settings settings, Path folder, Report report, StoreCompression compression, int threads, double goal)
            throws Exception {
        String name = "append-" + compression.name().toLowerCase(Locale.ROOT) + "-2-writers-" + threads
                + (threads == 1 ? "-thread" : "-threads");
        try (Appending ours = new Appending(folder.resolve(name), compression, threads, 2);
                Appending floor = new Appending(folder.resolve(name + "-floor"), compression, 1, 1)) {
            Times times = new SideBySide(ours, floor).warmUps(4).measure(settings.roundsOr(15));
            long count = (long) BATCH_SIZE * COMMITS_PER_ROUND;
            report.add(times.things(StoreBenchmark.NAME, name, "records/s", count, "one writer, one thread")
                    .withGoal(goal));
        }
    }

    /// Two threads that write and force a plain file each, beside one thread: what a second writer of raw values
    /// can gain on this disk.
    private static void plainFiles(Settings settings, Path folder, Report report) throws Exception {
        try (PlainFiles ours = new PlainFiles(folder, "plain-two", 2);
                PlainFiles floor = new PlainFiles(folder, "plain-one", 1)) {
            Times times = new SideBySide(ours, floor).warmUps(4).measure(settings.roundsOr(15));
            long count = (long) BATCH_SIZE * COMMITS_PER_ROUND;
            report.add(times.things(
                    StoreBenchmark.NAME, "plain-files-2-threads", "records/s", count, "one plain file, one thread"));
        }
    }

    /// Runs tasks at the same time, the first of them in this thread.
    private static void together(List<Callable<Void>> tasks) throws Exception {
        List<Future<Void>> others = new ArrayList<>();
        for (Callable<Void> task : tasks.subList(1, tasks.size())) {
            others.add(Parallel.start(task));
        }
        tasks.getFirst().call();
        for (Future<Void> other : others) {
            Parallel.await(other);
        }
    }

    /// Plain files that are written and forced, each by its own thread.
    private static final class PlainFiles implements SideBySide.Side, AutoCloseable {
        private final StoreRecords records = new StoreRecords(BATCH_SIZE, 5);
        private final List<PlainFileKeeper> files = new ArrayList<>();

        PlainFiles(Path folder, String name, int count) throws IOException {
            for (int i = 0; i < count; i++) {
                files.add(new PlainFileKeeper(folder.resolve(name + "-" + i), StoreRecords.SIZE));
            }
        }

        private Void writeShare(PlainFileKeeper file) throws IOException {
            for (int i = 0; i < COMMITS_PER_ROUND / files.size(); i++) {
                file.append(records.numbered(0), BATCH_SIZE);
            }
            return null;
        }

        @Override
        public long run() throws Exception {
            together(files.stream()
                    .map(file -> (Callable<Void>) () -> writeShare(file))
                    .toList());
            return (long) COMMITS_PER_ROUND * records.bytes();
        }

        @Override
        public long answer() throws IOException {
            long count = 0;
            for (PlainFileKeeper file : files) {
                count += file.count();
            }
            return count;
        }

        @Override
        public void close() throws IOException {
            for (PlainFileKeeper file : files) {
                file.close();
            }
        }
    }

    private static void besideReaders(Settings settings, Path folder, Report report) throws Exception {
        try (Appending ours = new Appending(folder.resolve("beside"), StoreCompression.RAW, 1, 2);
                Appending floor = new Appending(folder.resolve("alone"), StoreCompression.RAW, 1, 2);
                Reading readers = new Reading(ours)) {
            SideBySide.Side read = SideBySide.Side.of(() -> {}, () -> {
                readers.start();
                try {
                    return ours.run();
                } finally {
                    readers.stop();
                }
            });
            SideBySide.Side alone = SideBySide.Side.of(() -> {}, floor::run);
            Times times = new SideBySide(read, alone).warmUps(4).measure(settings.roundsOr(15));
            long count = (long) BATCH_SIZE * COMMITS_PER_ROUND;
            report.add(times.things(
                    StoreBenchmark.NAME, "append-beside-8-readers", "records/s", count, "without readers"));
        }
    }

    /// Threads that share the commits of a round.
    private static final class Appending implements SideBySide.Side, AutoCloseable {
        private final StoreWriter store;
        private final List<Batch> batches = new ArrayList<>();

        Appending(Path path, StoreCompression compression, int threads, int writers) throws IOException {
            StoreField field = new StoreField("value", "u8", List.of((long) StoreRecords.SIZE), compression);
            this.store = StoreWriter.create(path, List.of(field), StoreOptions.DEFAULT.withWriters(writers));
            SplittableRandom random = new SplittableRandom(5);
            for (int i = 0; i < threads; i++) {
                Batch rows = Batch.create(List.of(field.column()));
                MemorySegment values = rows.column(0).reserveValues((long) BATCH_SIZE * StoreRecords.SIZE);
                for (long at = 0; at < (long) BATCH_SIZE * StoreRecords.SIZE; at++) {
                    values.set(ValueLayout.JAVA_BYTE, at, (byte) ('a' + random.nextInt(16)));
                }
                rows.complete(BATCH_SIZE);
                batches.add(rows);
            }
            commit(batches.getFirst());
        }

        private void commit(Batch rows) throws IOException {
            store.appendAll(rows);
            store.commit();
        }

        private Void commitShare(Batch rows) throws IOException {
            for (int i = 0; i < COMMITS_PER_ROUND / batches.size(); i++) {
                commit(rows);
            }
            return null;
        }

        @Override
        public long run() throws Exception {
            together(batches.stream()
                    .map(rows -> (Callable<Void>) () -> commitShare(rows))
                    .toList());
            return (long) COMMITS_PER_ROUND * BATCH_SIZE * StoreRecords.SIZE;
        }

        @Override
        public long answer() {
            return store.count();
        }

        @Override
        public void close() throws IOException {
            batches.forEach(Batch::close);
            store.close();
        }
    }

    /// Threads that gather random records of one commit.
    private static final class Reading implements AutoCloseable {
        private final StoreReader snapshot;
        private final AtomicBoolean isOn = new AtomicBoolean();
        private final List<Future<Void>> threads = new ArrayList<>();

        Reading(Appending appending) throws IOException {
            this.snapshot = appending.store.snapshot(StoreReader.Options.DEFAULT.withThreads(1));
        }

        void start() {
            isOn.set(true);
            for (int i = 0; i < READERS; i++) {
                SplittableRandom random = new SplittableRandom(i);
                threads.add(Parallel.start(() -> gather(random)));
            }
        }

        private Void gather(SplittableRandom random) throws IOException {
            long[] indices = new long[GATHER_SIZE];
            try (Batch batch = Batch.create(snapshot.fields())) {
                while (isOn.get()) {
                    for (int i = 0; i < indices.length; i++) {
                        indices[i] = random.nextLong(snapshot.count());
                    }
                    snapshot.gather(indices, batch);
                }
            }
            return null;
        }

        void stop() throws IOException {
            isOn.set(false);
            for (Future<Void> thread : threads) {
                Parallel.await(thread);
            }
            threads.clear();
        }

        @Override
        public void close() {
            snapshot.close();
        }
    }
}
