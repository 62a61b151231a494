// SPDX-License-Identifier: Apache-2.0
package dev.penstock.convert;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.catalog.Catalog;
import dev.penstock.file.Location;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Sources and targets of other modules.
class SourceKindTest {
    @TempDir
    Path folder;

    private Path toy(String rows) throws IOException {
        return Files.writeString(folder.resolve("numbers.bin"), "TOY\n" + rows);
    }

    @Test
    void recordsOfAnotherModuleConvertBothWays() throws IOException {
        Path source = toy("1 1\n2 4\n3 9");
        ConversionSamples.convert(source, folder.resolve("numbers.npy"), null);
        Conversion.Report report =
                ConversionSamples.convert(folder.resolve("numbers.npy"), folder.resolve("again.toy"), null);
        assertEquals(3, report.records());
        assertEquals(Files.size(source), report.bytes());
        assertEquals(Files.readString(source), Files.readString(folder.resolve("again.toy")));
    }

    @Test
    void targetThatIsNoDatasetIsComparedWithTheSource() throws IOException {
        Path source = toy("1 1\n666 443556");
        ConversionSamples.convert(source, folder.resolve("numbers.npy"), null);
        DatasetException.Corrupt found = assertThrows(
                DatasetException.Corrupt.class,
                () -> ConversionSamples.convert(folder.resolve("numbers.npy"), folder.resolve("again.toy"), null));
        assertTrue(found.getMessage().contains("differs from the source"), found.getMessage());
        assertFalse(Files.exists(folder.resolve("again.toy")));
    }

    @Test
    void choiceIsAppliedWhetherTheKindUsesItOrNot() throws IOException {
        Path source = toy("1 1\n2 4\n3 9");
        RecordChoice squares = RecordChoice.ALL.withFields(List.of("square"));
        for (RecordChoice choice : List.of(squares, squares.withCondition("number >= 2"))) {
            Path target = folder.resolve("chosen" + choice.hashCode() + ".npy");
            ConversionSamples.convert(source, target, null, TargetOptions.DEFAULT, choice);
            try (Dataset chosen = Catalog.open(target)) {
                assertEquals(choice == squares ? 3 : 2, chosen.count());
                assertEquals("square", chosen.fields().getFirst().name());
            }
        }
    }

    @Test
    void openingASourceAsADatasetSaysWhatItIs() throws IOException {
        Path toy = toy("1 1");
        DatasetException.WrongFormat e =
                assertThrows(DatasetException.WrongFormat.class, () -> Catalog.open(Location.of(toy)));
        assertTrue(e.getMessage().contains("this is a toy file; copy it into a dataset with `penstock convert`"));
        Path csv = Files.writeString(folder.resolve("rows.csv"), "a\n1\n");
        e = assertThrows(DatasetException.WrongFormat.class, () -> Catalog.open(csv));
        assertTrue(e.getMessage().contains("this is a CSV file"), e.getMessage());
    }

    @Test
    void contentDecidesBeforeTheName() throws IOException {
        Path toy = Files.move(toy("5 25"), folder.resolve("numbers.csv"));
        assertEquals(
                "a toy file",
                Sources.kind(Location.of(toy), Catalog.Options.DEFAULT)
                        .orElseThrow()
                        .description());
        ConversionSamples.convert(toy, folder.resolve("numbers.npy"), null);
        Path table = Files.move(folder.resolve("numbers.npy"), folder.resolve("table.csv"));
        assertTrue(Sources.kind(Location.of(table), Catalog.Options.DEFAULT).isEmpty());
    }
}
