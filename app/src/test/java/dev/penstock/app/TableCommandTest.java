// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tables from the command line: written, added to, selected from.
final class TableCommandTest {
    private static final String TYPE = "[('board','<u8'),('move','|u1'),('ev','<f4',(2,))]";
    private static final String CSV = """
        move,board,ignored,ev[0],ev[1]
        3,18446744073709551615,x,0.1,-inf
        30,5,y,1e3,nan
        """;

    @TempDir
    Path folder;

    private Path csv(String text) throws IOException {
        return Files.writeString(folder.resolve("input.csv"), text);
    }

    private static CommandRun ok(Object... words) {
        CommandRun run = CommandRun.of(words);
        assertEquals(0, run.exitCode(), run.err());
        return run;
    }

    private Path write(String name, Object... more) throws IOException {
        Path output = folder.resolve(name);
        Object[] words = Stream.concat(
                        Stream.of("table", "write", "--input", csv(CSV), "--output", output, "--dtype", TYPE),
                        Stream.of(more))
                .toArray();
        ok(words);
        return output;
    }

    private static String head(Path table) {
        return ok("head", table, "--json").out();
    }

    @Test
    void csvColumnsGoToTheFieldsOfTheirNames() throws IOException {
        assertEquals("""
            [{"index":0,"size":17,"board":18446744073709551615,"move":3,"ev":[0.1,"-Infinity"]},
            {"index":1,"size":17,"board":5,"move":30,"ev":[1000.0,"NaN"]}]
            """, head(write("a.npy")));
    }

    @Test
    void csvWithoutNamesIsTakenInOrder() throws IOException {
        Path output = folder.resolve("o.npy");
        byte[] text = "7,1,2,3\n8,4,5,6\n".getBytes(StandardCharsets.UTF_8);
        CommandRun run =
                CommandRun.withInput(text, "table", "write", "--input", "-", "--output", output, "--dtype", TYPE);
        assertEquals(0, run.exitCode(), run.err());
        assertTrue(head(output).contains("\"board\":8,\"move\":4,\"ev\":[5.0,6.0]"), head(output));
    }

    @Test
    void typesAreGuessedWhereNoneAreGiven() throws IOException {
        String text = "\uFEFFname,x,ok,n,big\n\"a, \"\"b\",1.5,true,3,1\nö,,FALSE,-4,18446744073709551615\n";
        Path output = folder.resolve("g.npy");
        ok("table", "write", "--input", csv(text), "--output", output);
        assertTrue(
                ok("info", output)
                        .out()
                        .contains("[('name', '<U5'), ('x', '<f8'), ('ok', '|b1'), ('n', '<i8'), ('big', '<u8')]"),
                ok("info", output).out());
        assertTrue(head(output).contains("\"name\":\"a, \\\"b\",\"x\":1.5,\"ok\":true,\"n\":3"), head(output));
        CommandRun spooled = CommandRun.withInput(
                text.getBytes(StandardCharsets.UTF_8),
                "table",
                "write",
                "--input",
                "-",
                "--output",
                folder.resolve("s.npy"));
        assertEquals(0, spooled.exitCode(), spooled.err());
        assertEquals(-1, Files.mismatch(output, folder.resolve("s.npy")));
    }

    @Test
    void aValueThatDoesNotFitIsNamedAndNothingIsLeft() throws IOException {
        for (String bad : List.of("300", "-1", "2.5", "x")) {
            Path input = csv("move,board,ev[0],ev[1]\n1,2,3,4\n" + bad + ",2,3,4\n");
            Path output = folder.resolve("bad.npy");
            CommandRun run = CommandRun.of("table", "write", "--input", input, "--output", output, "--dtype", TYPE);
            assertEquals(1, run.exitCode());
            assertEquals("penstock: " + input + ", line 3, column move: '" + bad + "' is not a valid u8\n", run.err());
            assertFalse(Files.exists(output));
        }
        CommandRun shorter = CommandRun.of(
                "table",
                "write",
                "--input",
                csv("move,board,ev[0],ev[1]\n1,2,3\n"),
                "--output",
                folder.resolve("bad.npy"),
                "--dtype",
                TYPE);
        assertEquals(1, shorter.exitCode());
        assertTrue(shorter.err().contains("line 2: it has 3 values, but the first line has 4"), shorter.err());
        assertEquals(List.of(folder.resolve("input.csv")), files(folder));
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }

