// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.Batch;
import dev.penstock.file.Crc32c;
import dev.penstock.store.StoreReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.SplittableRandom;

/// How fast are 1,024 random records of 1.5 KiB gathered, with and without checking them?
final class StoreGatherCases {
    private static final int BATCH_SIZE = 1024;
    private static final int BATCHES_PER_ROUND = 32;
    private static final int APPENDED_AT_ONCE = 2000;
    private static final int RECORDS_FACTOR = 10;
    private static final int WARM_UPS = 20;
    private static final double GOAL = 2;

    private StoreGatherCases() {}

    static void run(Settings settings, Path folder, Report report) throws Exception {
        long recordCount = (long) settings.records() * RECORDS_FACTOR;
        StoreReader.Options checking = StoreReader.Options.DEFAULT;
        StoreRecords records = new StoreRecords(APPENDED_AT_ONCE, 2);
        try (StoreKeeper ours = new StoreKeeper(folder.resolve("ours"), StoreRecords.SIZE, checking);
                LmdbKeeper lmdb = new LmdbKeeper(folder.resolve("lmdb"), StoreRecords.SIZE);
                RocksKeeper rocks = new RocksKeeper(folder.resolve("rocks"), StoreRecords.SIZE)) {
            for (long done = 0; done < recordCount; done += APPENDED_AT_ONCE) {
                MemorySegment batch = records.numbered(done);
                ours.append(batch, APPENDED_AT_ONCE);
                lmdb.append(batch, APPENDED_AT_ONCE);
                rocks.append(batch, APPENDED_AT_ONCE);
            }
            ours.refresh();
            Path path = folder.resolve("ours");
            measure(settings, report, "gather-crc", path, checking, lmdb, "LMDB");
            measure(settings, report, "gather-nocrc", path, checking.withChecking(false), lmdb, "LMDB");
            measure(settings, report, "gather-crc-1-thread", path, checking.withThreads(1), lmdb, "LMDB");
            measure(settings, report, "gather-crc", path, checking, rocks, "RocksDB");
        }
    }

    private static void measure(
            Settings settings,
            Report report,
            String caseName,
            Path path,
            StoreReader.Options options,
            RecordKeeper floor,
            String floorName)
            throws Exception {
        long[][] batches = new long[BATCHES_PER_ROUND][BATCH_SIZE];
        SplittableRandom random = new SplittableRandom(caseName.hashCode());
        try (StoreReader reader = StoreReader.open(path, options);
                OurGather ours = new OurGather(reader, batches);
                Arena arena = Arena.ofShared()) {
            MemorySegment target = arena.allocate((long) BATCH_SIZE * StoreRecords.SIZE, 64);
            Times times = new SideBySide(ours, new FloorGather(floor, batches, target))
                    .beforeRound(() -> Draw.fill(batches, random, reader.count()))
                    .warmUps(WARM_UPS)
                    .measure(settings.roundsOr(15));
            long count = (long) BATCH_SIZE * BATCHES_PER_ROUND;
            report.add(times.things(StoreBenchmark.NAME, caseName, "records/s", count, floorName)
                    .withGoal(GOAL));
        }
    }

    private static final class OurGather implements SideBySide.Side, AutoCloseable {
        private final StoreReader reader;
        private final long[][] batches;
        private final Batch batch;

        OurGather(StoreReader reader, long[][] batches) {
            this.reader = reader;
            this.batches = batches;
            this.batch = Batch.create(reader.fields());
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
            Crc32c crc = new Crc32c();
            for (long[] indices : batches) {
                reader.gather(indices, batch);
                crc.update(batch.column(0).values());
            }
            return crc.value();
        }

        @Override
        public void close() {
            batch.close();
        }
    }

    private record FloorGather(RecordKeeper keeper, long[][] batches, MemorySegment target) implements SideBySide.Side {
        @Override
        public long run() throws Exception {
            for (long[] indices : batches) {
                keeper.gather(indices, target);
            }
            return (long) BATCH_SIZE * BATCHES_PER_ROUND * StoreRecords.SIZE;
        }

        @Override
        public long answer() throws Exception {
            Crc32c crc = new Crc32c();
            for (long[] indices : batches) {
                keeper.gather(indices, target);
                crc.update(target);
            }
            return crc.value();
        }
    }
}
