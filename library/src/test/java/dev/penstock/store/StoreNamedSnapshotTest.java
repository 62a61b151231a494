// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Io;
import dev.penstock.Progress;
import dev.penstock.Seeds;
import dev.penstock.TestData;
import dev.penstock.file.CrashStates;
import dev.penstock.file.Disk;
import dev.penstock.file.FaultyDisk;
import dev.penstock.file.ForwardingDisk;
import dev.penstock.file.MemoryDisk;
import dev.penstock.file.RecordingDisk;
import dev.penstock.file.WriterLock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// A named snapshot keeps a state, whatever becomes of the store, and is there as a whole or not at all.
@ExtendWith(Seeds.class)
class StoreNamedSnapshotTest {
    private static final List<StoreField> FIELDS = List.of(StoreField.bytes("A"), StoreField.bytes("B"));

    private static final int STATES = TestData.isLong() ? 100_000 : 800;

    private final CrashTrial trial = this::crash;

    @TempDir
    Path folder;

    private final Random random = Seeds.random();

    private static StoreOptions options(Disk disk) {
        return StoreOptions.DEFAULT
                .withDisk(disk)
                .withDurability(StoreOptions.Durability.NONE)
                .withChunkRows(5)
                .withRotateBytes(1500);
    }

    private static List<String> read(Disk disk, Path path) throws IOException {
        try (StoreReader reader = StoreReader.open(path, disk)) {
            assertTrue(reader.verify(Progress.NONE).isOk());
            return StoreModel.read(reader);
        }
    }

