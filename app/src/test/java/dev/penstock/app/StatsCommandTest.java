// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.pack.PackKind;
import dev.penstock.pack.PackWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Statistics of fields, as a table and as JSON.
final class StatsCommandTest {
    private static final Path GAMES = CommandRun.testdata("pack/packs/games-align4096.a2pack");

    @TempDir
    Path folder;

    private Path pack(String... records) throws IOException {
        Path path = folder.resolve("p" + records.length + ".a2pack");
        try (PackWriter writer = PackWriter.create(path, PackWriter.Options.DEFAULT)) {
            for (String record : records) {
                writer.append(PackKind.OPAQUE, MemorySegment.ofArray(record.getBytes(StandardCharsets.UTF_8)));
            }
        }
        return path;
    }

    @Test
    void jsonIsOneObjectWithTheNamedKeys() throws IOException {
        Path path = pack("a", "bb", "bbb", "");
        CommandRun run = CommandRun.of("stats", path, "--json");
        assertEquals(0, run.exitCode(), run.err());
        assertEquals(
                "{\"path\":\"" + path + "\",\"records\":4,\"fields\":[{\"name\":\"value\",\"type\":\"bytes\","
                        + "\"shape\":[],\"sizes\":true,\"count\":4,\"missing\":0,\"min\":0,\"max\":3,\"mean\":1.5,"
                        + "\"std\":1.118033988749895,\"nonFinite\":0,"
                        + "\"histogram\":{\"start\":0,\"width\":1,\"counts\":[1,1,1,1]}}]}\n",
                run.out());
        assertEquals("", run.err());
    }

    @Test
    void textIsATableWithPictures() throws IOException {
        Path path = pack("a", "bb", "bbb", "bbb");
        assertEquals(path + """
            : 4 records
              field  type         count  non-finite  min  max  mean       std  histogram
              value  bytes sizes      4           0    1    3  2.25  0.829156  |▄▄█|
            """, CommandRun.of("stats", path).out());
    }

    @Test
    void aConditionChoosesTheRecords() throws IOException {
        Path path = pack("a", "bb", "bbb", "c");
        CommandRun run = CommandRun.of("stats", path, "--where", "'b' <= value < 'c'", "--fields", "value");
        assertEquals(0, run.exitCode(), run.err());
        assertTrue(run.out().startsWith(path + ": 2 of 4 records\n"), run.out());
        assertTrue(run.out().contains(" 2    3   2.5  0.5  |██|\n"), run.out());
    }

    @Test
    void nothingIsShownAsNothing() throws IOException {
        Path empty = pack();
        CommandRun run = CommandRun.of("stats", empty);
        assertEquals(0, run.exitCode(), run.err());
        assertTrue(run.out().startsWith(empty + ": 0 records\n"), run.out());
        assertTrue(run.out().endsWith("  0           0    -    -     -    -  -\n"), run.out());
        String none = "\"count\":0,\"missing\":0,\"min\":null,\"max\":null,\"mean\":null,\"std\":null,\"nonFinite\":0,"
                + "\"histogram\":null}]}\n";
        assertTrue(CommandRun.of("stats", empty, "--json").out().endsWith(none));
        Path some = pack("a");
        assertTrue(CommandRun.of("stats", some, "--json", "--where", "value == 'x'")
                .out()
                .endsWith(none));
        assertTrue(CommandRun.of("stats", some, "--where", "value == 'x'").out().contains(": 0 of 1 records\n"));
    }

    @Test
    void whatIsWrongWithTheQuestionIsSaid() throws IOException {
        Path path = pack("a");
        CommandRun run = CommandRun.of("stats", path, "--fields", "value,size");
        assertEquals(2, run.exitCode());
        assertTrue(run.err().startsWith("penstock: there is no field size; the fields are value\n"), run.err());
        run = CommandRun.of("stats", path, "--where", "value = 'a'");
        assertEquals(2, run.exitCode());
        assertEquals("penstock: use == to compare (at character 7: = 'a')\n", run.err());
        run = CommandRun.of("stats", path, "--where", "value == 1");
        assertEquals(2, run.exitCode());
        assertTrue(run.err().contains("cannot be compared with a number"), run.err());
    }

    @Test
    void progressIsDrawnOnlyWhereSomebodyLooks() {
        assertTrue(CommandRun.watched("stats", GAMES).err().contains("\rstats ["));
        assertFalse(CommandRun.of("stats", GAMES).err().contains("\r"));
        assertEquals("", CommandRun.watched("stats", GAMES, "--quiet").err());
    }

    @Test
    void numbersAreShort() {
        assertEquals("-", StatsText.number(null));
        assertEquals("-", StatsText.number(Double.NaN));
        assertEquals("0", StatsText.number(-0.0));
        assertEquals("0.333333", StatsText.number(1 / 3.0));
        assertEquals("123457000", StatsText.number(123456789.0));
        assertEquals("-2.5", StatsText.number(-2.5));
        assertEquals("1E-7", StatsText.number(1e-7));
        assertEquals("1.79769E+308", StatsText.number(Double.MAX_VALUE));
        assertEquals("18446744073709551615", StatsText.number(new BigInteger("18446744073709551615")));
    }

    @Test
    void aPictureHasFewBarsAndShowsEveryBinThatIsNotEmpty() {
        assertEquals("|█|", StatsText.picture(List.of(5L)));
        assertEquals("|▁ █|", StatsText.picture(List.of(1L, 0L, Long.MAX_VALUE / 2)));
        assertEquals("|" + "█".repeat(24) + "|", StatsText.picture(Collections.nCopies(24, 1L)));
        assertEquals(2 + 22, StatsText.picture(Collections.nCopies(128, 1L)).length());
    }
}