    @Test
    void aFolderOfShardsReadsAsOneFile() throws IOException {
        Path one = write("one.npy");
        Path many = write("many", "--shard-rows", "1", "--meta", "who=tests");
        assertEquals(
                List.of("manifest.json", "rows-00000.npy", "rows-00001.npy"),
                files(many).stream().map(file -> file.getFileName().toString()).toList());
        assertEquals(head(one), head(many));
        assertEquals(fingerprint(one), fingerprint(many));
        assertTrue(ok("info", many).out().contains("who              tests"));
        ok("verify", many);
        Path again = folder.resolve("again.npy");
        ok("table", "write", "--input", many, "--output", again);
        assertEquals(-1, Files.mismatch(one, again));
    }

    private static String fingerprint(Path table) {
        return ok("fingerprint", table, "--full").out();
    }

    @Test
    void appendingAddsRowsToAFileAndToAFolder() throws IOException {
        Path one = write("one.npy");
        Path many = write("many", "--shard-rows", "1");
        byte[] firstShard = Files.readAllBytes(many.resolve("rows-00000.npy"));
        assertTrue(ok("table", "append", many, "--input", one, "--json").out().contains("\"rows\":2,"));
        ok("table", "append", "--output", one, "--input", one);
        assertEquals(head(one), head(many));
        assertEquals(4, head(one).lines().count());
        assertArrayEquals(firstShard, Files.readAllBytes(many.resolve("rows-00000.npy")));
        Path other = folder.resolve("other.npy");
        ok("table", "write", "--input", csv("a\n1\n"), "--output", other);
        CommandRun refused = CommandRun.of("table", "append", many, "--input", other);
        assertEquals(2, refused.exitCode());
        assertTrue(
                refused.err().contains("has a field a, but the target has the fields board, move, ev"), refused.err());
        assertEquals(4, head(many).lines().count());
    }

    /// As for stores, numbers get the type of the field if it holds all of theirs.
    @Test
    void appendedNumbersAreConvertedToAWiderType() throws IOException {
        Path wide = folder.resolve("wide.npy");
        ok("table", "write", "--input", csv("a,b\n1,0.5\n"), "--output", wide);
        Path narrow = folder.resolve("narrow.npy");
        String type = "[('b','>f4'),('a','|i1')]";
        ok("table", "write", "--input", csv("a,b\n-2,1.5\n"), "--output", narrow, "--dtype", type);
        ok("table", "append", wide, "--input", narrow);
        assertTrue(head(wide).contains("\"a\":-2,\"b\":1.5"), head(wide));
        CommandRun refused = CommandRun.of("table", "append", narrow, "--input", wide);
        assertEquals(2, refused.exitCode());
        assertTrue(refused.err().contains("only to a type that holds all of theirs"), refused.err());
        Path lines = folder.resolve("few.jsonl");
        Files.writeString(lines, "{\"b\":3}\n");
        assertEquals(1, CommandRun.of("table", "append", wide, "--input", lines).exitCode());
        Path part = folder.resolve("part.npy");
        ok("table", "write", "--input", csv("a\n1\n"), "--output", part, "--dtype", "[('a','<i8')]");
        CommandRun lacking = CommandRun.of("table", "append", wide, "--input", part);
        assertTrue(lacking.err().contains("has no values of field b, which the table has"), lacking.err());
        assertEquals(2, head(wide).lines().count());
    }

    @Test
    void datesAreNotTakenForNumbers() throws IOException {
        Path dates = folder.resolve("dates.npy");
        ok("table", "write", "--input", csv("value\n1\n"), "--output", dates, "--dtype", "<M8[s]");
        Path numbers = folder.resolve("numbers.npy");
        ok("table", "write", "--input", csv("value\n1\n"), "--output", numbers, "--dtype", "<i8");
        CommandRun refused = CommandRun.of("table", "append", dates, "--input", numbers);
        assertEquals(2, refused.exitCode());
        assertTrue(refused.err().contains("dates are not converted"), refused.err());
    }

    @Test
    void rowsThatAreAppendedToAGroupedTableAreSaidToBelongToNoGroup() throws IOException {
        Path input = folder.resolve("input.npy");
        ok("table", "write", "--input", csv("doc,x\n1,5\n1,6\n"), "--output", input);
        Path table = folder.resolve("grouped");
        ok("table", "write", "--input", input, "--output", table, "--shard-rows", "2");
        String advice = "grouped again by a column, with: penstock table group " + table;
        assertFalse(ok("table", "append", table, "--input", input).err().contains(advice));
        ok("table", "group", table, "--by", "doc");
        CommandRun run = ok("table", "append", table, "--input", input);
        assertTrue(run.err().contains(advice), run.err());
    }

    @Test
    void nothingIsReplacedUnlessItIsAskedFor() throws IOException {
        Path one = write("one.npy");
        CommandRun run = CommandRun.of("table", "write", "--input", csv(CSV), "--output", one, "--dtype", TYPE);
        assertEquals(2, run.exitCode());
        assertTrue(run.err().contains("--overwrite replaces it"), run.err());
        write("one.npy", "--overwrite");
        write("many");
        assertEquals(
                2,
                CommandRun.of("table", "write", "--input", csv(CSV), "--output", folder.resolve("many"))
                        .exitCode());
    }

