// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Dataset;
import dev.penstock.catalog.Catalog;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What cannot be read is left out and listed, or the command says that it cannot do so.
final class LeftOutTest {
    private static final int ROW_COUNT = 1000;

    @TempDir
    Path folder;

    private Path file(String name, String text) throws IOException {
        return Files.write(folder.resolve(name), text.getBytes(StandardCharsets.ISO_8859_1));
    }

    private Path target(Path source) {
        return folder.resolve(source.getFileName() + ".npy");
    }

    /// Converts, and returns what was left out.
    private List<String> leftOut(Path source, String... words) throws IOException {
        Path target = target(source);
        Object[] command = {"convert", source, target, "--on-error", "skip", "--overwrite"};
        Object[] all = new Object[command.length + words.length];
        System.arraycopy(command, 0, all, 0, command.length);
        System.arraycopy(words, 0, all, command.length, words.length);
        CommandRun run = CommandRun.of(all);
        assertEquals(0, run.exitCode(), run.err());
        return Files.readAllLines(folder.resolve(target.getFileName() + ".left-out.jsonl"));
    }

    private void assertRecords(long count, Path source) throws IOException {
        try (Dataset made = Catalog.open(target(source))) {
            assertEquals(count, made.count());
        }
    }

    private static void assertLines(List<String> left, String... expected) {
        assertEquals(expected.length, left.size(), left.toString());
        for (int i = 0; i < expected.length; i++) {
            assertTrue(left.get(i).contains(expected[i]), left.get(i));
        }
    }

    @Test
    void badLinesOfCsvAreLeftOut() throws IOException {
        Path csv = file("x.csv", "n,t\n1,a\n2\n3,\u00ff\nx,d\n,e\n5,f\n");
        assertLines(
                leftOut(csv, "--field", "n:i4"),
                "line 3\",\"field\":null,\"what\":\"it has 1 values",
                "line 4\",\"field\":null,\"what\":\"the text is not UTF-8",
                "line 5\",\"field\":\"n\"",
                "line 6\",\"field\":\"n\"");
        assertRecords(2, csv);
        Path open = file("y.csv", "n\n1\n2\n\"3\n4\n");
        assertLines(leftOut(open), "the rest of the file");
        assertRecords(2, open);
    }

    @Test
    void badLinesOfJsonAreLeftOut() throws IOException {
        Path lines = file("x.jsonl", "{\"n\":1}\n{\"n\":\n[]\n{\"m\":1,\"n\":\"x\"}\n{\"n\":\"\u00ff\"}\n{\"n\":2}\n");
        assertLines(leftOut(lines), "line 2", "line 3", "line 4", "line 5");
        assertRecords(2, lines);
        try (Dataset made = Catalog.open(target(lines))) {
            assertEquals(1, made.fields().size());
        }
        Path array = file("x.json", "[{\"n\":1},\n{\"n\":},\n{\"n\":2},\n{\"n\":3}");
        assertLines(leftOut(array), "line 2", "cut off; the rest of the file");
        assertRecords(2, array);
    }

    @Test
    void theRestOfADamagedRowGroupIsLeftOut() throws IOException {
        Path numbers = Files.write(folder.resolve("x.bin"), new byte[ROW_COUNT * Double.BYTES]);
        Path both = Files.createDirectory(folder.resolve("both"));
        for (String name : List.of("a.parquet", "b.parquet")) {
            CommandRun made = CommandRun.of("convert", numbers, both.resolve(name), "--dtype", "<f8");
            assertEquals(0, made.exitCode(), made.err());
        }
        byte[] bytes = Files.readAllBytes(both.resolve("a.parquet"));
        bytes[4] = -1;
        Files.write(both.resolve("a.parquet"), bytes);
        assertEquals(1, CommandRun.of("convert", both, folder.resolve("y.npy")).exitCode());
        assertLines(leftOut(both), "rows 0 to " + ROW_COUNT + " of row group 0");
        assertRecords(ROW_COUNT, both);
    }

    @Test
    void aSourceThatCannotSkipSaysSo() throws IOException {
        Path csv = file("x.csv", "n\n1\n");
        Path table = folder.resolve("x.npy");
        Path arrow = folder.resolve("x.arrow");
        assertEquals(0, CommandRun.of("convert", csv, table).exitCode());
        assertEquals(0, CommandRun.of("convert", csv, arrow).exitCode());
        for (Path source : List.of(table, arrow)) {
            CommandRun run = CommandRun.of("convert", source, folder.resolve("y.npy"), "--on-error", "skip");
            assertEquals(2, run.exitCode(), run.err());
            assertTrue(run.err().contains("cannot leave out records"), run.err());
            assertFalse(Files.exists(folder.resolve("y.npy")));
        }
    }
}
