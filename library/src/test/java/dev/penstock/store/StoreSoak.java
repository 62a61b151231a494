// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.DatasetException;
import dev.penstock.PlantedBug;
import dev.penstock.Progress;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/// The processes of [StoreSoakTest]: one that writes with two threads, rebalances and makes snapshots, and readers
/// that follow it. A process that finds something wrong says so and ends with [#WRONG].
///
/// Commits are those of [TwoWriters], so that every state can be checked.
public final class StoreSoak {
    static final int WRONG = 3;
    private static final int SNAPSHOTS_MAX = 3;

    private StoreSoak() {}

    /// `write`, the store, the log, and a check of [StoreMoves] that always succeeds or `none`; or `follow` and
    /// the store.
    public static void main(String[] arguments) {
        Thread.setDefaultUncaughtExceptionHandler((thread, error) -> fail(error));
        try {
            if (arguments[0].equals("write") && !arguments[3].equals("none")) {
                PlantedBug.answering(StoreMoves.class, arguments[3], true)
                        .main(StoreSoak.class, "write", arguments[1], arguments[2], "none");
            } else if (arguments[0].equals("write")) {
                write(Path.of(arguments[1]), Path.of(arguments[2]));
            } else {
                follow(Path.of(arguments[1]));
            }
        } catch (IOException | InterruptedException | ReflectiveOperationException | RuntimeException | Error e) {
            fail(e);
        }
    }

    private static void fail(Throwable error) {
        error.printStackTrace();
        Runtime.getRuntime().halt(WRONG);
    }

    /// Something that a thread does again and again.
    @FunctionalInterface
    private interface Work {
        void run() throws IOException, InterruptedException;
    }

    private static void repeat(Work work) {
        Thread.ofPlatform().daemon().start(() -> {
            try {
                while (true) {
                    work.run();
                }
            } catch (IOException | InterruptedException | RuntimeException | Error e) {
                fail(e);
            }
        });
    }

    private static StoreOptions options(Random random) {
        StoreOptions.Durability[] durabilities = StoreOptions.Durability.values();
        return StoreOptions.DEFAULT
                .withDurability(durabilities[random.nextInt(durabilities.length)])
                .withChunkRows(200)
                .withRotateBytes(50_000)
                .withWriters(1 + random.nextInt(3));
    }

    private static void write(Path path, Path log) throws IOException, InterruptedException {
        Random random = new Random();
        boolean isThere =
                Files.exists(path.resolve(StoreFormat.META)) || Files.exists(path.resolve(StoreFormat.META_SWITCH));
        StoreWriter store = isThere
                ? StoreWriter.open(path, options(random))
                : StoreWriter.create(path, List.of(StoreField.bytes("A")), options(random));
        for (int thread = 0; thread < TwoWriters.COUNT; thread++) {
            TwoWriters.Writer writer = new TwoWriters.Writer(store, thread);
            RandomAccessFile acknowledged = new RandomAccessFile(log.toFile(), "rw");
            long position = (long) thread * Long.BYTES;
            repeat(() -> {
                long commit = writer.commit();
                acknowledged.seek(position);
                acknowledged.writeLong(commit);
                if (random.nextInt(200) == 0) {
                    store.checkpoint();
                }
                Thread.sleep(random.nextInt(3));
            });
        }
        repeat(() -> {
            snapshot(path);
            Thread.sleep(100 + random.nextInt(300));
        });
        while (true) {
            double minGarbage = random.nextInt(4) * 0.2;
            store.rebalance(RebalanceOptions.DEFAULT.withMinGarbage(minGarbage), Progress.NONE);
            Thread.sleep(random.nextInt(30));
        }
    }

    /// By thread, the last commit that was acknowledged.
    static long[] acknowledged(Path log) throws IOException {
        byte[] bytes = Files.exists(log) ? Files.readAllBytes(log) : new byte[0];
        ByteBuffer numbers = ByteBuffer.wrap(Arrays.copyOf(bytes, TwoWriters.COUNT * Long.BYTES));
        return new long[] {numbers.getLong(0), numbers.getLong(Long.BYTES)};
    }

    private static void snapshot(Path path) throws IOException {
        StoreSnapshots snapshots = StoreSnapshots.of(path);
        List<StoreSnapshots.Snapshot> all = snapshots.list();
        if (all.size() >= SNAPSHOTS_MAX) {
            try {
                snapshots.drop(all.getFirst().name());
            } catch (java.nio.file.FileSystemException e) {
                // Somebody reads it.
            }
        }
        snapshots.create("s" + System.nanoTime());
    }

    private static void follow(Path path) throws IOException, InterruptedException {
        Random random = new Random();
        while (true) {
            try (StoreReader reader = StoreReader.open(path)) {
                System.out.println("open");
                for (int i = random.nextInt(30); i >= 0; i--) {
                    check(reader);
                    Thread.sleep(random.nextInt(30));
                    reader.refresh();
                }
            }
            checkSnapshot(path, random);
        }
    }

    private static void checkSnapshot(Path path, Random random) throws IOException {
        StoreSnapshots snapshots = StoreSnapshots.of(path);
        List<StoreSnapshots.Snapshot> all = snapshots.list();
        if (all.isEmpty()) {
            return;
        }
        StoreSnapshots.Snapshot one = all.get(random.nextInt(all.size()));
        try (StoreReader reader = StoreReader.open(one.path())) {
            check(reader);
            if (reader.count() != one.recordCount()) {
                throw new IllegalStateException("the snapshot has other records: " + one);
            }
        } catch (NoSuchFileException | DatasetException e) {
            if (Files.exists(one.path().resolve(StoreFormat.META))) {
                throw e;
            }
        }
    }

    private static void check(StoreReader reader) throws IOException {
        TwoWriters.check(reader, new long[TwoWriters.COUNT]);
    }
}
