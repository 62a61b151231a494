// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loaderx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.ElementType;
import dev.penstock.LayoutTables;
import dev.penstock.file.Disk;
import dev.penstock.file.Json;
import dev.penstock.file.Layouts;
import dev.penstock.store.StoreCompression;
import dev.penstock.store.StoreField;
import dev.penstock.store.StoreTypes;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Stores of loaderx 0.5.0, 2.4.0 and 2.8.19 hold what those releases read from them.
final class LoaderxGoldenTest {
    private static List<Map<?, ?>> expected(String release) throws IOException {
        byte[] text = Files.readAllBytes(LoaderxStores.path("expected-" + release + ".json"));
        List<Map<?, ?>> stores = new ArrayList<>();
        for (Object store : (List<?>) Json.parse(text)) {
            stores.add((Map<?, ?>) store);
        }
        return stores;
    }

    private static String sha256(List<byte[]> parts) throws NoSuchAlgorithmException {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        parts.forEach(digest::update);
        return HexFormat.of().formatHex(digest.digest());
    }

    private static List<byte[]> values(String name) throws IOException {
        return LoaderxStores.records(LoaderxStores.path(name)).stream()
                .map(List::getFirst)
                .toList();
    }

    @Test
    void theTablesAreTheLayouts() {
        LayoutTables tables = LayoutTables.of("loaderx/src/main/java/dev/penstock/loaderx/LoaderxFormat.java");
        tables.requireEqual("HEADER_05", LoaderxFormat.HEADER_05);
        tables.requireEqual("ENTRY_05", LoaderxFormat.ENTRY_05);
        tables.requireEqual("HEADER_23", LoaderxFormat.HEADER_23);
        tables.requireEqual("ENTRY_23", LoaderxFormat.ENTRY_23);
        tables.requireNoOther();
    }

    @Test
    void recordsOfRelease05AreTheOriginals() throws Exception {
        int count = 0;
        for (Map<?, ?> store : expected("0.5.0")) {
            if (store.get("records") instanceof List<?> records) {
                List<byte[]> values = values((String) store.get("name"));
                assertEquals(records.size(), values.size());
                for (int i = 0; i < values.size(); i++) {
                    if (records.get(i) instanceof Map<?, ?> digest) {
                        assertEquals(digest.get("sha256"), sha256(List.of(values.get(i))));
                        assertEquals(digest.get("bytes"), (long) values.get(i).length);
                    } else {
                        assertEquals(records.get(i), HexFormat.of().formatHex(values.get(i)));
                    }
                    count++;
                }
            }
        }
        assertTrue(count >= 25, count + " records were compared");
    }

    @Test
    void denseRecordsAreTheOriginals() throws Exception {
        int count = 0;
        for (String release : List.of("2.4.0", "2.8.19")) {
            for (Map<?, ?> store : expected(release)) {
                if (store.get("data_sha256") instanceof String digest) {
                    assertEquals(digest, sha256(values((String) store.get("name"))));
                    count++;
                }
            }
        }
        assertEquals(4, count);
        // The typed store of 0.5 has the same values.
        assertEquals(sha256(values("v28_dense_raw")), sha256(values("v05_dataset")));
    }

    @Test
    void raggedRecordsAreTheOriginals() throws Exception {
        for (String name : List.of("v24_ragged_raw", "v28_ragged_raw")) {
            List<byte[]> values = values(name);
            long[] lengths = {3, 1, 4, 1, 5};
            assertEquals(lengths.length, values.size());
            for (int i = 0; i < lengths.length; i++) {
                byte[] expected = new byte[(int) lengths[i] * Integer.BYTES];
                for (int k = 0; k < lengths[i]; k++) {
                    MemorySegment.ofArray(expected).set(Layouts.U32, (long) k * Integer.BYTES, k);
                }
                assertArrayEquals(expected, values.get(i));
            }
        }
    }

    @Test
    void fieldsAreThoseOfTheSchema() throws IOException {
        Map<String, StoreField> fields = Map.of(
                "v05_raw", StoreField.bytes("x"),
                "v05_dataset", new StoreField("x", "f32", List.of(2L, 2L), StoreCompression.RAW),
                "v24_dense_raw", new StoreField("x", "f32", List.of(2L, 2L), StoreCompression.RAW),
                "v24_ragged_raw", new StoreField("x", "i32", null, StoreCompression.RAW),
                "v28_dense_zstd", new StoreField("x", "u8", List.of(1024L), StoreCompression.RAW),
                "v28_ragged_raw", new StoreField("x", "i32", null, StoreCompression.RAW));
        for (Map.Entry<String, StoreField> field : fields.entrySet()) {
            try (LoaderxStore store = LoaderxStore.open(LoaderxStores.path(field.getKey()), Disk.real())) {
                assertEquals(List.of(field.getValue()), store.fields("x", StoreCompression.RAW));
                long count = store.count();
                assertThrows(IndexOutOfBoundsException.class, () -> store.get(count));
                assertThrows(IndexOutOfBoundsException.class, () -> store.get(-1));
            }
        }
    }

    @Test
    void releasesAreNamed() throws IOException {
        Map<String, String> releases = Map.of(
                "v05_flate", "loaderx 0.5",
                "v24_dense_raw", "loaderx 2.3.3 to 2.8.12",
                "v28_dense_raw", "loaderx 2.8.18 or later");
        for (Map.Entry<String, String> release : releases.entrySet()) {
            try (LoaderxStore store = LoaderxStore.open(LoaderxStores.path(release.getKey()), Disk.real())) {
                assertEquals(release.getValue(), store.release());
            }
        }
    }

    @Test
    void typesHaveSeveralNames() {
        for (String name : List.of("f4", "<f4", "=f4", "f32", "float32")) {
            assertEquals(ElementType.F32, StoreTypes.find(name));
        }
        assertEquals(ElementType.BOOL, StoreTypes.find("|b1"));
        assertEquals(ElementType.BOOL, StoreTypes.find("bool"));
        assertEquals(ElementType.I64, StoreTypes.find("<i8"), "eight bytes, as NumPy has it");
        assertEquals(ElementType.U8, StoreTypes.find("u1"));
        assertEquals(ElementType.U64, StoreTypes.find("u8"), "eight bytes, as NumPy has it");
        assertEquals(ElementType.I8, StoreTypes.find("int8"));
        assertEquals(ElementType.F16, StoreTypes.find("f16"), "NumPy's type of that name is not supported");
        assertTrue(assertThrows(IllegalArgumentException.class, () -> StoreTypes.of("f5"))
                .getMessage()
                .contains("'f5' is not an element type"));
        assertEquals(ElementType.BF16, StoreTypes.find("bfloat16"));
        assertEquals(ElementType.C64, StoreTypes.find("complex64"));
        for (String name : List.of("", "<", ">f4", "f3", "f", "float8_e4m3fn", "i99999999999999999999", "O")) {
            assertEquals(null, StoreTypes.find(name));
        }
    }

    @Test
    void aPathThatIsNoStoreIsToldApart() {
        Path file = LoaderxStores.path("v05_raw").resolve("meta.zr");
        assertThrows(java.nio.file.NotDirectoryException.class, () -> LoaderxStore.open(file, Disk.real()));
    }
}
