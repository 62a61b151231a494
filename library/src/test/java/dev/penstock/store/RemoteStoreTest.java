// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.Column;
import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.Row;
import dev.penstock.Verification;
import dev.penstock.catalog.Catalog;
import dev.penstock.file.Location;
import dev.penstock.file.MemoryStorage;
import dev.penstock.file.ReaderOptions;
import dev.penstock.file.WebServer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A store that was copied to a remote storage reads the same there as on the disk.
class RemoteStoreTest {
    private static final int COUNT = 9000;

    @TempDir
    private Path folder;

    private final MemoryStorage content = new MemoryStorage();
    private final Random random = new Random(5);
    private Path store;

    @BeforeEach
    void write() throws IOException {
        store = folder.resolve("store");
        List<StoreField> fields = List.of(
                StoreField.bytes("raw"),
                StoreField.bytes("packed").withCompression(StoreCompression.ZSTD),
                StoreField.bytes("sparse"));
        StoreOptions options = StoreOptions.DEFAULT.withChunkRows(1000);
        try (StoreWriter writer = StoreWriter.create(store, fields, options)) {
            for (int i = 0; i < COUNT; i++) {
                writer.append(record(i));
            }
            writer.commit();
        }
        StoreSnapshots.of(store).create("before");
    }

    private List<byte[]> record(int i) {
        byte[] raw = new byte[random.nextInt(300)];
        random.nextBytes(raw);
        List<byte[]> values =
                new ArrayList<>(List.of(raw, ("text " + i).repeat(5).getBytes()));
        values.add(i % 3 == 0 ? null : new byte[i % 2]);
        return values;
    }

    private void change(boolean isClosed) throws IOException {
        StoreWriter writer = StoreWriter.open(store, StoreOptions.DEFAULT);
        writer.update(17, "raw", new byte[100_000]);
        writer.delete(4000);
        writer.append(record(COUNT));
        writer.commit();
        if (isClosed) {
            writer.close();
        } else {
            // Its commits are in the journal only.
            writer.abort();
        }
    }

    private ReaderOptions remote() {
        return ReaderOptions.DEFAULT.withStorage(content);
    }

    private static List<String> answers(Dataset dataset) throws IOException {
        List<String> answers = new ArrayList<>();
        answers.add(dataset.format() + dataset.count() + dataset.fields() + dataset.bytes() + dataset.facts());
        answers.add(dataset.fingerprint() + dataset.fingerprint(100) + dataset.hasDeleted());
        answers.add(dataset.fullFingerprint(Progress.NONE));
        Verification verification = dataset.verify(Progress.NONE);
        answers.add(verification.isOk() + " " + verification.checkedBytes());
        for (long index : new long[] {0, 17, 4000, dataset.count() - 1}) {
            dataset.get(index).values().forEach(value -> answers.add(text(value)));
        }
        try (Batch batch = Batch.create(dataset.fields())) {
            for (int size : new int[] {0, 1, 700}) {
                dataset.gather(new Random(1).longs(size, 0, dataset.count()).toArray(), batch);
                for (Column column : batch.columns()) {
                    for (int row = 0; row < size; row++) {
                        answers.add(column.isMissing(row) ? "missing" : text(column.value(row)));
                    }
                }
            }
        }
        return answers;
    }

