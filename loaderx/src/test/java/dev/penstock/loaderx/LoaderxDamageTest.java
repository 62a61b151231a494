// SPDX-License-Identifier: Apache-2.0
package dev.penstock.loaderx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.Reason;
import dev.penstock.TestData;
import dev.penstock.file.Layouts;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Damaged stores, and those of other releases, end in a typed error or in records within their limits.
@Tag("full")
final class LoaderxDamageTest {
    @TempDir
    Path folder;

    /// Most of a page is zeros that are never read.
    private static boolean isWorthwhile(int position, int size) {
        return TestData.isLong()
                || position < 40
                || position > 4080
                || size < 1024
                || (position > 2050 && position < 2110);
    }

    /// All bits of the header, and otherwise one bit of each byte.
    private static boolean isWorthwhile(int position, int bit, int size) {
        return isWorthwhile(position, size) && (TestData.isLong() || position < 16 || position % 8 == bit);
    }

    /// A new file each time: some file systems write a file to the disk at once when it is emptied and filled
    /// again.
    private static void replace(Path file, byte[] bytes) throws IOException {
        Files.delete(file);
        Files.write(file, bytes);
    }

    /// @return whether all records could be read
    private static boolean isReadable(Path store) throws IOException {
        try {
            for (List<byte[]> record : LoaderxStores.records(store)) {
                assertTrue(record.getFirst().length <= 4096, "no golden record has more");
            }
            return true;
        } catch (DatasetException e) {
            assertTrue(e.getMessage().contains(store.toString()), e.getMessage());
            return false;
        }
    }

    @Test
    void truncationsAreRefused() throws IOException {
        for (Path golden : LoaderxStores.all()) {
            Path store = LoaderxStores.copy(golden, folder);
            for (Path file : LoaderxStores.files(store)) {
                byte[] bytes = Files.readAllBytes(file);
                for (int size = 0; size < bytes.length; size++) {
                    if (isWorthwhile(size, bytes.length)) {
                        replace(file, Arrays.copyOf(bytes, size));
                        // The last byte is the end of a line.
                        boolean isUnused = file.endsWith("schema.json") && size == bytes.length - 1;
                        assertTrue(!isReadable(store) || isUnused, file + " cut to " + size + " bytes");
                    }
                }
                Files.write(file, bytes);
            }
        }
    }

    @Test
    void flippedBitsNeverDoMoreThanChangeRecords() throws IOException {
        long refusedCount = 0;
        for (Path golden : LoaderxStores.all()) {
            Path store = LoaderxStores.copy(golden, folder);
            for (Path file : LoaderxStores.files(store)) {
                byte[] bytes = Files.readAllBytes(file);
                for (int position = 0; position < bytes.length; position++) {
                    for (int bit = 0; bit < 8; bit++) {
                        if (isWorthwhile(position, bit, bytes.length)) {
                            bytes[position] ^= (byte) (1 << bit);
                            replace(file, bytes);
                            bytes[position] ^= (byte) (1 << bit);
                            refusedCount += isReadable(store) ? 0 : 1;
                        }
                    }
                }
                Files.write(file, bytes);
            }
        }
        assertTrue(refusedCount > 1000, refusedCount + " were refused");
    }

    @Test
    void missingFilesAreNamed() throws IOException {
        Path store = LoaderxStores.copy(LoaderxStores.path("v24_dense_raw"), folder);
        Files.delete(store.resolve("data_1.zr"));
        DatasetException e = assertThrows(DatasetException.Corrupt.class, () -> LoaderxStores.records(store));
        assertEquals(Reason.MISSING_SHARD, e.reason());
        assertTrue(e.getMessage().contains("data_1.zr"), e.getMessage());
    }

    private Path store(String name, byte[] meta) throws IOException {
        Path store = Files.createDirectories(folder.resolve(name));
        Files.write(store.resolve("meta.zr"), meta);
        return store;
    }

    private static byte[] header(int version) {
        byte[] meta = new byte[64];
        System.arraycopy("ZREC".getBytes(StandardCharsets.US_ASCII), 0, meta, 0, 4);
        MemorySegment.ofArray(meta).set(Layouts.U16, 4, (short) version);
        return meta;
    }

    private void requireRefused(String release, Path store, String... files) throws IOException {
        for (String file : files) {
            Files.write(store.resolve(file), new byte[16]);
        }
        DatasetException e =
                assertThrows(DatasetException.UnsupportedVersion.class, () -> LoaderxStores.records(store));
        assertTrue(e.getMessage().contains("written by " + release), e.getMessage());
        assertEquals(Reason.UNSUPPORTED_VERSION, e.reason());
    }

