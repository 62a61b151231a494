// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Progress;
import dev.penstock.Seeds;
import dev.penstock.TestData;
import dev.penstock.Verification;
import dev.penstock.file.CrashStates;
import dev.penstock.file.Disk;
import dev.penstock.file.MemoryDisk;
import dev.penstock.file.RecordingDisk;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Fields are added, dropped and recompressed as a whole or not at all, and no other value changes.
@ExtendWith(Seeds.class)
class StoreSchemaTest {
    private static final List<StoreField> FIELDS = List.of(StoreField.bytes("A"), StoreField.bytes("B"));

    private static final int STATES = TestData.isLong() ? 100_000 : 500;

    private final CrashTrial trial = this::crash;
    private final Random random = Seeds.random();
    private MemoryDisk disk;
    private StoreModel model;

    @BeforeEach
    void makeStore() throws IOException {
        disk = new MemoryDisk().addFolder(StoreModel.FOLDER);
        model = new StoreModel(random, false, 2);
        try (StoreWriter store = StoreWriter.create(StoreModel.STORE, FIELDS, options(disk))) {
            for (int i = 0; i < 60; i++) {
                model.change(store);
            }
            store.commit();
            store.abort();
        }
    }

    private static StoreOptions options(Disk disk) {
        return StoreOptions.DEFAULT.withDisk(disk).withChunkRows(5).withRotateBytes(1500);
    }

    private List<String> withField(String value) {
        return model.state().stream()
                .map(record -> record + (record.startsWith("deleted") ? " deleted" : " " + value))
                .toList();
    }

    private List<String> withoutFirst() {
        return model.state().stream()
                .map(record -> record.substring(record.indexOf(' ') + 1))
                .toList();
    }

    private List<String> read(Disk from) throws IOException {
        try (StoreReader reader = StoreReader.open(StoreModel.STORE, from)) {
            Verification found = reader.verify(Progress.NONE);
            assertTrue(found.isOk(), found::toString);
            return StoreModel.read(reader);
        }
    }

    @Test
    void anAddedFieldIsMissingInOldRecords() throws IOException {
        try (StoreReader before = StoreReader.open(StoreModel.STORE, disk)) {
            StoreSchema.addField(StoreModel.STORE, StoreField.bytes("C"), options(disk));
            assertEquals(withField("missing"), read(disk));
            assertEquals(model.state(), StoreModel.read(before));
            before.refresh();
            assertEquals(withField("missing"), StoreModel.read(before));
        }
        List<String> expected = new ArrayList<>(withField("missing"));
        try (StoreWriter store = StoreWriter.open(StoreModel.STORE, options(disk))) {
            store.append(Arrays.asList("a".getBytes(), null, "c".getBytes()));
            expected.add("'a' missing 'c'");
        }
        assertEquals(expected, read(disk));
        assertThrows(
                IllegalArgumentException.class,
                () -> StoreSchema.addField(StoreModel.STORE, StoreField.bytes("c"), options(disk)));
    }

    @Test
    void aDroppedFieldIsGoneAndItsSpaceComesBack() throws IOException {
        StoreSchema.dropField(StoreModel.STORE, "A", options(disk));
        assertEquals(withoutFirst(), read(disk));
        assertFalse(disk.exists(StoreFormat.table(StoreModel.STORE, "A")));
        try (StoreWriter store = StoreWriter.open(StoreModel.STORE, options(disk))) {
            RebalanceReport report = store.rebalance(RebalanceOptions.DEFAULT, Progress.NONE);
            assertTrue(report.after().chunkBytes() < report.before().chunkBytes());
        }
        assertEquals(withoutFirst(), read(disk));
        // The name is free again, and old values do not come back with it.
        StoreSchema.addField(StoreModel.STORE, StoreField.bytes("A"), options(disk));
        StoreSchema.dropField(StoreModel.STORE, "B", options(disk));
        read(disk).forEach(record -> assertTrue(record.equals("missing") || record.equals("deleted"), record));
        assertThrows(
                IllegalArgumentException.class,
                () -> StoreSchema.dropField(StoreModel.STORE, "A", options(disk)),
                "the last field stays");
        assertThrows(IllegalArgumentException.class, () -> StoreSchema.dropField(StoreModel.STORE, "X", options(disk)));
    }

