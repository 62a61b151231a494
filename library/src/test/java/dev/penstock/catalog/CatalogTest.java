// SPDX-License-Identifier: Apache-2.0
package dev.penstock.catalog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Batch;
import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.OpenResources;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.TestData;
import dev.penstock.Verification;
import dev.penstock.file.Access;
import dev.penstock.file.Layouts;
import dev.penstock.file.Location;
import dev.penstock.file.MemoryDisk;
import dev.penstock.pack.PackKind;
import dev.penstock.pack.PackReader;
import dev.penstock.pack.PackWriter;
import dev.penstock.query.Where;
import dev.penstock.store.StoreField;
import dev.penstock.store.StoreOptions;
import dev.penstock.store.StoreReader;
import dev.penstock.store.StoreWriter;
import dev.penstock.view.Subset;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// The format of a dataset is recognised by its content. For other files the message names what was found.
class CatalogTest {
    private static final Path GOOD = TestData.path("pack/packs/three-align1.a2pack");

    @TempDir
    Path folder;

    @AfterEach
    void nothingStaysOpen() throws IOException {
        assertEquals(List.of(), OpenResources.under(folder));
    }

    private static Catalog.Options options(Access access) {
        return Catalog.Options.DEFAULT.withAccess(access);
    }

    private static DatasetException refusal(Path path) {
        return assertThrows(
                DatasetException.WrongFormat.class, () -> Catalog.open(path).close());
    }

