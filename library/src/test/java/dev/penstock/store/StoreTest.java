// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.ElementType;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.file.Disk;
import dev.penstock.file.Layouts;
import dev.penstock.file.MemoryDisk;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Changes of a store, and calls that it refuses.
class StoreTest {
    private static final List<StoreField> FIELDS = List.of(
            new StoreField("x", "f32", List.of(2L), StoreCompression.RAW),
            new StoreField("text", "utf8", null, StoreCompression.ZSTD),
            StoreField.bytes("raw"));

    private final MemoryDisk disk = new MemoryDisk().addFolder(StoreModel.FOLDER);
    private final StoreOptions options = StoreOptions.DEFAULT.withDisk(disk);

    private StoreWriter create(List<StoreField> fields) throws IOException {
        return StoreWriter.create(StoreModel.STORE, fields, options);
    }

    private static byte[] bytes(String text) {
        return text.getBytes();
    }

    @Test
    void theBytesOfAnEntryAreThoseOfTheLayout() {
        byte[] bytes = new byte[16];
        new StoreEntry(7, 0x123456789AL, 511).write(MemorySegment.ofArray(bytes), 0);
        assertEquals("070000009a78563412000000ff010000", HexFormat.of().formatHex(bytes));
        assertEquals(new StoreEntry(7, 0x123456789AL, 511), StoreEntry.read(MemorySegment.ofArray(bytes), 0));
    }

    @Test
    void recordsAreTypedAndMayLackFields() throws IOException {
        try (StoreWriter store = create(FIELDS)) {
            store.append(Arrays.asList(new byte[8], bytes("hello"), null));
            store.append(Arrays.asList(null, new byte[0], bytes("raw")));
            assertNull(store.get(0, "raw"));
            assertArrayEquals(bytes("hello"), store.get(0, "text"));
        }
        try (StoreReader reader = StoreReader.open(StoreModel.STORE, disk);
                Batch batch = Batch.create(reader.fields())) {
            assertEquals(
                    List.of(
                            Field.fixed("x", ElementType.F32, 2L),
                            Field.variable("text", ElementType.UTF8),
                            Field.variable("raw", ElementType.BYTES)),
                    reader.fields());
            reader.gather(new long[] {1, 0, 1}, batch);
            assertArrayEquals(new byte[] {1, 0, 1}, batch.column(0).missing().toArray(Layouts.U8));
            assertFalse(batch.column(1).hasMissing(), "an empty text is not missing");
            assertArrayEquals(bytes("hello"), batch.column(1).value(1).toArray(Layouts.U8));
            assertArrayEquals(new byte[] {0, 1, 0}, batch.column(2).missing().toArray(Layouts.U8));
            assertTrue(reader.verify(Progress.NONE).isOk());
            assertThrows(IndexOutOfBoundsException.class, () -> reader.gather(new long[] {2}, batch));
        }
    }

    @Test
    void aSnapshotStaysAsItIs() throws IOException {
        try (StoreWriter store = create(List.of(StoreField.bytes("A")))) {
            store.append(List.of(bytes("one")));
            store.commit();
            try (StoreReader before = store.snapshot()) {
                store.update(0, "A", bytes("two"));
                store.append(List.of(bytes("three")));
                assertEquals(List.of("'one'"), StoreModel.read(before), "not committed");
                store.checkpoint();
                store.delete(0);
                store.checkpoint();
                assertEquals(List.of("'one'"), StoreModel.read(before));
            }
            try (StoreReader after = store.snapshot()) {
                assertEquals(List.of("deleted", "'three'"), StoreModel.read(after));
            }
        }
    }

    @Test
    void aBatchThatIsRolledBackLeavesNothing() throws IOException {
        try (StoreWriter store = create(List.of(StoreField.bytes("A")))) {
            store.append(List.of(bytes("one")));
            store.commit();
            store.append(List.of(bytes("two")));
            store.update(0, "A", null);
            store.rollback();
            assertEquals(1, store.count());
        }
        assertEquals(List.of("'one'"), StoreModel.read(disk));
    }

