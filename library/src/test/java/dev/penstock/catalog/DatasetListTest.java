// SPDX-License-Identifier: Apache-2.0
package dev.penstock.catalog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Dataset;
import dev.penstock.OpenResources;
import dev.penstock.Progress;
import dev.penstock.Seeds;
import dev.penstock.file.Location;
import dev.penstock.view.Concat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Several datasets are opened as one, by a list or by a pattern.
@ExtendWith(Seeds.class)
class DatasetListTest {
    @TempDir
    Path folder;

    private final Random random = Seeds.random();

    @AfterEach
    void nothingStaysOpen() throws IOException {
        assertEquals(List.of(), OpenResources.under(folder));
    }

    private Path rows(String name, long count) throws IOException {
        Path path = folder.resolve(name);
        Files.createDirectories(path.getParent());
        return SampleDatasets.floats(path, count, 3, random);
    }

    private static List<String> names(Dataset dataset) {
        return ((Concat) dataset)
                .parts().stream().map(part -> part.location().name()).toList();
    }

    @Test
    void aPatternStandsForAllThatMatchesInTheOrderOfTheBytes() throws IOException {
        for (String name : List.of(
                "day-10.npy", "day-9.npy", "day-\u00e9.npy", "day-Z.npy", "day-a.npy", ".day-x.npy", "night-1.npy")) {
            rows(name, 5);
        }
        try (Dataset days = Catalog.open(folder.resolve("day-*"))) {
            assertEquals(List.of("day-10.npy", "day-9.npy", "day-Z.npy", "day-a.npy", "day-\u00e9.npy"), names(days));
            assertEquals(25, days.count());
            assertEquals(folder.resolve("day-*").toString(), days.location().toString());
        }
        try (Dataset some = Catalog.open(folder.resolve("day-[0-9a]*.npy"))) {
            assertEquals(List.of("day-10.npy", "day-9.npy", "day-a.npy"), names(some));
        }
        try (Dataset one = Catalog.open(folder.resolve("night-?.npy"))) {
            assertInstanceOf(Concat.class, one, "a pattern with one match is still a list");
        }
    }

    @Test
    void foldersMayBePatternsToo() throws IOException {
        rows("a/x.npy", 2);
        rows("b/x.npy", 3);
        Files.createDirectory(folder.resolve("c"));
        try (Dataset all = Catalog.open(folder.resolve("*/x.npy"))) {
            assertEquals(5, all.count());
        }
    }

    @Test
    void theFingerprintDependsOnTheRecordsAndNotOnTheNames() throws IOException {
        Path one = rows("a-1.npy", 7);
        Path two = rows("a-2.npy", 8);
        try (Dataset pattern = Catalog.open(folder.resolve("a-*"));
                Dataset list = Catalog.open(Location.all(List.of(one, two)), Catalog.Options.DEFAULT);
                Dataset turned = Catalog.open(Location.all(List.of(two, one)), Catalog.Options.DEFAULT)) {
            assertEquals(pattern.fingerprint(), list.fingerprint());
            assertTrue(!pattern.fingerprint().equals(turned.fingerprint()));
            rows("a-3.npy", 2);
            try (Dataset later = Catalog.open(folder.resolve("a-*"))) {
                assertTrue(later.hasFingerprint(pattern.fingerprint(), pattern.count()), "it has grown at the end");
            }
            assertTrue(Catalog.verify(folder.resolve("a-*"), Catalog.Options.DEFAULT, Progress.NONE)
                    .isOk());
        }
    }

    @Test
    void aNameWithAsterisksIsOpenedAsItIs() throws IOException {
        rows("a*.npy", 4);
        rows("ab.npy", 5);
        try (Dataset literal = Catalog.open(folder.resolve("a*.npy"))) {
            assertEquals("table", literal.format());
            assertEquals(4, literal.count());
        }
    }

    @Test
    void mistakesAreNamed() throws IOException {
        Path table = rows("a.npy", 4);
        NoSuchFileException none =
                assertThrows(NoSuchFileException.class, () -> Catalog.open(folder.resolve("nothing-*")));
        assertTrue(none.getMessage().contains("no file or folder matches this pattern"), none.getMessage());
        Path store = SampleDatasets.store(folder.resolve("s"), 3, random);
        assertRefused("field value of " + table + " is missing in " + store, List.of(table, store));
        assertRefused("the list of datasets is empty", List.of());
        Path wide = SampleDatasets.floats(folder.resolve("wide.npy"), 2, 9, random);
        assertRefused("field value is f32 [3] in " + table + ", but f32 [9] in " + wide, List.of(table, wide));
        assertThrows(
                NoSuchFileException.class,
                () -> Catalog.open(Location.all(List.of(table, folder.resolve("absent"))), Catalog.Options.DEFAULT));
        assertThrows(IllegalArgumentException.class, () -> Catalog.open(folder.resolve("[a")));
    }

    private static void assertRefused(String message, List<Path> paths) {
        IllegalArgumentException error = assertThrows(
                IllegalArgumentException.class, () -> Catalog.open(Location.all(paths), Catalog.Options.DEFAULT));
        assertTrue(error.getMessage().contains(message), error.getMessage());
    }
}
