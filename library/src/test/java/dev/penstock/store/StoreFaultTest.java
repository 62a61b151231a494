// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Figures;
import dev.penstock.Progress;
import dev.penstock.file.BuggyDisks;
import dev.penstock.file.Disk;
import dev.penstock.file.FaultyDisk;
import dev.penstock.file.FaultyDisk.Plan;
import dev.penstock.file.ForwardingDisk;
import dev.penstock.file.MemoryDisk;
import dev.penstock.file.WatchedDisk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Every operation of writing a store fails, once and for ever: the caller hears of it, no commit that was
/// acknowledged is lost, and the next writer goes on.
@Tag("full")
class StoreFaultTest {
    private final List<String> violations = new ArrayList<>();

    /// The operations before a fault.
    private static final class Attempt {
        private final Map<Long, List<String>> states = new HashMap<>(Map.of(0L, List.of()));
        private final List<String> records = new ArrayList<>();
        private long acknowledged;
        private boolean exists;
        private boolean isDone;

        void commit(StoreWriter store) throws IOException {
            states.put(store.sequence() + 1, List.copyOf(records));
            acknowledged = store.commit();
        }
    }

    private static StoreOptions options(Disk disk) {
        return StoreOptions.DEFAULT.withDisk(disk).withChunkRows(2).withRotateBytes(400);
    }

    private static void write(Disk disk, Attempt attempt) throws IOException {
        List<StoreField> fields = List.of(StoreField.bytes("A"), StoreField.bytes("B"));
        StoreWriter store = StoreWriter.create(StoreModel.STORE, fields, options(disk));
        attempt.exists = true;
        try {
            for (int i = 0; i < 3; i++) {
                store.append(Arrays.asList(("a" + i).getBytes(), i == 1 ? null : new byte[i * 400]));
                attempt.records.add("'a" + i + "' " + (i == 1 ? "missing" : "'" + "\0".repeat(i * 400) + "'"));
                attempt.commit(store);
            }
            store.update(0, "A", "new".getBytes());
            attempt.records.set(0, "'new' ''");
            attempt.commit(store);
            store.checkpoint();
            store.delete(1);
            attempt.records.set(1, "deleted deleted");
            attempt.commit(store);
            store.close();
            attempt.isDone = true;
        } finally {
            store.abort();
        }
    }

    private long sweep(UnaryOperator<Disk> bug) throws IOException {
        return FaultyDisk.sweep(plan -> {
            MemoryDisk memory = new MemoryDisk().addFolder(StoreModel.FOLDER);
            FaultyDisk faulty = new FaultyDisk(memory, plan);
            if (!violations.isEmpty()) {
                // One violation says enough. A disk that met no fault ends the sweep.
                return faulty;
            }
            WatchedDisk watched = new WatchedDisk(faulty);
            Attempt attempt = new Attempt();
            try {
                write(bug.apply(watched), attempt);
            } catch (IOException e) {
                if (!faulty.hasFired()) {
                    violations.add(plan + ": " + e);
                }
            } catch (RuntimeException e) {
                violations.add(plan + ": " + e);
            }
            if (watched.openCount() > 0) {
                violations.add(plan + ": " + watched.openCount() + " files stay open");
            }
            if (violations.isEmpty()) {
                check(memory, attempt, plan);
            }
            return faulty;
        });
    }

    private void check(MemoryDisk memory, Attempt attempt, Plan plan) {
        try (StoreReader reader = StoreReader.open(StoreModel.STORE, memory)) {
            List<String> found = StoreModel.read(reader);
            List<String> expected = attempt.states.get(reader.sequence());
            if (reader.sequence() < attempt.acknowledged || !found.equals(expected)) {
                violations.add(
                        plan + ": commit " + reader.sequence() + " of " + attempt.acknowledged + " with " + found);
            }
            goOn(memory, found, plan);
        } catch (NoSuchFileException e) {
            if (attempt.exists) {
                violations.add(plan + ": no store");
            }
        } catch (IOException | RuntimeException e) {
            violations.add(plan + ": " + e);
        }
    }

    private void goOn(MemoryDisk memory, List<String> found, Plan plan) throws IOException {
        try (StoreWriter store = StoreWriter.open(StoreModel.STORE, options(memory))) {
            store.append(Arrays.asList("x".getBytes(), null));
        }
        List<String> expected = new ArrayList<>(found);
        expected.add("'x' missing");
        try (StoreReader reader = StoreReader.open(StoreModel.STORE, memory)) {
            if (!StoreModel.read(reader).equals(expected)
                    || !reader.verify(Progress.NONE).isOk()) {
                violations.add(plan + ": the next writer left " + StoreModel.read(reader));
            }
        }
    }

    /// A disk on which one read of a chunk fails.
    private static final class UnreadableDisk extends ForwardingDisk {
        private long readsLeft;
        private boolean hasFailed;

        UnreadableDisk(Disk disk, long readsBefore) {
            super(disk);
            this.readsLeft = readsBefore;
        }

        @Override
        public Readable open(Path file) throws IOException {
            Readable readable = super.open(file);
            return !file.toString().endsWith(".zr")
                    ? readable
                    : new ForwardingReader(readable) {
                        @Override
                        public long read(long offset, MemorySegment target) throws IOException {
                            if (readsLeft-- == 0) {
                                hasFailed = true;
                                throw new IOException("planned");
                            }
                            return super.read(offset, target);
                        }
                    };
        }
    }

    @Test
    void aDeleteThatCannotReadTheLastRecordMovesNothing() throws IOException {
        boolean hasFailed = true;
        for (long readsBefore = 0; hasFailed; readsBefore++) {
            MemoryDisk memory = new MemoryDisk().addFolder(StoreModel.FOLDER);
            List<StoreField> fields = List.of(StoreField.bytes("A"), StoreField.bytes("B"));
            StoreOptions swapping = options(memory).withSwapping(true);
            try (StoreWriter store = StoreWriter.create(StoreModel.STORE, fields, swapping)) {
                for (int i = 0; i < 3; i++) {
                    store.append(List.of(("a" + i).getBytes(), ("b" + i).getBytes()));
                }
            }
            UnreadableDisk disk = new UnreadableDisk(memory, readsBefore);
            try (StoreWriter store = StoreWriter.open(StoreModel.STORE, options(disk))) {
                try {
                    store.delete(0);
                } catch (IOException e) {
                    assertEquals("planned", e.getMessage());
                }
            }
            hasFailed = disk.hasFailed;
            List<String> all = List.of("'a0' 'b0'", "'a1' 'b1'", "'a2' 'b2'");
            List<String> moved = List.of("'a2' 'b2'", "'a1' 'b1'");
            assertEquals(hasFailed ? all : moved, StoreModel.read(memory), "after " + readsBefore + " reads");
            assertTrue(hasFailed || readsBefore >= fields.size(), "a delete reads every value of the last record");
        }
    }

    @Test
    void noAcknowledgedCommitIsLostByAFault() throws IOException {
        long attempts = sweep(UnaryOperator.identity());
        assertEquals(List.of(), violations.subList(0, Math.min(5, violations.size())));
        assertTrue(attempts > 300, "only " + attempts + " attempts");
        Figures.print("store, writes with one operation failing", attempts);
    }

    @Test
    void aWriterThatIgnoresAFailedWriteIsCaught() throws IOException {
        sweep(BuggyDisks::withIgnoredWriteErrors);
        assertFalse(violations.isEmpty());
    }
}