    @Test
    void deletingMovesTheLastRecordWhereThatWasChosen() throws IOException {
        StoreOptions swapping = options.withSwapping(true);
        try (StoreWriter store = StoreWriter.create(StoreModel.STORE, List.of(StoreField.bytes("A")), swapping)) {
            for (String text : List.of("a", "b", "c")) {
                store.append(List.of(bytes(text)));
            }
            assertEquals(2, store.delete(0));
            assertEquals(-1, store.delete(1));
            assertEquals(1, store.count());
        }
        assertEquals(List.of("'c'"), StoreModel.read(disk));
        assertEquals(List.of("'c'"), StoreModel.readPlain(disk).state());
    }

    @Test
    void whatDoesNotFitIsRefused() throws IOException {
        try (StoreWriter store = create(FIELDS)) {
            assertThrows(IllegalArgumentException.class, () -> store.append(List.of(new byte[8])));
            assertThrows(IllegalArgumentException.class, () -> store.append(Arrays.asList(new byte[7], null, null)));
            store.append(Arrays.asList(new byte[8], null, null));
            assertThrows(IllegalArgumentException.class, () -> store.update(0, "y", null));
            assertThrows(IndexOutOfBoundsException.class, () -> store.update(1, "x", null));
            store.delete(0);
            IllegalArgumentException error =
                    assertThrows(IllegalArgumentException.class, () -> store.update(0, "x", null));
            assertEquals("record 0 was deleted", error.getMessage());
            assertThrows(IllegalArgumentException.class, () -> store.delete(0));
        }
        assertThrows(FileAlreadyExistsException.class, () -> create(FIELDS));
        assertThrows(NoSuchFileException.class, () -> StoreReader.open(Path.of("/data/none"), disk));
        for (String name : List.of("", "a/b", "..", ".x", "meta", "x".repeat(65))) {
            assertThrows(IllegalArgumentException.class, () -> StoreField.bytes(name), name);
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> StoreMeta.requireFields(List.of(StoreField.bytes("a"), StoreField.bytes("A"))));
    }

    @Test
    void aSecondWriterIsToldWhoHoldsTheStore(@TempDir Path folder) throws IOException {
        Path path = folder.resolve("store");
        StoreOptions real = StoreOptions.DEFAULT;
        try (StoreWriter store = StoreWriter.create(path, List.of(StoreField.bytes("A")), real)) {
            store.append(List.of(bytes("one")));
            store.commit();
            FileSystemException error = assertThrows(FileSystemException.class, () -> StoreWriter.open(path, real));
            assertTrue(error.getMessage().contains("is being written by process"), error.getMessage());
            try (StoreReader reader = StoreReader.open(path, Disk.real())) {
                assertEquals(List.of("'one'"), StoreModel.read(reader));
            }
        }
        StoreWriter.open(path, real).close();
    }

    /// Frames of many changes are read in pieces, and a commit of very many takes several frames.
    @Test
    void largeCommitsAreRecovered() throws IOException {
        StoreWriter store = create(List.of(StoreField.bytes("A"), StoreField.bytes("B")));
        List<Integer> counts = List.of(5000, 5000, 40_000, 3);
        for (int count : counts) {
            for (int i = 0; i < count; i++) {
                store.append(Arrays.asList(bytes("" + store.count()), null));
            }
            store.commit();
        }
        store.abort();
        try (StoreReader reader = StoreReader.open(StoreModel.STORE, disk)) {
            assertEquals(50_003, reader.count());
            assertArrayEquals(bytes("50002"), reader.get(50_002).value(0).toArray(Layouts.U8));
        }
        try (StoreWriter again = StoreWriter.open(StoreModel.STORE, options)) {
            assertArrayEquals(bytes("31415"), again.get(31_415, "A"));
            again.append(Arrays.asList(null, bytes("last")));
        }
        try (StoreReader reader = StoreReader.open(StoreModel.STORE, disk)) {
            assertEquals(50_004, reader.count());
            assertTrue(reader.verify(Progress.NONE).isOk());
        }
    }
}