    @Test
    void anotherCompressionChangesNoValue() throws IOException {
        for (StoreCompression compression :
                List.of(StoreCompression.ZSTD, StoreCompression.FLATE, StoreCompression.LZ4, StoreCompression.RAW)) {
            StoreSchema.compress(StoreModel.STORE, "B", compression, options(disk), Progress.NONE);
            assertEquals(model.state(), read(disk));
            try (StoreReader reader = StoreReader.open(StoreModel.STORE, disk)) {
                assertEquals(compression, reader.storeFields().get(1).compression());
                assertEquals(List.of(), reader.storeFields().get(1).recoded());
            }
            try (StoreWriter store = StoreWriter.open(StoreModel.STORE, options(disk))) {
                for (int i = 0; i < 20; i++) {
                    model.change(store);
                }
                store.commit();
                store.rebalance(RebalanceOptions.DEFAULT.withMinGarbage(0), Progress.NONE);
            }
            assertEquals(model.state(), read(disk));
        }
        assertEquals(
                StoreModel.plain(model.state()),
                StoreModel.readPlain(disk).state(),
                "programs that know the published layout alone see it");
    }

    @Test
    void aStoreThatIsBeingWrittenIsRefused() throws IOException {
        try (StoreWriter store = StoreWriter.open(StoreModel.STORE, options(disk))) {
            assertThrows(
                    FileSystemException.class,
                    () -> StoreSchema.addField(StoreModel.STORE, StoreField.bytes("C"), options(disk)));
            assertTrue(store.count() > 0);
        }
    }

    /// Changes the fields and crashes at every operation.
    private List<String> crash(UnaryOperator<Disk> bug, long[] stateCount) throws IOException {
        makeStore();
        MemoryDisk start = disk.copy();
        RecordingDisk recording = new RecordingDisk(start.copy());
        StoreOptions options = options(bug.apply(recording));
        int kind = random.nextInt(3);
        List<String> after = kind == 0 ? withField("missing") : kind == 1 ? withoutFirst() : model.state();
        List<String> violations = new ArrayList<>();
        switch (kind) {
            case 0 -> StoreSchema.addField(StoreModel.STORE, StoreField.bytes("C"), options);
            case 1 -> StoreSchema.dropField(StoreModel.STORE, "A", options);
            default -> StoreSchema.compress(StoreModel.STORE, "A", StoreCompression.ZSTD, options, Progress.NONE);
        }
        int end = recording.operationCount();
        stateCount[0] += CrashStates.forEach(start, recording.operations(), random, state -> {
            if (violations.size() >= CrashStates.VIOLATIONS_MAX) {
                return;
            }
            try {
                List<String> found = read(state.disk());
                boolean isGood = found.equals(after) || state.operationCount() < end && found.equals(model.state());
                if (!isGood) {
                    violations.add(state.operationCount() + ", " + state.how() + ": another state");
                }
                if (random.nextInt(30) == 0) {
                    goOn(state.disk(), found);
                }
            } catch (IOException | RuntimeException | AssertionError e) {
                violations.add(state.operationCount() + ", " + state.how() + ": " + e);
            }
        });
        return violations;
    }

    /// The next writer finds and keeps what is there.
    private void goOn(MemoryDisk after, List<String> found) throws IOException {
        try (StoreWriter store = StoreWriter.open(StoreModel.STORE, options(after))) {
            store.rebalance(RebalanceOptions.DEFAULT.withMinGarbage(0), Progress.NONE);
        }
        assertEquals(found, read(after));
        StoreSchema.compress(StoreModel.STORE, "B", StoreCompression.LZ4, options(after), Progress.NONE);
        assertEquals(found, read(after));
    }

    @Test
    void afterACrashTheFieldsAreThoseBeforeOrAfter() throws IOException {
        trial.requireNoViolation(STATES, "store, crash states of changed fields");
    }

    @Test
    void changesThatAreNotForcedAreCaught() throws IOException {
        trial.requireForcesAreMissed();
    }
}
