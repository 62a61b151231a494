// SPDX-License-Identifier: Apache-2.0
package dev.penstock.benchmarks;

import dev.penstock.store.StoreReader;
import java.nio.file.Path;

/// How fast are 1,000 records of 1.5 KiB appended and committed durably?
final class StoreAppendCases {
    private static final int BATCH_SIZE = 1000;
    private static final int COMMITS_PER_ROUND = 8;
    private static final double GOAL_PEERS = 2;
    private static final double GOAL_FILE = 0.8;

    private StoreAppendCases() {}

    /// Creates a keeper with a name in a folder.
    @FunctionalInterface
    private interface Maker {
        RecordKeeper make(Path path) throws Exception;
    }

    static void run(Settings settings, Path folder, Report report) throws Exception {
        measure(settings, folder, report, "LMDB", path -> new LmdbKeeper(path, StoreRecords.SIZE), GOAL_PEERS);
        measure(settings, folder, report, "RocksDB", path -> new RocksKeeper(path, StoreRecords.SIZE), GOAL_PEERS);
        measure(
                settings,
                folder,
                report,
                "write and fsync of a plain file",
                path -> new PlainFileKeeper(path, StoreRecords.SIZE),
                GOAL_FILE);
    }

    private static void measure(
            Settings settings, Path folder, Report report, String floorName, Maker floor, double goal)
            throws Exception {
        Path ourPath = folder.resolve("ours-" + floorName.hashCode());
        StoreRecords records = new StoreRecords(BATCH_SIZE, 1);
        try (RecordKeeper ours = new StoreKeeper(ourPath, StoreRecords.SIZE, StoreReader.Options.DEFAULT);
                RecordKeeper other = floor.make(folder.resolve("floor-" + floorName.hashCode()))) {
            Times times = new SideBySide(new Appending(ours, records), new Appending(other, records))
                    .warmUps(4)
                    .measure(settings.roundsOr(15));
            long count = (long) BATCH_SIZE * COMMITS_PER_ROUND;
            report.add(times.things(StoreBenchmark.NAME, "append-durable", "records/s", count, floorName)
                    .withGoal(goal));
        }
    }

    private record Appending(RecordKeeper keeper, StoreRecords records) implements SideBySide.Side {
        @Override
        public long run() throws Exception {
            for (int i = 0; i < COMMITS_PER_ROUND; i++) {
                keeper.append(records.numbered(keeper.count()), records.count());
            }
            return records.bytes() * COMMITS_PER_ROUND;
        }

        @Override
        public long answer() throws Exception {
            return keeper.count();
        }
    }
}