    @ParameterizedTest
    @EnumSource
    void aPackIsOpenedWhateverItsName(Access access) throws IOException {
        for (String name : new String[] {"pack", "photo.jpg", "numbers.npy", "x.zip"}) {
            Path file = Files.copy(GOOD, folder.resolve(name));
            try (Dataset dataset = Catalog.open(file, options(access))) {
                assertInstanceOf(PackReader.class, dataset);
                assertEquals("pack", dataset.format());
                assertEquals(3, dataset.count());
                assertEquals(Location.of(file), dataset.location());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aStoreIsOpenedAtItsLastCommit(Access access) throws IOException {
        Path path = folder.resolve("store");
        try (StoreWriter store = StoreWriter.create(path, List.of(StoreField.bytes("A")), StoreOptions.DEFAULT)) {
            store.append(List.of("one".getBytes(StandardCharsets.UTF_8)));
            store.commit();
            store.append(List.of("two".getBytes(StandardCharsets.UTF_8)));
            try (Dataset dataset = Catalog.open(path, options(access))) {
                assertInstanceOf(StoreReader.class, dataset);
                assertEquals("store", dataset.format());
                assertEquals(1, dataset.count());
            }
            assertTrue(Catalog.verify(path, options(access), Progress.NONE).isOk());
        }
        try (Dataset dataset = Catalog.open(path, options(access))) {
            assertEquals(2, dataset.count());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "80 04 95 02 00, 'a Python pickle, which is never read because reading one runs code'",
        "53 51 4c 69 74 65 20 66 6f 72 6d 61 74 20 33 00, an SQLite database",
        "1f 8b 08 00, gzip data",
        "28 b5 2f fd 00, Zstandard data",
        "50 41 52 31 15, a Parquet file",
        "41 32 54 31 01 00, a single run of the game 2048"
    })
    void aForeignFormatIsNamed(String start, String what) throws IOException {
        byte[] bytes = HexFormat.ofDelimiter(" ").parseHex(start);
        Path file = Files.write(folder.resolve("foreign.a2pack"), bytes);
        assertEquals(
                file + ": unknown dataset format: this is " + what + " (byte 0)",
                refusal(file).getMessage());
    }

    @Test
    void aZipArchiveIsATableWhateverItsName() throws IOException {
        Path file = folder.resolve("archive");
        try (ZipOutputStream archive = new ZipOutputStream(Files.newOutputStream(file))) {
            archive.putNextEntry(new ZipEntry("notes.txt"));
        }
        assertEquals(
                file + ": this is a zip archive without NumPy arrays: no member has a name that ends in .npy;"
                        + " copy its files into a dataset with `penstock convert` (byte 0)",
                refusal(file).getMessage());
        Path member = file.resolve("rows");
        assertEquals(
                "table",
                Catalog.format(member, Catalog.Options.DEFAULT).orElseThrow().format());
        assertThrows(NoSuchFileException.class, () -> Catalog.open(member));
    }

    @Test
    void unknownFormatsAreBadMagic() throws IOException {
        for (String text : new String[] {"A", "A2PACK", "A2PACK\0x", "a2pack\0\0", "hello, this is some text"}) {
            byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
            Path file = Files.write(folder.resolve("unknown"), bytes);
            DatasetException refusal = refusal(file);
            assertEquals(
                    "unknown dataset format: no known magic number; to open a file of plain numbers, give their type",
                    refusal.what());
            assertEquals(Reason.BAD_MAGIC, refusal.reason());
        }
    }

    @Test
    void anEmptyFileAndAFolderSayWhatTheyAre() throws IOException {
        Path empty = Files.createFile(folder.resolve("empty.a2pack"));
        assertEquals(
                empty + ": unknown dataset format: the file is empty (byte 0)",
                refusal(empty).getMessage());
        assertEquals(
                folder + ": this folder is not a dataset; `penstock pack build` packs its files into one (byte 0)",
                refusal(folder).getMessage());
        Files.createFile(folder.resolve("a.npy"));
        assertEquals(
                folder + ": this folder is not a dataset; to read its .npy files as one table, give the pattern '"
                        + folder.resolve("*.npy") + "' (byte 0)",
                refusal(folder).getMessage());
    }

    @Test
    void whatIsNotThereIsAnErrorOfTheDisk() {
        Path absent = folder.resolve("absent");
        assertThrows(NoSuchFileException.class, () -> Catalog.open(absent));
        assertThrows(NoSuchFileException.class, () -> Catalog.verify(absent, Catalog.Options.DEFAULT, Progress.NONE));
    }

    @ParameterizedTest
    @EnumSource
    void verifyingIsAVerdictAlsoOnWhatCannotBeOpened(Access access) throws IOException {
        Verification good = Catalog.verify(GOOD, options(access), Progress.NONE);
        assertTrue(good.isOk());
        assertEquals(Files.size(GOOD), good.checkedBytes());
        Path cut = Files.write(folder.resolve("cut"), Arrays.copyOf(Files.readAllBytes(GOOD), 300));
        Verification refused = Catalog.verify(cut, options(access), Progress.NONE);
        assertFalse(refused.isOk());
        assertEquals(1, refused.problemCount());
        assertEquals(Reason.CHECKSUM, refused.problems().getFirst().reason());
        assertEquals(Location.of(cut), refused.problems().getFirst().file());
        Path text = Files.writeString(folder.resolve("text"), "no dataset");
        assertEquals(
                Reason.BAD_MAGIC,
                Catalog.verify(text, options(access), Progress.NONE)
                        .problems()
                        .getFirst()
                        .reason());
    }

    @Test
    void verifyingADamagedRecordNamesIt() throws IOException {
        Path file = TestData.path("pack/bad/payload-flip.a2pack");
        Verification verification = Catalog.verify(file, Catalog.Options.DEFAULT, Progress.NONE);
        assertFalse(verification.isOk());
        assertEquals(199, verification.problems().getFirst().offset());
        assertEquals(Reason.CHECKSUM, verification.problems().getFirst().reason());
    }

    @Test
    void theFirstCheckIsRefusedWhereThereAreNoChecksums() throws IOException {
        Catalog.Options checked = Catalog.Options.DEFAULT.withFirstCheck(true);
        Catalog.open(GOOD, checked).close();
        Path unchecked = folder.resolve("unchecked.a2pack");
        try (PackWriter pack = PackWriter.create(unchecked, PackWriter.Options.DEFAULT.withEntryCrc(false))) {
            pack.append(PackKind.OPAQUE, MemorySegment.ofArray(new byte[] {1}));
        }
        Path array = TestData.path("table/be_f8.npy");
        for (Path path : List.of(unchecked, array, TestData.path("tree/files/k16.w1.act"))) {
            IllegalArgumentException refused =
                    assertThrows(IllegalArgumentException.class, () -> Catalog.open(path, checked));
            assertTrue(refused.getMessage().contains("checksum"), refused.getMessage());
            assertTrue(Catalog.verify(path, checked, Progress.NONE).isOk(), "verify needs no checksums");
        }
        assertThrows(IllegalArgumentException.class, checked::shards);
    }

    @Test
    void aTreeIsKnownAsOneAndVerified() throws IOException {
        Path tree = TestData.path("tree/files/k16.w1.act");
        assertTrue(Catalog.isTree(Location.of(tree)));
        assertFalse(Catalog.isTree(Location.of(GOOD)));
        DatasetException refusal = assertThrows(DatasetException.WrongFormat.class, () -> Catalog.open(tree));
        assertTrue(refusal.getMessage().contains("this is a tree"), refusal.getMessage());
        for (Access access : Access.values()) {
            assertTrue(Catalog.verify(tree, options(access), Progress.NONE).isOk());
        }
    }

    /// A format that is registered in a service file works everywhere, on any disk.
    @ParameterizedTest
    @EnumSource
    void aFormatOfAnotherModuleIsOpenedReadAndVerified(Access access) throws IOException {
        Path file = Path.of("/disk/numbers");
        ByteBuffer bytes = ByteBuffer.allocate(4 + 5 * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.put(ToyNumbers.MAGIC);
        for (long number = 0; number < 5; number++) {
            bytes.putLong(number * number);
        }
        Catalog.Options options = options(access).withDisk(new MemoryDisk().put(file, bytes.array()));
        assertEquals("toy", Catalog.format(file, options).orElseThrow().format());
        try (Dataset dataset = Catalog.open(file, options);
                Subset large = Where.select(dataset, "number > 3");
                Batch batch = Batch.create(dataset.fields())) {
            assertEquals(5, dataset.count());
            large.gather(new long[] {1, 0}, batch);
            assertEquals(9, batch.column(0).values().get(Layouts.U64, 0));
            assertEquals(4, batch.column(0).values().get(Layouts.U64, 8));
            assertEquals(32, dataset.fullFingerprint(Progress.NONE).length());
        }
        assertTrue(Catalog.verify(file, options, Progress.NONE).isOk());
        Catalog.Options cut = options.withDisk(new MemoryDisk().put(file, Arrays.copyOf(bytes.array(), 21)));
        assertEquals(
                Reason.TRUNCATED,
                assertThrows(DatasetException.Corrupt.class, () -> Catalog.open(file, cut))
                        .reason());
    }

    @Test
    void everyPathGoesThroughTheDisk() throws IOException {
        Path pack = Path.of("/disk/pack");
        MemoryDisk disk = new MemoryDisk().put(pack, Files.readAllBytes(GOOD));
        Catalog.Options options = options(Access.READ).withDisk(disk);
        try (Dataset dataset = Catalog.open(pack, options)) {
            assertEquals(3, dataset.count());
        }
        Path tree = Path.of("/disk/tree");
        disk.put(tree, Files.readAllBytes(TestData.path("tree/files/k16.w1.act")));
        assertTrue(Catalog.verify(tree, options, Progress.NONE).isOk());
        assertEquals("tree", Catalog.format(tree, options).orElseThrow().format());
        Path absent = Path.of("/disk/absent");
        assertThrows(NoSuchFileException.class, () -> Catalog.open(absent, options));
    }
}
