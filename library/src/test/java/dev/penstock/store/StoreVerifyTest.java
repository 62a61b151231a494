// SPDX-License-Identifier: Apache-2.0
package dev.penstock.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.ElementType;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.Verification;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What `verify` reports about a store, and how the metadata of other programs is read.
class StoreVerifyTest {
    private static final String PLAIN = """
            {"length": 0, "chunks": {"num": 0, "size": 8, "unfull": []}, %s
             "fields": [{"name": "A", "compress": "raw" %s}]}
            """;

    @TempDir
    Path folder;

    private Path store;

    @BeforeEach
    void create() {
        store = folder.resolve("store");
    }

    private Verification verify() throws IOException {
        try (StoreReader reader = StoreReader.open(store)) {
            return reader.verify(Progress.NONE);
        }
    }

    private void writePlain(String key, String member) throws IOException {
        Files.createDirectories(store.resolve("chunk"));
        Files.write(store.resolve("A.offset"), new byte[0]);
        Files.writeString(store.resolve("meta.json"), PLAIN.formatted(key, member));
    }

    @Test
    void garbageIsNoProblem() throws IOException {
        List<StoreField> fields = List.of(StoreField.bytes("A"), StoreField.bytes("B"));
        try (StoreWriter writer = StoreWriter.create(store, fields, StoreOptions.DEFAULT.withChunkRows(4))) {
            for (int i = 0; i < 8; i++) {
                writer.append(List.of(new byte[] {1}, new byte[] {2}));
            }
            writer.commit();
            for (int i = 0; i < 8; i++) {
                writer.update(i, "A", new byte[] {3});
                writer.update(i, "B", null);
            }
        }
        assertEquals(List.of(), verify().problems(), "chunks in which all values are garbage");
        StoreSchema.dropField(store, "A", StoreOptions.DEFAULT);
        assertEquals(List.of(), verify().problems(), "all chunks are garbage");
    }

    @Test
    void filesThatAreNoPartOfTheStoreAreWarnings() throws IOException {
        List<StoreField> fields = List.of(StoreField.bytes("A"));
        try (StoreWriter writer = StoreWriter.create(store, fields, StoreOptions.DEFAULT)) {
            writer.append(List.of(new byte[] {1}));
        }
        Files.write(store.resolve("chunk/77.zr"), new byte[8]);
        Files.write(store.resolve("chunk/notes.txt"), new byte[8]);
        Verification found = verify();
        assertTrue(found.isOk());
        assertEquals(
                List.of("77.zr", "notes.txt"),
                found.problems().stream()
                        .map(problem -> problem.file().name())
                        .sorted()
                        .toList());
        assertTrue(
                found.problems().stream().allMatch(problem -> problem.reason().equals(Reason.UNLISTED_SHARD)));
    }

    @Test
    void anotherVersionIsNotDamage() throws IOException {
        writePlain("\"version\": 2,", "");
        DatasetException.UnsupportedVersion refused =
                assertThrows(DatasetException.UnsupportedVersion.class, () -> StoreReader.open(store));
        assertTrue(refused.getMessage().contains("version 2 is not supported; this program reads version 1"));
    }

    @Test
    void theMessageAboutBadJsonIsPlain() throws IOException {
        writePlain("", "");
        Files.writeString(store.resolve("meta.json"), "{\"length\": 3");
        String message = assertThrows(DatasetException.Corrupt.class, () -> StoreReader.open(store))
                .getMessage();
        assertTrue(message.contains("Unexpected end-of-input: expected close marker for Object"), message);
        assertTrue(!message.contains("REDACTED") && !message.contains("StreamReadFeature"), message);
    }

    @Test
    void typesHaveTheNamesOfTheDesignOrOfNumPy() throws IOException {
        String[][] names = {{"f32", "F32"}, {"i8", "I8"}, {"u8", "U8"}, {"float32", "F32"}, {"<i8", "I64"}};
        for (String[] name : names) {
            writePlain("", ", \"dtype\": \"" + name[0] + "\"");
            try (StoreReader reader = StoreReader.open(store)) {
                assertEquals(
                        ElementType.valueOf(name[1]), reader.fields().getFirst().type());
            }
        }
    }

    @Test
    void aShapeThatNoValueCanHaveIsDamage() throws IOException {
        writePlain("", ", \"dtype\": \"f32\", \"shape\": [1099511627776]");
        String message = assertThrows(DatasetException.Corrupt.class, () -> StoreReader.open(store))
                .getMessage();
        assertTrue(message.contains("a value has at most 1073741824 bytes"), message);
    }

    @Test
    void namesOfDevicesAreForExistingStoresOnly() throws IOException {
        List<StoreField> fields = List.of(StoreField.bytes("aux"));
        assertThrows(IllegalArgumentException.class, () -> StoreWriter.create(store, fields, StoreOptions.DEFAULT));
        writePlain("", "");
        Files.move(store.resolve("A.offset"), store.resolve("aux.offset"));
        Files.writeString(store.resolve("meta.json"), PLAIN.formatted("", "").replace("\"A\"", "\"aux\""));
        try (StoreReader reader = StoreReader.open(store)) {
            assertEquals("aux", reader.fields().getFirst().name());
        }
    }
}
