// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.file.Crc32c;
import dev.penstock.store.StoreReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.SplittableRandom;

/// How fast is a mix of 500 updates of random records, a durable commit, and 500 reads of random records?
final class StoreUpdateCases {
    private static final int CHANGE_COUNT = 500;
    private static final int MIXES_PER_ROUND = 8;
    private static final int WARM_UPS = 4;

    private StoreUpdateCases() {}

    static void run(Settings settings, Path folder, Report report) throws Exception {
        int recordCount = settings.records();
        StoreRecords records = new StoreRecords(1000, 3);
        try (StoreKeeper ours =
                        new StoreKeeper(folder.resolve("ours"), StoreRecords.SIZE, StoreReader.Options.DEFAULT);
                LmdbKeeper lmdb = new LmdbKeeper(folder.resolve("lmdb"), StoreRecords.SIZE);
                RocksKeeper rocks = new RocksKeeper(folder.resolve("rocks"), StoreRecords.SIZE);
                Arena arena = Arena.ofShared()) {
            for (int done = 0; done < recordCount; done += records.count()) {
                MemorySegment batch = records.numbered(done);
                ours.append(batch, records.count());
                lmdb.append(batch, records.count());
                rocks.append(batch, records.count());
            }
            MemorySegment target = arena.allocate((long) CHANGE_COUNT * StoreRecords.SIZE, 64);
            measure(settings, report, records, target, ours, lmdb, "LMDB");
            measure(settings, report, records, target, ours, rocks, "RocksDB");
        }
    }

    private static void measure(
            Settings settings,
            Report report,
            StoreRecords records,
            MemorySegment target,
            StoreKeeper ours,
            RecordKeeper floor,
            String floorName)
            throws Exception {
        long[][] batches = new long[2 * MIXES_PER_ROUND][CHANGE_COUNT];
        SplittableRandom random = new SplittableRandom(5);
        SideBySide.Side ourSide = new Mix(ours, records, batches, ours::readThroughWriter, target);
        SideBySide.Side floorSide = new Mix(floor, records, batches, floor::gather, target);
        Times times = new SideBySide(ourSide, floorSide)
                .beforeRound(() -> Draw.fill(batches, random, ours.count()))
                .warmUps(WARM_UPS)
                .measure(settings.roundsOr(11));
        long count = 2L * CHANGE_COUNT * MIXES_PER_ROUND;
        report.add(times.things(StoreBenchmark.NAME, "update-mix", "changes and reads/s", count, floorName));
    }

    @FunctionalInterface
    private interface Reading {
        void read(long[] indices, MemorySegment target) throws Exception;
    }

    private record Mix(
            RecordKeeper keeper, StoreRecords records, long[][] batches, Reading reading, MemorySegment target)
            implements SideBySide.Side {
        @Override
        public long run() throws Exception {
            for (int i = 0; i < MIXES_PER_ROUND; i++) {
                keeper.update(batches[2 * i], records.numbered(batches[2 * i][0]));
                reading.read(batches[2 * i + 1], target);
            }
            return 2L * CHANGE_COUNT * MIXES_PER_ROUND * StoreRecords.SIZE;
        }

        @Override
        public long answer() throws Exception {
            reading.read(batches[0], target);
            Crc32c crc = new Crc32c();
            crc.update(target);
            return crc.value();
        }
    }
}
