// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.Batch;
import dev.penstock.Progress;
import dev.penstock.store.RebalanceOptions;
import dev.penstock.store.StoreCompression;
import dev.penstock.store.StoreField;
import dev.penstock.store.StoreOptions;
import dev.penstock.store.StoreReader;
import dev.penstock.store.StoreWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/// How fast is a store rebalanced compared with `cp` and `sync` of its chunks, and how fast are gathers at the
/// same time?
final class StoreUpkeepCases {
    private static final int BATCH_SIZE = 1024;
    private static final int BATCHES_PER_ROUND = 64;
    private static final int APPENDED_AT_ONCE = 2000;
    private static final int RECORDS_FACTOR = 2;
    private static final double GOAL_COPY = 0.6;
    private static final double GOAL_GATHER = 0.7;

    private StoreUpkeepCases() {}

    static void run(Settings settings, Path folder, Report report) throws Exception {
        Path path = folder.resolve("store");
        long recordCount = (long) settings.records() * RECORDS_FACTOR;
        StoreRecords records = new StoreRecords(APPENDED_AT_ONCE, 4);
        try (StoreWriter writer = write(path, records, recordCount)) {
            Times times = new SideBySide(
                            new Rebalancing(writer), new Copying(path.resolve("chunk"), folder.resolve("copy")))
                    .warmUps(1)
                    .measure(settings.roundsOr(7));
            report.add(times.megabytes(StoreBenchmark.NAME, "rebalance", "cp and sync of the chunks")
                    .withGoal(GOAL_COPY));
            gather(settings, report, writer);
        }
    }

    /// A store of one field of bytes, open for writing.
    static StoreWriter write(Path path, StoreRecords records, long recordCount) throws IOException {
        StoreField field = new StoreField("value", "u8", List.of((long) StoreRecords.SIZE), StoreCompression.RAW);
        StoreWriter writer = StoreWriter.create(path, List.of(field), StoreOptions.DEFAULT);
        try (Batch rows = Batch.create(List.of(field.column()))) {
            for (long done = 0; done < recordCount; done += APPENDED_AT_ONCE) {
                MemorySegment batch = records.numbered(done);
                MemorySegment.copy(batch, 0, rows.column(0).reserveValues(batch.byteSize()), 0, batch.byteSize());
                rows.complete(APPENDED_AT_ONCE);
                writer.appendAll(rows);
                writer.commit();
            }
        }
        return writer;
    }

    /// Copies all values of the store to new chunks and deletes the old ones.
    private record Rebalancing(StoreWriter writer) implements SideBySide.Side {
        @Override
        public long run() throws Exception {
            return writer.rebalance(RebalanceOptions.DEFAULT.withMinGarbage(0), Progress.NONE)
                    .movedBytes();
        }

        @Override
        public long answer() throws Exception {
            return 0;
        }
    }

    /// Copies a folder and makes the copy durable.
    record Copying(Path source, Path copy) implements SideBySide.Side {
        @Override
        public void prepare() throws Exception {
            StoreBenchmark.delete(copy);
            Files.createDirectories(copy);
        }

        @Override
        public long run() throws Exception {
            Command.run(List.of(
                    "sh",
                    "-c",
                    "cp -r --reflink=never \"$1\" \"$2\" && sync -f \"$2\"",
                    "sh",
                    source.toString(),
                    copy.toString()));
            return 0;
        }

        @Override
        public long answer() throws Exception {
            return 0;
        }
    }

    private static void gather(Settings settings, Report report, StoreWriter writer) throws Exception {
        long[][] batches = new long[BATCHES_PER_ROUND][BATCH_SIZE];
        SplittableRandom random = new SplittableRandom(6);
        Background rebalancing = new Background(writer);
        rebalancing.thread.start();
        try (StoreReader reader = writer.snapshot();
                Batch batch = Batch.create(reader.fields())) {
            Times times = new SideBySide(
                            new Gathering(reader, batch, batches, rebalancing, true),
                            new Gathering(reader, batch, batches, rebalancing, false))
                    .beforeRound(() -> Draw.fill(batches, random, reader.count()))
                    .warmUps(3)
                    .measure(settings.roundsOr(11));
            report.add(times.things(
                            StoreBenchmark.NAME,
                            "gather-beside-rebalance",
                            "records/s",
                            (long) BATCH_SIZE * BATCHES_PER_ROUND,
                            "without a rebalance")
                    .withGoal(GOAL_GATHER));
        } finally {
            rebalancing.end();
        }
    }

    /// A thread that rebalances the store repeatedly, while this is requested.
    private static final class Background {
        private static final long LOOK_NANOS = 1_000_000;

        private final StoreWriter writer;
        private final Thread thread = new Thread(this::run);
        private volatile boolean isWanted;
        private volatile boolean isPaused;
        private volatile boolean isOver;
        private volatile Exception failure;

        Background(StoreWriter writer) {
            this.writer = writer;
        }

        private void run() {
            try {
                while (!isOver) {
                    pause();
                    writer.rebalance(RebalanceOptions.DEFAULT.withMinGarbage(0), (done, total) -> pause());
                }
            } catch (Exception e) {
                failure = e;
            }
        }

        private void pause() {
            while (!isWanted && !isOver) {
                isPaused = true;
                LockSupport.parkNanos(LOOK_NANOS);
            }
            isPaused = false;
        }

        /// Starts or stops the rebalancing, and returns when that has happened.
        void want(boolean isWanted) {
            this.isWanted = isWanted;
            while (isPaused == isWanted && failure == null) {
                LockSupport.parkNanos(LOOK_NANOS);
            }
        }

        void end() throws Exception {
            isOver = true;
            thread.join();
            if (failure != null) {
                throw failure;
            }
        }
    }

    private record Gathering(
            StoreReader reader, Batch batch, long[][] batches, Background rebalancing, boolean isBesideRebalance)
            implements SideBySide.Side {
        @Override
        public void prepare() throws Exception {
            rebalancing.want(isBesideRebalance);
            // Refresh, so that old chunks can be deleted.
            reader.refresh();
        }

        @Override
        public long run() throws Exception {
            for (long[] indices : batches) {
                reader.gather(indices, batch);
            }
            return (long) BATCH_SIZE * BATCHES_PER_ROUND * StoreRecords.SIZE;
        }

        @Override
        public long answer() throws Exception {
            return reader.count();
        }
    }
}
