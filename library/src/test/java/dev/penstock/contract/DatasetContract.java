// SPDX-License-Identifier: Apache-2.0
package dev.penstock.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.OpenResources;
import dev.penstock.Progress;
import dev.penstock.Seeds;
import dev.penstock.file.Location;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// The contract of every [Dataset], whatever its format. The test of a format says how to write, open and compare.
@ExtendWith(Seeds.class)
public interface DatasetContract extends DatasetThreadsContract {
    @Test
    default void anEmptyDatasetHasNoRecords(@TempDir Path folder) throws IOException {
        try (Dataset dataset = openNew(folder, List.of());
                Batch batch = Batch.create(dataset.fields())) {
            assertEquals(0, dataset.count());
            assertThrows(IndexOutOfBoundsException.class, () -> dataset.get(0));
            assertThrows(IndexOutOfBoundsException.class, () -> dataset.gather(new long[] {0}, batch));
            dataset.gather(new long[0], batch);
            assertEquals(0, batch.rowCount());
            assertTrue(dataset.verify(Progress.NONE).isOk());
        }
    }

    @Test
    default void oneRecordIsTheFirstAndTheLast(@TempDir Path folder) throws IOException {
        List<byte[]> records = records(1);
        try (Dataset dataset = openNew(folder, records)) {
            assertEquals(1, dataset.count());
            requireRecord(records.get(0), dataset, 0);
            assertThrows(IndexOutOfBoundsException.class, () -> dataset.get(1));
        }
    }

    @Test
    default void everyRecordComesBackByIndex(@TempDir Path folder) throws IOException {
        List<byte[]> records = records(1000);
        try (Dataset dataset = openNew(folder, records)) {
            assertEquals(records.size(), dataset.count());
            for (int i = 0; i < records.size(); i++) {
                requireRecord(records.get(i), dataset, i);
            }
            assertTrue(dataset.verify(Progress.NONE).isOk());
        }
    }

    @Test
    default void preparingChangesNothingThatIsRead(@TempDir Path folder) throws IOException {
        List<byte[]> records = records(10);
        Dataset dataset = openNew(folder, records);
        dataset.prepare();
        dataset.prepare();
        requireRecord(records.get(9), dataset, 9);
        dataset.close();
        assertThrows(IllegalStateException.class, dataset::prepare);
    }

    @Test
    default void anIndexWithoutRecordIsRefused(@TempDir Path folder) throws IOException {
        try (Dataset dataset = openNew(folder, records(3))) {
            for (long index : new long[] {3, 4, -1, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 32}) {
                assertThrows(IndexOutOfBoundsException.class, () -> dataset.get(index));
                assertThrows(IndexOutOfBoundsException.class, () -> dataset.name(index));
            }
        }
    }

    @Test
    default void aGatherKeepsTheOrderOfTheRequestAndItsRepeats(@TempDir Path folder) throws IOException {
        List<byte[]> records = records(100);
        Random random = Seeds.random();
        try (Dataset dataset = openNew(folder, records);
                Batch batch = Batch.create(dataset.fields());
                Arena arena = Arena.ofConfined()) {
            long[] indices = random.longs(500, 0, records.size()).toArray();
            dataset.gather(indices, batch);
            requireRows(records, indices, batch);
            dataset.gather(arena.allocateFrom(ValueLayout.JAVA_LONG, indices), batch);
            requireRows(records, indices, batch);
        }
    }

    @Test
    default void anIndexOutOfRangeIsRefusedBeforeAnythingIsWritten(@TempDir Path folder) throws IOException {
        List<byte[]> records = records(10);
        try (Dataset dataset = openNew(folder, records);
                Batch batch = Batch.create(dataset.fields())) {
            dataset.gather(new long[] {0, 1, 2, 3}, batch);
            byte[] before = batch.column(0).reserveValues(0).toArray(ValueLayout.JAVA_BYTE);
            for (long index : new long[] {10, -1, Long.MAX_VALUE, Long.MIN_VALUE}) {
                long[] indices = {9, 8, 7, index};
                assertThrows(IndexOutOfBoundsException.class, () -> dataset.gather(indices, batch));
                assertEquals(0, batch.rowCount());
                assertEquals(0, batch.column(0).values().byteSize());
                assertThrows(
                        IndexOutOfBoundsException.class, () -> batch.column(0).value(0));
                byte[] after = batch.column(0).reserveValues(0).toArray(ValueLayout.JAVA_BYTE);
                assertArrayEquals(before, after, "the memory of the batch was written to");
            }
        }
    }

    @Test
    default void indicesThatAreNoWholeNumberAreRefused(@TempDir Path folder) throws IOException {
        try (Dataset dataset = openNew(folder, records(2));
                Batch batch = Batch.create(dataset.fields())) {
            MemorySegment odd = MemorySegment.ofArray(new byte[12]);
            assertThrows(IllegalArgumentException.class, () -> dataset.gather(odd, batch));
            assertEquals(0, batch.rowCount());
        }
    }

    @Test
    default void aBatchIsUsedAgainForFewerAndForMoreRecords(@TempDir Path folder) throws IOException {
        List<byte[]> records = records(300);
        try (Dataset dataset = openNew(folder, records);
                Batch batch = Batch.create(dataset.fields())) {
            for (int size : new int[] {50, 3, 300, 0, 1, 299, 0, 20}) {
                long[] indices =
                        LongStream.range(0, size).map(i -> (i * 7) % 300).toArray();
                dataset.gather(indices, batch);
                requireRows(records, indices, batch);
            }
        }
    }