    private static String text(MemorySegment value) {
        return value == Row.MISSING ? "missing" : HexFormat.of().formatHex(value.toArray(ValueLayout.JAVA_BYTE));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStoreReadsTheSameAsFromTheDisk(boolean isClosed) throws IOException {
        change(isClosed);
        Location there = content.copy(store);
        try (Dataset local = Catalog.open(store);
                Dataset copied = Catalog.open(there, Catalog.Options.DEFAULT.withReading(remote()))) {
            assertEquals(there, copied.location());
            assertEquals(answers(local), answers(copied));
            assertFalse(copied.isRefreshable() || copied.refresh());
        }
    }

    @Test
    void aNamedSnapshotOpensAndAnAbsentOneIsNamed() throws IOException {
        change(true);
        Location there = content.copy(store);
        Location snapshot = StoreSnapshots.location(there, "before", remote());
        try (Dataset local = Catalog.open(StoreSnapshots.of(store).path("before"));
                Dataset copied = Catalog.open(snapshot, Catalog.Options.DEFAULT.withReading(remote()))) {
            assertEquals(COUNT, copied.count());
            assertEquals(answers(local), answers(copied));
        }
        NoSuchFileException absent =
                assertThrows(NoSuchFileException.class, () -> StoreSnapshots.location(there, "after", remote()));
        assertTrue(absent.getMessage().contains("no snapshot after"), absent::getMessage);
        assertThrows(IllegalArgumentException.class, () -> StoreSnapshots.location(there, "../x", remote()));
    }

    @Test
    void aStoreOpensFromAWebServer() throws IOException {
        content.copy(store);
        try (WebServer web = WebServer.serve(content);
                Dataset local = Catalog.open(store);
                Dataset copied = Catalog.open(web.at(MemoryStorage.ROOT.resolve("store")))) {
            assertEquals(answers(local), answers(copied));
        }
    }

    @Test
    void aShuffledBatchNeedsFewRequestsAndManyAtOnce() throws IOException {
        Location there = content.copy(store);
        try (Dataset copied = Catalog.open(there, Catalog.Options.DEFAULT.withReading(remote()));
                Batch batch = Batch.create(copied.fields())) {
            long[] indices = new Random(1).longs(256, 0, COUNT).toArray();
            copied.gather(indices, batch);
            int before = content.readCount();
            content.watch((_, _) -> LockSupport.parkNanos(5_000_000));
            copied.gather(indices, batch);
            // The chunks are small, so the ranges of each are one request or a few.
            assertTrue(content.readCount() - before < 100, "requests: " + (content.readCount() - before));
            assertTrue(content.inFlightMax() > 4, "in flight: " + content.inFlightMax());
        }
    }

    @Test
    void damageAndMissingFilesAreNamed() throws IOException {
        Location there = content.copy(store);
        byte[] chunk = Files.readAllBytes(StoreFormat.chunk(store, 2));
        chunk[5000] ^= 1;
        content.put(StoreFormat.chunk(there, 2), chunk);
        try (Dataset copied = Catalog.open(there, Catalog.Options.DEFAULT.withReading(remote()))) {
            Verification verification = copied.verify(Progress.NONE);
            assertEquals(1, verification.problemCount());
            assertEquals(Reason.CHECKSUM, verification.problems().getFirst().reason());
            assertEquals(
                    StoreFormat.chunk(there, 2),
                    verification.problems().getFirst().file());
        }
        MemoryStorage part = new MemoryStorage();
        part.put(there.resolve(StoreFormat.META), Files.readAllBytes(store.resolve(StoreFormat.META)));
        ReaderOptions reading = ReaderOptions.DEFAULT.withStorage(part);
        DatasetException.Corrupt missing = assertThrows(
                DatasetException.Corrupt.class,
                () -> StoreReader.open(there, StoreReader.Options.DEFAULT.withReading(reading)));
        assertEquals(Reason.MISSING_SHARD, missing.reason());
        assertEquals(StoreFormat.table(there, "raw"), missing.file());
    }

    @Test
    void theValuesOfADeletedRecordAreMissing() throws IOException {
        change(true);
        Location there = content.copy(store);
        try (StoreReader copied = StoreReader.open(there, StoreReader.Options.DEFAULT.withReading(remote()))) {
            assertTrue(copied.isDeleted(4000));
            assertArrayEquals(
                    new byte[100_000], copied.get(17).values().getFirst().toArray(ValueLayout.JAVA_BYTE));
        }
    }
}