    @Test
    void aSnapshotStaysAsItIsBesideAWriter() throws IOException {
        Path path = folder.resolve("store");
        StoreModel model = new StoreModel(random, false, 2);
        try (StoreWriter store = StoreWriter.create(path, FIELDS, options(Disk.real()))) {
            StoreSnapshots snapshots = StoreSnapshots.of(path);
            List<List<String>> states = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                for (int j = 0; j < 30; j++) {
                    model.change(store);
                }
                store.commit();
                states.add(model.state());
                StoreSnapshots.Snapshot made = snapshots.create("s" + i);
                assertEquals(store.sequence(), made.sequence());
                assertEquals(model.state().size(), made.recordCount());
                // A change that is not committed is not part of it.
                model.change(store);
                if (i == 2) {
                    store.checkpoint();
                }
            }
            for (int i = 0; i < states.size(); i++) {
                assertEquals(states.get(i), read(Disk.real(), snapshots.path("s" + i)));
            }
            assertEquals(
                    List.of("s0", "s1", "s2", "s3", "s4"),
                    snapshots.list().stream().map(StoreSnapshots.Snapshot::name).toList());
            snapshots.drop("s1");
            assertEquals(4, snapshots.list().size());
            assertThrows(NoSuchFileException.class, () -> snapshots.path("s1"));
            assertEquals(states.get(2), read(Disk.real(), snapshots.path("s2")));
        }
        assertEquals(model.state(), read(Disk.real(), path));
    }

    @Test
    void aSnapshotThatFailsLeavesNoFiles() throws IOException {
        Path path = Path.of("/data/store");
        int failedCount = 0;
        for (int n = 1; ; n++) {
            MemoryDisk memory = new MemoryDisk().addFolder(path.getParent());
            try (StoreWriter store = StoreWriter.create(path, FIELDS, options(memory))) {
                new StoreModel(new Random(7), false, 2).change(store);
                store.commit();
            }
            FaultyDisk faulty = new FaultyDisk(memory, new FaultyDisk.Plan(n, FaultyDisk.Fault.ENOSPC, false));
            try {
                StoreSnapshots.of(path, faulty).create("one");
            } catch (IOException | UncheckedIOException e) {
                failedCount++;
                Path one = path.resolve("snapshot/one");
                boolean isWhole = memory.exists(one.resolve("meta.json"));
                assertTrue(
                        isWhole || memory.files().stream().noneMatch(file -> file.startsWith(one)),
                        "operation " + n + ": " + memory.files());
            }
            if (!faulty.hasFired()) {
                assertTrue(failedCount > 20, failedCount + " failures");
                return;
            }
        }
    }

    @Test
    void whatCannotBeDoneIsRefused() throws IOException {
        Path path = folder.resolve("store");
        StoreWriter.create(path, FIELDS, StoreOptions.DEFAULT).close();
        StoreSnapshots snapshots = StoreSnapshots.of(path);
        snapshots.create("one");
        assertThrows(FileAlreadyExistsException.class, () -> snapshots.create("one"));
        for (String name : List.of("", ".", "..", "a/b", ".hidden", "x".repeat(65))) {
            assertThrows(IllegalArgumentException.class, () -> snapshots.create(name), name);
        }
        assertThrows(NoSuchFileException.class, () -> snapshots.drop("two"));
        assertThrows(NoSuchFileException.class, () -> StoreSnapshots.of(folder.resolve("none")));
        Path one = snapshots.path("one");
        assertThrows(IllegalArgumentException.class, () -> StoreWriter.open(one, StoreOptions.DEFAULT));
        assertThrows(IllegalArgumentException.class, () -> StoreSnapshots.of(one));
        try (StoreReader reader = StoreReader.open(one)) {
            assertFalse(reader.refresh());
            assertThrows(FileSystemException.class, () -> snapshots.drop("one"));
        }
        snapshots.drop("one");
        snapshots.create("one");
    }

    /// A disk that runs a step once, before the first file of locks is opened.
    private static Disk before(Io.Action step) {
        return new ForwardingDisk(Disk.real()) {
            private boolean isDone;

            @Override
            public Locks locks(Path file) throws IOException {
                if (!isDone) {
                    isDone = true;
                    step.run();
                }
                return super.locks(file);
            }
        };
    }

    /// Another process drops a snapshot after `meta.json` was read and before the reader has a lease.
    @Test
    void aSnapshotThatIsDroppedWhileItIsOpenedIsNotThere() throws IOException {
        Path path = folder.resolve("store");
        try (StoreWriter store = StoreWriter.create(path, FIELDS, StoreOptions.DEFAULT)) {
            store.append(List.of(new byte[9], new byte[9]));
        }
        StoreSnapshots snapshots = StoreSnapshots.of(path);
        Path one = snapshots.create("one").path();
        assertThrows(NoSuchFileException.class, () -> StoreReader.open(one, before(() -> snapshots.drop("one"))));
        snapshots.create("one");
        Disk replacing = before(() -> {
            snapshots.drop("one");
            snapshots.create("one");
        });
        try (StoreReader reader = StoreReader.open(one, replacing)) {
            assertEquals(1, reader.count());
            assertThrows(FileSystemException.class, () -> snapshots.drop("one"), "the reader has a lease");
        }
    }

    @Test
    void oneSnapshotAtATimeIsCreatedOrDropped() throws Exception {
        Path path = folder.resolve("store");
        StoreWriter.create(path, FIELDS, StoreOptions.DEFAULT).close();
        StoreSnapshots snapshots = StoreSnapshots.of(path);
        snapshots.create("one");
        Path lockFile = StoreFormat.snapshots(path).resolve(StoreFormat.LOCK);
        FutureTask<Object> waiting = new FutureTask<>(() -> {
            snapshots.drop("one");
            return snapshots.create("two");
        });
        Thread thread = new Thread(waiting);
        try (WriterLock other = WriterLock.take(Disk.real(), lockFile, path)) {
            thread.start();
            while (thread.getState() != Thread.State.TIMED_WAITING && !waiting.isDone()) {
                Thread.onSpinWait();
            }
            assertEquals(1, snapshots.list().size(), "the other thread has the lock " + other);
        }
        waiting.get();
        assertEquals("two", snapshots.list().getFirst().name());
    }

    /// Without a lease a writer may delete a chunk before it is linked.
    @Test
    void aSnapshotThatCannotKeepWritersFromDeletingChunksIsRefused() throws IOException {
        Path path = folder.resolve("store");
        StoreWriter.create(path, FIELDS, StoreOptions.DEFAULT).close();
        Disk broken = new ForwardingDisk(Disk.real()) {
            @Override
            public Locks locks(Path file) throws IOException {
                if (file.endsWith(StoreFormat.LEASE)) {
                    throw new IOException("Input/output error");
                }
                return super.locks(file);
            }
        };
        StoreSnapshots snapshots = StoreSnapshots.of(path, broken);
        IOException e = assertThrows(IOException.class, () -> snapshots.create("one"));
        assertTrue(e.getMessage().contains("a writer might delete files"), e.getMessage());
        assertEquals(List.of(), snapshots.list());
        assertEquals("one", StoreSnapshots.of(path).create("one").name());
    }

    /// A reader creates `.lease` in a folder that is being removed.
    @Test
    void aLateReaderDoesNotKeepASnapshotFromBeingRemoved() throws IOException {
        Path path = folder.resolve("store");
        StoreWriter.create(path, FIELDS, StoreOptions.DEFAULT).close();
        Path one = StoreSnapshots.of(path).create("one").path();
        AtomicBoolean isLate = new AtomicBoolean();
        Disk late = new ForwardingDisk(Disk.real()) {
            @Override
            public void delete(Path file) throws IOException {
                if (file.equals(one) && isLate.compareAndSet(false, true)) {
                    super.locks(one.resolve(StoreFormat.LEASE)).close();
                }
                super.delete(file);
            }
        };
        StoreSnapshots.of(path, late).drop("one");
        assertFalse(Files.exists(one));
        assertTrue(isLate.get());
    }

    /// The promised state by the number of operations.
    private record Promise(int operations, boolean isThere) {}

    private List<String> crash(UnaryOperator<Disk> bug, long[] stateCount) throws IOException {
        MemoryDisk start = new MemoryDisk().addFolder(StoreModel.FOLDER);
        StoreModel model = new StoreModel(random, false, 2);
        try (StoreWriter store = StoreWriter.create(StoreModel.STORE, FIELDS, options(start))) {
            for (int i = 0; i < 12; i++) {
                model.change(store);
            }
            store.commit();
            store.abort();
        }
        List<String> violations = new ArrayList<>();
        RecordingDisk recording = new RecordingDisk(start.copy());
        List<Promise> promises = new ArrayList<>(List.of(new Promise(0, false)));
        StoreSnapshots snapshots = StoreSnapshots.of(StoreModel.STORE, bug.apply(recording));
        snapshots.create("one");
        promises.add(new Promise(recording.operationCount(), true));
        int dropStart = recording.operationCount();
        snapshots.drop("one");
        promises.add(new Promise(recording.operationCount(), false));
        stateCount[0] += CrashStates.forEach(start, recording.operations(), random, state -> {
            if (violations.size() >= CrashStates.VIOLATIONS_MAX) {
                return;
            }
            boolean mustBeThere = state.operationCount() == dropStart;
            boolean mustBeGone = state.operationCount() >= promises.getLast().operations();
            try {
                StoreSnapshots found = StoreSnapshots.of(StoreModel.STORE, state.disk());
                boolean isThere = !found.list().isEmpty();
                if (mustBeThere && !isThere || mustBeGone && isThere) {
                    violations.add(state.how() + ": the snapshot is there: " + isThere);
                }
                if (isThere && !read(state.disk(), found.path("one")).equals(model.state())) {
                    violations.add(state.how() + ": another state");
                }
                if (!isThere && random.nextInt(20) == 0) {
                    found.create("one");
                    assertEquals(model.state(), read(state.disk(), found.path("one")));
                }
                assertEquals(model.state(), read(state.disk(), StoreModel.STORE));
            } catch (IOException | RuntimeException | AssertionError e) {
                violations.add(state.operationCount() + ", " + state.how() + ": " + e);
            }
        });
        return violations;
    }

    @Test
    void afterACrashASnapshotIsThereAsAWholeOrNotAtAll() throws IOException {
        trial.requireNoViolation(STATES, "store, crash states of named snapshots");
    }

    @Test
    void snapshotsThatAreNotForcedAreCaught() throws IOException {
        trial.requireForcesAreMissed();
    }
}