    @Test
    void otherReleasesAreRefusedByName() throws IOException {
        requireRefused("loaderx 0.7.3 to 0.9.17", store("a", header(3)), "0.zr");
        requireRefused("loaderx 1.0.0", store("b", header(1)), "0.zr", "dict.zr");
        requireRefused("loaderx 1.0.0", store("b2", header(1)), "0.zr", "schema.msgpack");
        requireRefused("loaderx 1.1.0 to 1.4.2", store("c", header(0x0002)), "0.zr", "schema.msgpack");
        requireRefused("loaderx 1.1.0 to 1.4.2", store("c2", header(0x0102)), "0.zr", "schema.msgpack");
        requireRefused("an unknown release of loaderx, with version 9", store("c3", header(9)), "0.zr");
        requireRefused("loaderx 1.5.2 to 1.8.6", store("d", header(5)), "0.loc", "0.chunk");
        requireRefused("loaderx 1.5.2 to 1.8.6", store("e", new byte[32]), "0.loc", "0.chunk", "store.zr");
        requireRefused("loaderx 1.9.6 to 1.9.7", store("f", new byte[32]), "data.zr", "store.zr");
        requireRefused("loaderx 1.10.2 to 2.2.1", store("g", new byte[4096]), "data.zr");
        Path unknown = store("h", new byte[64]);
        assertThrows(DatasetException.WrongFormat.class, () -> LoaderxStores.records(unknown));
        Path none = Files.createDirectories(folder.resolve("none"));
        assertThrows(DatasetException.WrongFormat.class, () -> LoaderxStores.records(none));
    }

    /// A store of 0.5 with one record of codec 1.
    private Path compressed(String name, byte[] stored, int logicalSize) throws IOException {
        byte[] meta = Arrays.copyOf(header(1), 32);
        MemorySegment bytes = MemorySegment.ofArray(meta);
        bytes.set(Layouts.U32, 8, stored.length);
        bytes.set(Layouts.U32, 12, 1);
        bytes.set(Layouts.U32, 20, stored.length);
        bytes.set(Layouts.U32, 24, logicalSize);
        meta[30] = 1;
        Path store = store(name, meta);
        Files.write(store.resolve("0.zr"), stored);
        return store;
    }

    @Test
    void zstandardUnderTheNumberOfDeflateIsRecognised() throws IOException {
        byte[] frame = {0x28, (byte) 0xB5, 0x2F, (byte) 0xFD, 0, 0, 1, 0, 0};
        requireRefused("loaderx 1.0.0", compressed("zstd", frame, 5));
    }

    private static byte[] deflated(int size) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DeflaterOutputStream stream = new DeflaterOutputStream(bytes, new Deflater(9, true))) {
            stream.write(new byte[size]);
        }
        return bytes.toByteArray();
    }

    @Test
    void bombsAreRefusedBeforeTheyExpand() throws IOException {
        byte[] bomb = deflated(64 << 20);
        // The size in the entry is too small, larger than the bytes can expand to, and beyond the limit.
        for (int size : new int[] {5, bomb.length * 2000, -1}) {
            Path store = compressed("bomb" + size, bomb, size);
            DatasetException e = assertThrows(DatasetException.class, () -> LoaderxStores.records(store));
            assertEquals(size == -1 ? Reason.SIZE_OVERFLOW : Reason.BAD_COMPRESSION, e.reason());
        }
    }

    @Test
    void aDictionaryIsRefused() throws IOException {
        Path store = LoaderxStores.copy(LoaderxStores.path("v28_dense_zstd"), folder);
        byte[] meta = Files.readAllBytes(store.resolve("meta.zr"));
        meta[11] = 2;
        Files.write(store.resolve("meta.zr"), meta);
        DatasetException e =
                assertThrows(DatasetException.UnsupportedVersion.class, () -> LoaderxStores.records(store));
        assertTrue(e.getMessage().contains("dictionary"), e.getMessage());
    }

    @Test
    void shapesOfSeveralDimensionsBecomeAField() throws IOException {
        byte[] record = new byte[2 * 4 + 6];
        MemorySegment.ofArray(record).set(Layouts.U32, 0, 2);
        MemorySegment.ofArray(record).set(Layouts.U32, 4, 3);
        byte[] schema = "{\"dtype\": \"uint8\", \"ndim\": 2}".getBytes(StandardCharsets.US_ASCII);
        byte[] meta = new byte[4096 + 16];
        MemorySegment bytes = MemorySegment.ofArray(meta);
        bytes.set(Layouts.U64, 0, 1);
        bytes.set(Layouts.U16, 8, (short) schema.length);
        meta[10] = 1;
        bytes.set(Layouts.U64, 16, record.length);
        System.arraycopy(schema, 0, meta, 2056, schema.length);
        bytes.set(Layouts.U32, 4096 + 8, record.length);
        bytes.set(Layouts.U32, 4096 + 12, record.length);
        Path store = store("shapes", meta);
        Files.write(store.resolve("data_0.zr"), record);
        List<byte[]> values = LoaderxStores.records(store).getFirst();
        assertEquals(2, values.size());
        assertEquals(6, values.getFirst().length);
        assertEquals(3, MemorySegment.ofArray(values.getLast()).get(Layouts.U64, 8));
    }
}
