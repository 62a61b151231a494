// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import static dev.penstock.convert.ConversionSamples.content;
import static dev.penstock.convert.ConversionSamples.convert;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.ElementType;
import dev.penstock.Progress;
import dev.penstock.Seeds;
import dev.penstock.catalog.Catalog;
import dev.penstock.catalog.SampleDatasets;
import dev.penstock.file.Location;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Data that a format cannot hold is refused with a message that says what to do, and no file is left behind.
@ExtendWith(Seeds.class)
class ConversionRefusalTest {
    @TempDir
    Path folder;

    private final Random random = Seeds.random();

    @AfterEach
    void nothingUnfinishedIsLeft() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(
                    List.of(),
                    files.filter(file -> file.toString().endsWith(".converting"))
                            .toList());
        }
    }

    private void assertRefused(String message, Path source, String target, String format, TargetOptions options) {
        assertRefused(message, source, target, format, options, RecordChoice.ALL);
    }

    private void assertRefused(
            String message, Path source, String target, String format, TargetOptions options, RecordChoice choice) {
        IllegalArgumentException error = assertThrows(
                IllegalArgumentException.class, () -> convert(source, folder.resolve(target), format, options, choice));
        assertTrue(error.getMessage().contains(message), error.getMessage());
        assertTrue(Files.notExists(folder.resolve(target)));
    }

    @Test
    void theFormatOfTheTargetHasToBeSaid() throws IOException {
        Path rows = SampleDatasets.floats(folder.resolve("rows.npy"), 3, 2, random);
        assertRefused("parquet, shards, store, table", rows, "x", null, TargetOptions.DEFAULT);
        assertRefused("cannot be converted to the format zarr", rows, "x", "zarr", TargetOptions.DEFAULT);
        assertRefused(
                "has the extension of a table and is to become a store", rows, "x.npy", "store", TargetOptions.DEFAULT);
    }

    @Test
    void errorsNameTheTargetAndNotTheFolderOfTheConversion() throws IOException {
        Path rows = SampleDatasets.floats(folder.resolve("rows.npy"), 3, 2, random);
        Path missing = folder.resolve("missing");
        NoSuchFileException none = assertThrows(
                NoSuchFileException.class,
                () -> convert(rows, missing.resolve("x.npy"), null, TargetOptions.DEFAULT, RecordChoice.ALL));
        assertEquals(missing.toString(), none.getFile());
        FileSystemException through = assertThrows(
                FileSystemException.class,
                () -> convert(rows, rows.resolve("x.npy"), null, TargetOptions.DEFAULT, RecordChoice.ALL));
        assertEquals(rows.resolve("x.npy") + ": Not a directory", through.getMessage());
    }

    @Test
    void recordsThatDoNotFitAreRefused() throws IOException {
        Path store = SampleDatasets.store(folder.resolve("s"), 20, random);
        TargetOptions usual = TargetOptions.DEFAULT;
        assertRefused("has the fields x, y; choose one, such as x", store, "t.a2pack", null, usual);
        assertRefused("a row of shards has a single field", store, "t", "shards", usual);
        assertRefused("the size varies: y; choose other fields", store, "t.npy", null, usual);
        assertRefused("has no field z", store, "t", "store", usual, RecordChoice.ALL.withFields(List.of("z")));
        RecordChoice x = RecordChoice.ALL.withFields(List.of("x"));
        assertRefused("convert it to f32", store, "t", "shards", usual, x);
        assertRefused("converted to f16, bf16, f32 or f64", store, ElementType.I8);
        RecordChoice y = RecordChoice.ALL.withFields(List.of("y"));
        assertRefused("record 3 of " + store + " has no value of field y", store, "t.a2pack", null, usual, y);
    }

    private static void assertRefused(String message, Path store, ElementType dtype) {
        IllegalArgumentException error =
                assertThrows(IllegalArgumentException.class, () -> TargetOptions.DEFAULT.withCast(dtype));
        assertTrue(error.getMessage().contains(message), error.getMessage());
    }

    @Test
    void optionsOfAnotherFormatAreRefused() throws IOException {
        Path rows = SampleDatasets.floats(folder.resolve("rows.npy"), 3, 2, random);
        TargetOptions usual = TargetOptions.DEFAULT;
        assertRefused(
                "a store does not support this option: an alignment", rows, "t", "store", usual.withAlignment(8L));
        assertRefused(
                "a pack does not support this option: rows of a shard",
                rows,
                "t.a2pack",
                null,
                usual.withShards(1L, null));
        assertRefused(
                "a single .npy file does not support this option", rows, "t.npy", null, usual.withShards(1L, null));
        assertRefused(
                "the compression of a pack must be none, zstd or lz4",
                rows,
                "t.a2pack",
                null,
                usual.withCompression("gzip", null));
        assertRefused("compression gzip is not known", rows, "t", "store", usual.withCompression("gzip", null));
    }

    @Test
    void emptyShardsAreRefused() throws IOException {
        Path rows = SampleDatasets.floats(folder.resolve("rows.npy"), 0, 2, random);
        assertRefused("shards without rows cannot be read", rows, "t", "shards", TargetOptions.DEFAULT);
    }

    @Test
    void anExistingTargetIsReplacedOnlyOnRequest() throws IOException {
        Path one = SampleDatasets.floats(folder.resolve("one.npy"), 30, 2, random);
        Path other = SampleDatasets.floats(folder.resolve("other.npy"), 40, 3, random);
        TargetOptions replacing = TargetOptions.DEFAULT.withReplacing(true);
        for (List<String> target : List.of(
                List.of("a.npy", "table"), List.of("b", "table"), List.of("c", "shards"), List.of("d", "store"))) {
            Path path = folder.resolve(target.getFirst());
            convert(one, path, target.getLast());
            assertThrows(FileAlreadyExistsException.class, () -> convert(other, path, target.getLast()));
            assertEquals(content(one), content(path));
            convert(other, path, target.getLast(), replacing, RecordChoice.ALL);
            assertEquals(content(other), content(path));
        }
        // A folder becomes a dataset of another format.
        convert(one, folder.resolve("d"), "table", replacing, RecordChoice.ALL);
        assertEquals(content(one), content(folder.resolve("d")));
    }

    @Test
    void aFileIsConvertedInPlaceAndAFolderIsNot() throws IOException {
        Path rows = SampleDatasets.floats(folder.resolve("rows.npy"), 30, 2, random);
        TargetOptions replacing = TargetOptions.DEFAULT.withReplacing(true);
        convert(rows, rows, null, replacing.withCast(ElementType.F16), RecordChoice.ALL);
        convert(rows, folder.resolve("t"), "table");
        IllegalArgumentException error = assertThrows(
                IllegalArgumentException.class,
                () -> convert(folder.resolve("t"), folder.resolve("t"), "table", replacing, RecordChoice.ALL));
        assertTrue(error.getMessage().contains("cannot be converted in place"), error.getMessage());
        List<Path> both = List.of(rows, folder.resolve("./t"));
        try (RecordSource merged =
                Sources.of(Catalog.open(Location.all(both), Catalog.Options.DEFAULT), RecordChoice.ALL)) {
            Conversion conversion = Conversion.of(merged, folder.resolve("t"), "table", replacing);
            assertThrows(IllegalArgumentException.class, () -> conversion.run(Progress.NONE, Progress.NONE));
        }
    }

    @Test
    void aFolderWithOtherFilesIsNeverReplaced() throws IOException {
        Path rows = SampleDatasets.floats(folder.resolve("rows.npy"), 30, 2, random);
        Path target = folder.resolve("t");
        convert(rows, target, "table");
        Files.writeString(target.resolve("notes.txt"), "mine");
        FileAlreadyExistsException error = assertThrows(
                FileAlreadyExistsException.class,
                () -> convert(rows, target, "table", TargetOptions.DEFAULT.withReplacing(true), RecordChoice.ALL));
        assertTrue(error.getMessage().contains("it has the file notes.txt"), error.getMessage());
        assertTrue(Files.exists(target.resolve("notes.txt")));
        Path plain = Files.createDirectory(folder.resolve("plain"));
        Files.writeString(plain.resolve("a"), "mine");
        assertThrows(
                FileAlreadyExistsException.class,
                () -> convert(rows, plain, "table", TargetOptions.DEFAULT.withReplacing(true), RecordChoice.ALL));
    }
}
