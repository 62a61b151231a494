// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.file.Disk;
import dev.penstock.file.MemoryDisk;
import dev.penstock.file.NewFile;
import dev.penstock.simulation.FaultPlan;
import dev.penstock.simulation.SimulatedDisk;
import dev.penstock.simulation.SimulatedThreads;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/// Several lives of a store on a disk that fails, fills up and crashes, all decided by one seed.
///
/// In each life several threads append, change, commit and roll back, while others rebalance, follow, make
/// snapshots and checkpoints. Every operation of the disk is a point at which another thread may go on. After a
/// life the store is read and compared with what [StoreOracle] knows.
final class StoreSimulation {
    private static final Path STORE = StoreModel.STORE;
    private static final int OPERATIONS = 700;
    static final String SNAPSHOT = "snapshot";

    private final Random random;
    private final SimulatedThreads threads;
    private final StoreOracle oracle;
    private final int fieldCount;
    private final boolean isSwapping;
    private final int writerCount;
    private final StoreOptions options;
    private final Map<String, StoreOracle.Found> snapshots = new HashMap<>();
    private final List<String> history = new ArrayList<>();
    private SimulatedDisk disk;
    private StoreWriter store;
    private long operationCount;
    private boolean isForcing = true;
    /// Whether there may be bytes in memory that no force writes to the disk any more: a limit of snapshots.
    private boolean hasUnforceableBytes;

    private StoreSimulation(long seed, boolean isRecording) {
        this.random = new Random(seed);
        this.threads = new SimulatedThreads(random);
        this.fieldCount = 1 + random.nextInt(2);
        this.isSwapping = random.nextInt(4) == 0;
        // A delete by swap moves a record that another thread may be about to change.
        this.writerCount = isSwapping ? 1 : 1 + random.nextInt(3);
        StoreOptions.Durability durability =
                StoreOptions.Durability.values()[random.nextInt(StoreOptions.Durability.values().length)];
        this.options = StoreOptions.DEFAULT
                .withBatch(1 + random.nextInt(20), Long.MAX_VALUE)
                .withDurability(durability)
                .withWriters(1 + random.nextInt(3))
                .withChunkRows(1 + random.nextInt(8))
                .withRotateBytes(200 + random.nextInt(1500))
                .withCloseMillis(Long.MAX_VALUE / 1_000_000)
                .withSwapping(isSwapping);
        this.oracle = new StoreOracle(durability == StoreOptions.Durability.COMMIT, isRecording ? history : null);
    }

    /// The result of a run.
    record Outcome(long operationCount, List<String> violations, List<String> history) {}

    static Outcome run(long seed) {
        return run(seed, false);
    }

    /// @param isRecording whether the history has every call
    static Outcome run(long seed, boolean isRecording) {
        return run(new StoreSimulation(seed, isRecording));
    }

    /// A run on a disk that only pretends to force, to show that this is noticed.
    static Outcome runUnforced(long seed) {
        StoreSimulation simulation = new StoreSimulation(seed, false);
        simulation.isForcing = false;
        return run(simulation);
    }

    private static Outcome run(StoreSimulation simulation) {
        try {
            simulation.runLives();
        } catch (IOException | RuntimeException | AssertionError e) {
            simulation.unexpected("checking", e);
        }
        return new Outcome(simulation.operationCount, simulation.oracle.violations(), simulation.history);
    }

    private void unexpected(String where, Throwable e) {
        StackTraceElement[] trace = e.getStackTrace();
        oracle.violation(where + ": " + e + (trace.length == 0 ? "" : " at " + trace[0]) + ", " + e.getCause());
    }

    private void runLives() throws IOException {
        disk = SimulatedDisk.of(created(), FaultPlan.random(random, OPERATIONS), isForcing);
        for (int life = 1 + random.nextInt(3); life > 0 && oracle.violations().isEmpty(); life--) {
            history.add("life with " + options.durability() + ", " + disk.plan());
            live();
            operationCount += disk.operationCount();
            history.addAll(disk.faults());
            hasUnforceableBytes =
                    disk.crash() != FaultPlan.Crash.MACHINE && (hasUnforceableBytes || disk.hasFailedForce(""));
            disk = disk.next(FaultPlan.random(random, OPERATIONS), random);
            if (oracle.violations().isEmpty()) {
                check();
            }
        }
    }

    private MemoryDisk created() throws IOException {
        MemoryDisk memory = new MemoryDisk().addFolder(StoreModel.FOLDER);
        List<StoreField> fields = new ArrayList<>(List.of(StoreField.bytes("A")));
        if (fieldCount > 1) {
            fields.add(StoreField.bytes("B"));
        }
        StoreWriter.create(STORE, fields, options.withDisk(memory)).abort();
        return memory;
    }

    /// One process: it opens the store and ends by closing it, by leaving it as it is, or by a crash.
    private void live() {
        store = null;
        threads.start("open", () -> guarded("open", this::open));
        threads.run();
        if (store != null) {
            startActors();
            List<String> waiting = threads.run();
            if (!waiting.isEmpty() && disk.crash() == null) {
                oracle.violation(waiting + " wait for ever");
            } else if (disk.crash() == null) {
                threads.start("end", () -> guarded("end", this::end));
                threads.run();
            }
        }
        if (disk.crash() == null) {
            disk.kill();
        }
        StoreWriter dead = store;
        if (dead != null) {
            // Frees its memory. Nothing of it reaches the disk.
            threads.start("free", () -> guarded("free", dead::abort));
            threads.run();
        }
    }

    private void open() throws IOException {
        for (int attempt = 0; store == null && attempt < 5; attempt++) {
            try {
                store = StoreWriter.open(STORE, options.withDisk(disk));
            } catch (IOException e) {
                history.add("open: " + e.getMessage());
            }
        }
    }