    @Test
    void selectingWritesTheIndices() throws IOException {
        Path table = write("one.npy");
        Path indices = folder.resolve("idx.npy");
        String json = ok("table", "select", table, "--where", "move > 3 and ev[0] >= 1", "--output", indices, "--json")
                .out();
        assertTrue(json.contains("\"matches\":1,\"records\":2"), json);
        assertEquals("[{\"index\":0,\"size\":8,\"value\":1}]\n", head(indices));
        assertTrue(ok("info", indices).out().contains("'<i8'"));
        CommandRun bad = CommandRun.of("table", "select", table, "--where", "mve == 2", "--output", indices);
        assertEquals(2, bad.exitCode());
        assertTrue(bad.err().contains("board, move, ev"), bad.err());
    }

    @Test
    void whatIsNotQuiteCsvIsRefused() throws IOException {
        for (byte[] text : List.of(
                "a,b\n1,2,3\n".getBytes(StandardCharsets.UTF_8),
                "a,b\n1,\"2\n3,4\n".getBytes(StandardCharsets.UTF_8),
                "a,b\n1,\"2\"x\n".getBytes(StandardCharsets.UTF_8),
                "a,b\n1,\u00e4\n".getBytes(StandardCharsets.ISO_8859_1),
                "a,a\n1,2\n".getBytes(StandardCharsets.UTF_8),
                "".getBytes(StandardCharsets.UTF_8))) {
            Path input = Files.write(folder.resolve("odd.csv"), text);
            CommandRun run = CommandRun.of("table", "write", "--input", input, "--output", folder.resolve("odd.npy"));
            assertEquals(1, run.exitCode(), run.err());
            assertTrue(run.err().startsWith("penstock: " + input), run.err());
        }
        CommandRun wide = CommandRun.of(
                "table", "write", "--input", csv("1,2\n"), "--output", folder.resolve("odd.npy"), "--dtype", "<f4");
        assertEquals(1, wide.exitCode());
        assertTrue(wide.err().contains("the first line has 2 values, but a row of this type has 1"), wide.err());
        assertFalse(Files.exists(folder.resolve("odd.npy")));
    }

    @Test
    void numbersAreRoundedOnceAndNeverBeyondTheirType() throws IOException {
        Path output = folder.resolve("h.npy");
        ok("table", "write", "--input", csv("1.00048828125000091\n"), "--output", output, "--dtype", "<f2");
        assertTrue(head(output).contains("1.0009766"), head(output));
        for (String bad : List.of("70000", "1d", "0x1p3", "1e999")) {
            CommandRun run = CommandRun.of(
                    "table",
                    "write",
                    "--input",
                    csv(bad + "\n"),
                    "--output",
                    folder.resolve("i.npy"),
                    "--dtype",
                    "<f2");
            assertEquals(1, run.exitCode(), bad);
        }
    }

    @Test
    void linksAreFollowedAndDevicesAreLeftAlone() throws IOException {
        Path real = write("real.npy");
        Path link = Files.createSymbolicLink(folder.resolve("link.npy"), real);
        ok("table", "append", link, "--input", real);
        assertTrue(Files.isSymbolicLink(link));
        assertEquals(4, head(real).lines().count());
        CommandRun device = CommandRun.of("export", real, "--format", "csv", "--output", "/dev/null", "--overwrite");
        assertEquals(3, device.exitCode());
        assertFalse(Files.isRegularFile(Path.of("/dev/null")));
    }

    @Test
    void shardsOfOthersAreKept() throws IOException {
        Path many = write("many", "--shard-rows", "1");
        byte[] other = Files.readAllBytes(many.resolve("rows-00000.npy"));
        Files.write(many.resolve("rows-00002.npy"), other);
        ok("table", "append", many, "--input", many);
        assertArrayEquals(other, Files.readAllBytes(many.resolve("rows-00002.npy")));
        assertEquals(4, head(many).lines().count());
        CommandRun missing = CommandRun.of("table", "append", many, "--input", folder.resolve("nope.csv"));
        assertEquals(3, missing.exitCode());
        CommandRun replaced = CommandRun.of("table", "write", "--input", many, "--output", many, "--overwrite");
        assertEquals(2, replaced.exitCode());
        assertTrue(replaced.err().contains("an existing folder is not replaced"), replaced.err());
    }