    @Test
    default void aBatchForOtherFieldsIsRefused(@TempDir Path folder) throws IOException {
        try (Dataset dataset = openNew(folder, records(3));
                Batch foreign = Batch.create(List.of(Field.fixed("nothing of ours", ElementType.I16, 3L)))) {
            assertThrows(IllegalArgumentException.class, () -> dataset.gather(new long[] {0}, foreign));
            assertEquals(0, foreign.rowCount());
        }
    }

    @Test
    default void whatADatasetSaysOfItselfHoldsTogether(@TempDir Path folder) throws IOException {
        try (Dataset dataset = openNew(folder, records(3))) {
            assertFalse(dataset.fields().isEmpty());
            assertEquals(dataset.fields().size(), dataset.get(0).values().size());
            assertEquals(0, dataset.get(0).index());
            assertTrue(dataset.get(2).value(0).isReadOnly());
            assertFalse(dataset.format().isEmpty());
            assertTrue(dataset.version() > 0);
            assertTrue(dataset.bytes() > 0);
            assertTrue(dataset.location().path().startsWith(folder));
            assertFalse(dataset.facts().isEmpty());
            assertNotNull(dataset.metadata());
        }
    }

    @Test
    default void theFingerprintIsThatOfTheRecordsAndTheirOrder(@TempDir Path folder) throws IOException {
        List<byte[]> records = records(20);
        String fingerprint = fingerprint(folder, "one", records);
        assertEquals(fingerprint, fingerprint(Files.createDirectory(folder.resolve("elsewhere")), "two", records));
        List<byte[]> changed = new ArrayList<>(records);
        changed.set(7, different(records.get(7)));
        assertNotEquals(fingerprint, fingerprint(folder, "changed", changed));
        List<byte[]> swapped = new ArrayList<>(records);
        Collections.swap(swapped, 7, 8);
        assertNotEquals(fingerprint, fingerprint(folder, "swapped", swapped));
        assertNotEquals(fingerprint, fingerprint(folder, "shorter", records.subList(0, 19)));
    }

    /// A format may not know the answer, but must not give a wrong one.
    @Test
    default void theFingerprintOfTheFirstRecordsIsThatOfADatasetOfThemOrNull(@TempDir Path folder) throws IOException {
        List<byte[]> records = records(20);
        try (Dataset dataset = openNew(folder, records)) {
            assertEquals(dataset.fingerprint(), dataset.fingerprint(20));
            for (int count : new int[] {0, 1, 7, 10, 19}) {
                String before = dataset.fingerprint(count);
                if (before != null) {
                    assertEquals(fingerprint(folder, "first" + count, records.subList(0, count)), before);
                }
            }
            for (long count : new long[] {21, -1, Long.MAX_VALUE, Long.MIN_VALUE}) {
                assertThrows(IndexOutOfBoundsException.class, () -> dataset.fingerprint(count));
            }
        }
    }

    @Test
    default void theLengthIsThatOfTheValue(@TempDir Path folder) throws IOException {
        try (Dataset dataset = openNew(folder, records(50))) {
            for (int i = 0; i < 50; i++) {
                for (int at = 0; at < dataset.fields().size(); at++) {
                    Field field = dataset.fields().get(at);
                    long byteCount = dataset.get(i).value(at).byteSize();
                    assertEquals(byteCount, dataset.length(field, i) * field.itemSize());
                }
            }
            for (Field field : dataset.fields()) {
                for (long index : new long[] {50, -1, Long.MAX_VALUE, Long.MIN_VALUE}) {
                    assertThrows(IndexOutOfBoundsException.class, () -> dataset.length(field, index));
                }
            }
            Field foreign = Field.variable("nothing of ours", ElementType.BYTES);
            assertThrows(IllegalArgumentException.class, () -> dataset.length(foreign, 0));
        }
    }

    @Test
    default void aFullFingerprintCoversEveryRecordAndTheirOrder(@TempDir Path folder) throws IOException {
        List<byte[]> records = new ArrayList<>(records(200));
        String noted = fullFingerprint(folder, "a", records);
        assertEquals(noted, fullFingerprint(folder, "b", records));
        assertNotEquals(noted, fullFingerprint(folder, "shorter", records.subList(0, 199)));
        byte[] changed = records.get(150).clone();
        byte[] kept = records.set(150, changed);
        if (changed.length > 0) {
            changed[changed.length - 1] ^= 1;
            assertNotEquals(noted, fullFingerprint(folder, "changed", records));
        }
        records.set(150, kept);
        Collections.reverse(records);
        assertNotEquals(noted, fullFingerprint(folder, "reversed", records));
    }

    private String fullFingerprint(Path folder, String name, List<byte[]> records) throws IOException {
        Path path = folder.resolve(name);
        write(path, records);
        try (Dataset dataset = open(path)) {
            return dataset.fullFingerprint(Progress.NONE);
        }
    }

    private String fingerprint(Path folder, String name, List<byte[]> records) throws IOException {
        Path path = folder.resolve(name);
        write(path, records);
        try (Dataset dataset = open(path)) {
            String fingerprint = dataset.fingerprint();
            assertEquals(fingerprint, dataset.fingerprint());
            return fingerprint;
        }
    }

    @Test
    default void somethingElseIsTheWrongFormat(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("text");
        Files.writeString(file, "This is no dataset, though it is long enough to be one of any format there is.");
        DatasetException refusal = assertThrows(DatasetException.WrongFormat.class, () -> open(file));
        assertEquals(Location.of(file), refusal.file());
        assertEquals(List.of(), OpenResources.under(folder));
    }

    @Test
    default void whatIsNotThereIsAnErrorOfTheDisk(@TempDir Path folder) {
        assertThrows(IOException.class, () -> open(folder.resolve("absent")));
    }
}