    private void startActors() {
        List<StoreOracle.Pending> all = new ArrayList<>();
        for (int i = 0; i < writerCount; i++) {
            all.add(new StoreOracle.Pending());
        }
        oracle.begin(writerCount);
        StoreActor.Shared shared = new StoreActor.Shared(random, store, disk, oracle, all, isSwapping, fieldCount);
        for (int i = 0; i < writerCount; i++) {
            StoreActor actor = new StoreActor(shared, i);
            int stepCount = 3 + random.nextInt(15);
            threads.start("writer " + i, () -> guarded("writer", () -> actor.write(stepCount)));
        }
        StoreActor actor = new StoreActor(shared, -1);
        start("committer", actor::commitOften);
        start("syncer", actor::syncOften);
        start(
                "rebalance",
                () -> tried(() -> store.rebalance(
                        RebalanceOptions.DEFAULT
                                .withMinGarbage(random.nextDouble())
                                .withWaitMillis(0),
                        Progress.NONE)));
        start("follower", () -> follow());
        start(SNAPSHOT, this::snapshot);
    }

    private void start(String name, Part part) {
        if (random.nextInt(3) == 0) {
            threads.start(name, () -> guarded(name, part));
        }
    }

    /// A part of a life.
    @FunctionalInterface
    interface Part {
        void run() throws IOException;
    }

    private void guarded(String name, Part part) {
        try {
            part.run();
        } catch (IOException | RuntimeException | Error e) {
            if (disk.crash() == null) {
                unexpected(name, e);
            }
        }
    }

    /// Errors of the disk are expected; damaged data is not.
    private void tried(Part part) {
        try {
            part.run();
        } catch (IOException e) {
            history.add(Thread.currentThread().getName() + ": " + e.getMessage());
        } catch (IllegalStateException e) {
            // The store was closed.
        }
    }

    private void follow() {
        tried(() -> {
            try (StoreReader reader = StoreReader.open(STORE, disk)) {
                for (int i = random.nextInt(4); i >= 0; i--) {
                    int[] before = oracle.stateCounts();
                    reader.refresh();
                    oracle.checkSeen(oracle.read(reader, "follower"), before, isSwapping);
                }
            }
        });
    }

    private void snapshot() {
        String name = "s" + random.nextInt(1_000_000);
        tried(() -> {
            StoreSnapshots.of(STORE, disk).create(name);
            // What it holds is what it has to hold for ever.
            try (StoreReader reader = StoreReader.open(STORE.resolve("snapshot").resolve(name), disk.files())) {
                StoreOracle.Found content = oracle.read(reader, "new snapshot");
                if (!hasUnforceableBytes && !disk.hasFailedForce("")) {
                    snapshots.put(name, content);
                }
            }
        });
    }

    /// A disk that works again must be enough for the same writer to go on.
    private void end() throws IOException {
        disk.endFaults();
        boolean mustWork = !disk.hasHardFault();
        IOException failure = null;
        for (int attempt = 0; attempt < 4; attempt++) {
            StoreOracle.Item item = oracle.newItem(0);
            StoreOracle.Pending pending = new StoreOracle.Pending();
            boolean hadFailedForce = disk.hasFailedForce(SNAPSHOT);
            try {
                oracle.attempt(item, "0");
                item.index = store.append(StoreOracle.values(item, fieldCount));
                oracle.accepted(pending, item, "0");
                store.commit();
                disk.requireAlive();
                oracle.committed(pending, List.of(), 0);
                if (hadFailedForce) {
                    oracle.violation("a commit was acknowledged after a failed force");
                }
                failure = null;
                break;
            } catch (IOException e) {
                // Later attempts may commit what this one appended.
                failure = e;
            }
        }
        if (failure != null && mustWork) {
            oracle.violation("the store does not go on although the device has space again: " + failure.getMessage());
        }
        if (random.nextBoolean()) {
            close(mustWork);
        }
    }

    private void close(boolean mustWork) throws IOException {
        Map<StoreOracle.Item, String> before = oracle.acknowledged();
        try {
            store.close();
            disk.requireAlive();
            oracle.synced(before);
            checkTidy();
        } catch (IOException e) {
            if (mustWork) {
                oracle.violation("close fails on a disk that works: " + e.getMessage());
            }
        }
    }

    private void checkTidy() throws IOException {
        List<Path> journals = disk.files().list(STORE.resolve("journal"));
        if (journals.size() != 1) {
            oracle.violation("after close there are the journals " + journals);
        }
        for (Path file : disk.files().list(STORE)) {
            if (NewFile.isTemporary(file)) {
                oracle.violation("after close there is " + file);
            }
        }
    }

    /// Reads the store as the next process would, and everything that was kept.
    private void check() throws IOException {
        boolean isPowerCut = disk.isFresh();
        Disk files = disk.files().copy();
        try (StoreReader reader = StoreReader.open(STORE, files)) {
            oracle.checkAfter(oracle.read(reader, "after"), isPowerCut, isSwapping, "after");
            if (!reader.verify(Progress.NONE).isOk()) {
                oracle.violation("verify finds " + reader.verify(Progress.NONE));
            }
        }
        for (Map.Entry<String, StoreOracle.Found> snapshot : snapshots.entrySet()) {
            Path path = STORE.resolve("snapshot").resolve(snapshot.getKey());
            try (StoreReader reader = StoreReader.open(path, files)) {
                if (!oracle.read(reader, "snapshot").equals(snapshot.getValue())) {
                    oracle.violation("snapshot " + path.getFileName() + " has changed");
                }
            } catch (NoSuchFileException | DatasetException e) {
                oracle.violation("snapshot " + path.getFileName() + ": " + e);
            }
        }
    }
}