    @Test
    void aBadTypeIsAUsageError() throws IOException {
        for (String type : List.of("[('a','<q9')]", "[('a'", "|O", "", "[('a','<f4'),('a','<f4')]")) {
            CommandRun run = CommandRun.of(
                    "table", "write", "--input", csv(CSV), "--output", folder.resolve("x.npy"), "--dtype", type);
            assertEquals(2, run.exitCode(), type + ": " + run.err());
        }
    }

    @Test
    void aTableWithADamagedManifestIsReadLenientlyAndTheUserIsTold() throws IOException {
        Path table = write("damaged", "--shard-rows", 1);
        Path manifest = table.resolve("manifest.json");
        Files.writeString(manifest, Files.readString(manifest).replace("\"rows\":2", "\"rows\":3"));
        CommandRun refused = CommandRun.of("info", table);
        assertEquals(1, refused.exitCode());
        assertTrue(refused.err().contains("--lenient"), refused.err());
        CommandRun lenient = ok("info", table, "--lenient");
        assertTrue(lenient.err().contains("manifest.json cannot be used"), lenient.err());
        assertTrue(lenient.out().contains("remark"), lenient.out());
        assertFalse(lenient.out().contains("--lenient"), "advice already followed: " + lenient.out());
        assertTrue(ok("head", table, "--lenient").err().contains("manifest.json cannot be used"));
        CommandRun verified = CommandRun.of("verify", table, "--json");
        assertEquals(1, verified.exitCode());
        assertTrue(verified.out().contains("\"problemCount\":1,\"errorCount\":1"), verified.out());
        assertTrue(verified.out().contains("BAD_MANIFEST"), verified.out());
    }

    @Test
    void aChangedBitIsReadUnlessShardsAreVerifiedFirst() throws IOException {
        Path table = write("changed", "--shard-rows", 1);
        Path shard = table.resolve("rows-00001.npy");
        byte[] bytes = Files.readAllBytes(shard);
        bytes[bytes.length - 1] ^= 1;
        Files.write(shard, bytes);
        ok("get", table, 1);
        ok("get", table, 0, "--verify-first");
        for (String[] read : List.of(new String[] {"get", "1"}, new String[] {"head"}, new String[] {"stats"})) {
            List<Object> words = new ArrayList<>(List.of(read));
            words.add(1, table);
            words.add("--verify-first");
            CommandRun refused = CommandRun.of(words.toArray());
            assertEquals(1, refused.exitCode(), read[0]);
            assertTrue(refused.err().contains(shard.toString()), refused.err());
        }
        assertEquals(1, CommandRun.of("verify", table, "--verify-first").exitCode());
        Path file = write("plain.npy");
        CommandRun withoutChecksum = CommandRun.of("head", file, "--verify-first");
        assertEquals(2, withoutChecksum.exitCode());
        assertTrue(withoutChecksum.err().contains("has no checksum"), withoutChecksum.err());
    }

    @Test
    void infoMentionsAManifestOfAnotherProgram() throws IOException {
        Path table = write("other", "--shard-rows", 1);
        Files.writeString(table.resolve("manifest.json"), "{\"version\": 1, \"num_steps\": 2}");
        assertTrue(ok("info", table).out().contains("manifest.json was written by another program"));
        assertTrue(ok("info", table, "--json").out().contains("\"remarks\":[\"manifest.json was written by"));
    }

    @Test
    void aFingerprintOfSamplesSaysSoAndAFullOneReadsEverything() throws IOException {
        byte[] numbers = new byte[1 << 20];
        Path csv = Files.writeString(folder.resolve("n.csv"), "n\n" + "1\n".repeat(numbers.length / 8));
        Path one = folder.resolve("n.npy");
        Path many = folder.resolve("n");
        ok("table", "write", "--input", csv, "--output", one);
        ok("table", "write", "--input", csv, "--output", many, "--shard-rows", 1000);
        assertTrue(ok("fingerprint", one).err().contains("covers samples of 256 KiB"));
        assertTrue(ok("info", one).out().contains("(covers samples of 256 KiB in total)"));
        assertEquals("", ok("fingerprint", many).err());
        assertTrue(ok("info", many).out().contains("(covers every record)"));
        assertTrue(ok("fingerprint", many, "--json").out().contains("\"full\":false,\"exact\":true"));
        assertTrue(ok("fingerprint", one, "--json").out().contains("\"full\":false,\"exact\":false"));
        assertEquals(fingerprint(one), fingerprint(many));
        assertEquals(33, fingerprint(one).length());
    }

    @Test
    void aMissingFolderIsNotGrouped() {
        CommandRun run = CommandRun.of("table", "group", folder.resolve("absent"), "--by", "doc");
        assertEquals(3, run.exitCode());
        assertTrue(run.err().contains("absent: no such file or folder"), run.err());
    }
}
