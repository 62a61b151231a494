// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.convert.RecordSource;
import dev.penstock.convert.TextRules;
import dev.penstock.file.Json;
import dev.penstock.store.StoreField;
import dev.penstock.store.StoreOptions;
import dev.penstock.store.StoreWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The commands of stores, from their words to their output.
final class StoreCommandTest {
    @TempDir
    Path folder;

    private Path store;

    @BeforeEach
    void create() {
        store = folder.resolve("points");
        fine("store", "create", store, "--field", "xyz:f4:3:zstd", "--field", "label:int64:scalar", "--field", "note");
    }

    private static CommandRun fine(Object... words) {
        CommandRun run = CommandRun.of(words);
        assertEquals(0, run.exitCode(), run.err());
        return run;
    }

    private static CommandRun failing(int exitCode, String message, Object... words) {
        CommandRun run = CommandRun.of(words);
        assertEquals(exitCode, run.exitCode(), run.err());
        assertTrue(run.err().contains(message), run.err());
        return run;
    }

    private static Map<?, ?> json(CommandRun run) {
        return (Map<?, ?>) Json.parse(run.outBytes());
    }

    private Path file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private void appendThree() throws IOException {
        Path lines = file("points.jsonl", """
            {"xyz": [1, 2.5, -3], "label": 7, "note": "first"}
            {"label": -1, "xyz": [0, 0, 0], "note": ""}

            {"xyz": [4, 5, 6], "note": null}
            """);
        Map<?, ?> answer = json(fine("store", "append", store, "--input", lines, "--json"));
        assertEquals(3L, answer.get("appended"));
        assertEquals(3L, answer.get("records"));
    }

    @Test
    void linesOfJsonBecomeRecords() throws IOException {
        appendThree();
        List<?> records = (List<?>)
                Json.parse(fine("store", "get", store, "2,0-1", "--json").outBytes());
        assertEquals(Json.parse("""
            [{"index": 2, "xyz": [4.0, 5.0, 6.0], "label": null, "note": null},
             {"index": 0, "xyz": [1.0, 2.5, -3.0], "label": 7, "note": "Zmlyc3Q="},
             {"index": 1, "xyz": [0.0, 0.0, 0.0], "label": -1, "note": ""}]
            """.getBytes(StandardCharsets.UTF_8)).toString(), records.toString());
        assertEquals(
                "first", fine("store", "get", store, "0", "--field", "note").out());
        assertEquals("", fine("store", "get", store, "1", "--field", "note").out());
        failing(2, "record 2 has no value of field note", "store", "get", store, "2", "--field", "note");
        assertEquals(
                "2  xyz=[4.0 5.0 6.0]  label=(missing)  note=(missing)\n",
                fine("store", "get", store, "2").out());
    }

    @Test
    void tablesOfTextBecomeRecords() throws IOException {
        Path table = file("points.csv", "note,label,xyz[0],xyz[1],xyz[2]\nhello,3,1,2,3\n,,4,5,6\n");
        fine("store", "append", store, "--input", table);
        assertEquals(
                "0  xyz=[1.0 2.0 3.0]  label=3  note=hello\n1  xyz=[4.0 5.0 6.0]  label=(missing)  note=(missing)\n",
                fine("store", "get", store, "0-1").out());
        failing(
                1,
                "has only 2 of the 3 columns of field xyz",
                "store",
                "append",
                store,
                "--input",
                file("some.csv", "xyz[0],xyz[1]\n1,2\n"));
        failing(1, "line 2, column label: ", "store", "append", store, "--input", file("bad.csv", "label\nthree\n"));
        failing(1, "has none of the fields", "store", "append", store, "--input", file("other.csv", "a,b\n1,2\n"));
    }

    @Test
    void standardInputIsCsvOrJsonLines() {
        for (String text : List.of("label,note\n7,seven\n", "{\"label\":7,\"note\":\"seven\"}\n")) {
            CommandRun run = CommandRun.withInput(
                    text.getBytes(StandardCharsets.UTF_8), "store", "append", store, "--input", "-");
            assertEquals(0, run.exitCode(), run.err());
        }
        byte[] values = "8\nnull\n".getBytes(StandardCharsets.UTF_8);
        assertEquals(
                1,
                CommandRun.withInput(values, "store", "append", store, "--input", "-")
                        .exitCode());
        assertEquals(
                "0  xyz=(missing)  label=7  note=seven\n1  xyz=(missing)  label=7  note=seven\n",
                fine("store", "get", store, "0,1").out());
    }

    @Test
    void fieldsComeFromFilesOfTheirOwn() throws IOException {
        Path xyz = folder.resolve("xyz.npy");
        Path csv = file("xyz.csv", "xyz[0],xyz[1],xyz[2]\n1,2,3\n4,5,6\n");
        fine("table", "write", "--input", csv, "--output", xyz, "--dtype", "[('xyz','<f4',(3,))]");
        Path notes = Files.createDirectory(folder.resolve("notes"));
        Files.writeString(notes.resolve("b.txt"), "second");
        Files.writeString(notes.resolve("a.txt"), "first");
        Files.writeString(notes.resolve(".hidden"), "none");
        Path labels = file("labels.jsonl", "10\nnull\n");
        fine(
                "store",
                "append",
                store,
                "--input",
                "xyz=" + xyz,
                "--input",
                "note=" + notes,
                "--input",
                "label=" + labels);
        assertEquals(
                "0  xyz=[1.0 2.0 3.0]  label=10  note=first\n1  xyz=[4.0 5.0 6.0]  label=(missing)  note=second\n",
                fine("store", "get", store, "0,1").out());
        Path one = file("one.jsonl", "10\n");
        failing(
                1,
                "one.jsonl has fewer records than",
                "store",
                "append",
                store,
                "--input",
                "xyz=" + xyz,
                "--input",
                "label=" + one);
        assertEquals(2L, json(fine("info", store, "--json")).get("records"), "nothing of it was committed");
        failing(2, "no field abc; the fields are xyz, label, note", "store", "append", store, "--input", "abc=" + xyz);
        failing(2, "numbers are converted only to", "store", "append", store, "--input", "label=" + xyz);
        failing(2, "has two inputs", "store", "append", store, "--input", "xyz=" + xyz, "--input", "xyz=" + xyz);
        failing(2, "write --input FIELD=FILE", "store", "append", store, "--input", xyz, "--input", "label=" + one);
        failing(3, "no such file", "store", "append", store, "--input", folder.resolve("none.npy"));
    }

    @Test
    void changesAreReportedInSentences() throws IOException {
        appendThree();
        Path line = file("one.jsonl", "{\"xyz\": [1, 2, 3], \"label\": 7, \"note\": \"new\"}\n");
        String state = " \\(%d records, commit \\d+\\) in \\d.*\n";
        String appended = fine("store", "append", store, "--input", line).err();
        assertTrue(appended.matches("(?s).*Appended 1 record to \\S+" + state.formatted(4)), appended);
        String updated = fine("store", "update", store, "3", "--set", "label=8").err();
        assertTrue(updated.matches("(?s).*Updated record 3 of \\S+" + state.formatted(4)), updated);
        String deleted = fine("store", "delete", store, "--indices", "0,1").err();
        String others = "; the others keep their indices" + state.formatted(4);
        assertTrue(deleted.matches("(?s).*Deleted 2 records from \\S+" + others), deleted);
        String kept = fine("store", "snapshot", "create", store, "now").err();
        assertTrue(kept.matches("(?s).*Created the snapshot now of \\S+" + state.formatted(4)), kept);
    }

    @Test
    void aStoreIsInputForAnother() throws IOException {
        appendThree();
        Path copy = folder.resolve("copy");
        fine("store", "create", copy, "--field", "xyz:float32:3", "--field", "label:int64:scalar", "--field", "note");
        fine("store", "append", copy, "--input", store);
        assertEquals(
                fine("store", "get", store, "0-2", "--json").out(),
                fine("store", "get", copy, "0-2", "--json").out());
        Path lines = folder.resolve("again.jsonl");
        fine("export", store, "--format", "jsonl", "--output", lines);
        fine("store", "append", copy, "--input", lines, "--bytes", "base64");
        assertEquals(
                fine("store", "get", store, "0", "--field", "note").out(),
                fine("store", "get", copy, "3", "--field", "note").out());
    }

    @Test
    void badRecordsAreNamedAndNothingIsCommitted() throws IOException {
        appendThree();
        for (String[] bad : new String[][] {
            {"{\"label\": 1.5}", "field label: '1.5' is not a valid i64"},
            {"{\"label\": [1]}", "field label: [1] is not a valid i64"},
            {"{\"xyz\": [1, 2]}", "a list of 3 items is expected, got [1, 2]"},
            {"{\"xyz\": [1, 2, null]}", "field xyz: null is not a valid f32"},
            {"{\"note\": 3}", "field note holds bytes, but 3 is not a string"},
            {"{\"colour\": 3}", "no field colour; the fields are xyz, label, note"},
            {"[1]", "expected an object with the fields xyz, label, note"},
            {"{\"label\"", "line 2"}
        }) {
            Path lines = file("bad.jsonl", "{\"label\": 1}\n" + bad[0] + "\n");
            CommandRun run = failing(1, bad[1], "store", "append", store, "--input", lines);
            assertTrue(run.err().contains("line 2"), run.err());
        }
        assertEquals(3L, json(fine("info", store, "--json")).get("records"));
        Path lines = file("late.jsonl", "{\"label\": 1}\n{\"label\": 2}\n{\"label\": \"x\"}\n");
        failing(
                1,
                "The first 2 records of the input are committed.",
                "store",
                "append",
                store,
                "--input",
                lines,
                "--commit-every",
                "2");
        assertEquals(5L, json(fine("info", store, "--json")).get("records"));
    }

    @Test
    void updatesChangeOnlyTheirRecords() throws IOException {
        appendThree();
        Path bytes = Files.write(folder.resolve("bytes"), new byte[] {0, 1, (byte) 200});
        fine("store", "update", store, "0", "--set", "label=9", "--set", "xyz=[7,8,9]");
        fine("store", "update", store, "1", "--file", "note=" + bytes, "--missing", "label");
        assertEquals(
                "0  xyz=[7.0 8.0 9.0]  label=9  note=first\n",
                fine("store", "get", store, "0").out());
        assertArrayEquals(
                new byte[] {0, 1, (byte) 200},
                fine("store", "get", store, "1", "--field", "note").outBytes());
        assertEquals(null, ((Map<?, ?>) json(fine("store", "get", store, "1", "--json"))).get("label"));
        failing(2, "nothing to change", "store", "update", store, "0");
        failing(2, "no field abc", "store", "update", store, "0", "--set", "abc=1");
        failing(2, "is not JSON", "store", "update", store, "0", "--set", "label=x y");
        failing(2, "index out of range: 3", "store", "update", store, "3", "--set", "label=1");
        failing(2, "named twice", "store", "update", store, "0", "--set", "label=1", "--missing", "label");
    }

    @Test
    void deletedRecordsKeepTheIndicesOfTheOthers() throws IOException {
        appendThree();
        Map<?, ?> answer = json(fine("store", "delete", store, "--indices", "1", "--json"));
        assertEquals(1L, answer.get("deleted"));
        assertEquals(3L, answer.get("records"));
        assertEquals("1  (deleted)\n", fine("store", "get", store, "1").out());
        assertEquals(true, json(fine("store", "get", store, "1", "--json")).get("deleted"));
        failing(2, "record 1 was deleted", "store", "delete", store, "--indices", "1");
        failing(2, "record 1 was deleted", "store", "update", store, "1", "--set", "label=1");
        failing(2, "record 1 was deleted", "store", "get", store, "1", "--field", "note");
        failing(2, "3", "store", "delete", store, "--indices", "0,3");
        assertEquals(1L, json(fine("store", "stats", store, "--json")).get("deleted"));
    }

    @Test
    void theLastRecordMovesWhereTheStoreSaysSo() throws IOException {
        Path swapping = folder.resolve("swapping");
        fine("store", "create", swapping, "--field", "n:i4:scalar", "--delete", "swap");
        fine("store", "append", swapping, "--input", file("n.jsonl", "{\"n\":0}\n{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n"));
        Map<?, ?> answer = json(fine("store", "delete", swapping, "--indices", "0,2", "--json"));
        assertEquals("[[3, 2], [2, 0]]", answer.get("moved").toString());
        assertEquals("0  n=3\n1  n=1\n", fine("store", "get", swapping, "0-1").out());
    }

    @Test
    void statsHaveBothUtilisationsAndTheGarbageOfEachChunk() throws IOException {
        appendThree();
        fine("store", "update", store, "0", "--set", "note=another text");
        Map<?, ?> stats = json(fine("store", "stats", store, "--json"));
        assertEquals(3L, stats.get("records"));
        assertTrue((double) stats.get("rowUtilisation") > 0, stats.toString());
        assertTrue((double) stats.get("byteUtilisation") < 1, stats.toString());
        List<?> chunks = (List<?>) stats.get("chunks");
        long garbage = chunks.stream()
                .mapToLong(chunk -> (long) ((Map<?, ?>) chunk).get("garbageBytes"))
                .sum();
        assertEquals(stats.get("garbageBytes"), garbage);
        assertTrue(garbage > 0, stats.toString());
        String text = fine("store", "stats", store).out();
        assertTrue(text.contains("% of the chunks") && text.contains("that store rebalance can free"), text);
        assertFalse(text.contains("utilisation"), text);
        assertTrue(text.contains("chunk 0"), text);
    }

    @Test
    void aSecondWriterIsToldWhoHoldsTheStore() throws IOException {
        try (StoreWriter writer = StoreWriter.open(store, StoreOptions.DEFAULT)) {
            for (Object[] words : new Object[][] {
                {"store", "delete", store, "--indices", "0"},
                {"store", "update", store, "0", "--missing", "note"},
                {"store", "append", store, "--input", file("x.jsonl", "{}\n")},
                {"store", "checkpoint", store}
            }) {
                CommandRun run = failing(3, "it is being written by process", words);
                assertTrue(
                        run.err().contains(Long.toString(ProcessHandle.current().pid())), run.err());
            }
            assertEquals(0L, writer.count());
            assertEquals(0L, json(fine("info", store, "--json")).get("records"), "readers are not kept out");
        }
    }

    @Test
    void fieldsThatCannotBeAreRefused() {
        Path other = folder.resolve("other");
        for (String[] bad : new String[][] {
            {"a:f4:1000000000", "a value has at most"},
            {"con", "not allowed"},
            {"NUL.txt", "not allowed"},
            {"a:f5", "'f5' is not an element type"},
            {"a:f4:3:gzip", "not one of raw, flate, zstd and lz4"},
            {"a:f4:3y", "is not a shape"},
            {"a:f4:0", "at least 1"},
            {"a/b", "not allowed"},
            {"", "not allowed"}
        }) {
            failing(2, bad[1], "store", "create", other, "--field", bad[0]);
        }
        failing(2, "--field", "store", "create", other);
        assertFalse(Files.exists(other));
        failing(2, "a store already exists", "store", "create", store, "--field", "a");
    }

    @Test
    void theGeneralCommandsKnowStores() throws IOException {
        appendThree();
        assertEquals("store", json(fine("info", store, "--json")).get("format"));
        fine("verify", store);
        assertTrue(fine("head", store).out().contains("first"), "head");
        assertTrue(fine("get", store, "0", "--json").out().contains("Zmlyc3Q="), "get");
        assertTrue(fine("get", store, "2").out().contains("label            (missing)"), "get");
        assertTrue(fine("stats", store).out().contains("label"), "stats");
        Path table = folder.resolve("labels.npy");
        fine("export", store, "--format", "npy", "--output", table, "--fields", "xyz");
        assertEquals(3L, json(fine("info", table, "--json")).get("records"));
        Map<?, ?> published = json(fine("store", "checkpoint", store, "--json"));
        assertEquals(3L, published.get("records"));
        failing(3, "no such file", "store", "stats", folder.resolve("none"));
        failing(3, "no such file", "store", "checkpoint", folder.resolve("none"));
    }

    @Test
    void storesOfTheOriginalAreImported() throws IOException {
        Path old = CommandRun.testdata("store/upstream");
        Path dense = folder.resolve("dense");
        Map<?, ?> answer = json(fine("store", "import", old.resolve("v28_dense_raw"), "--output", dense, "--json"));
        assertEquals(6L, answer.get("records"));
        assertEquals("[loaderx 2.8.18 or later]", answer.get("releases").toString());
        assertEquals(true, answer.get("verified"));
        Path converted = folder.resolve("converted");
        fine("convert", old.resolve("v28_dense_raw"), converted, "--to", "store");
        assertEquals(
                fine("store", "get", dense, "0-5").out(),
                fine("store", "get", converted, "0-5").out());
        assertEquals(
                "0  value=[[0.0 1.0] [2.0 3.0]]\n",
                fine("store", "get", dense, "0").out());
        fine("verify", dense);
        Path ragged = folder.resolve("ragged");
        fine("store", "import", old.resolve("v24_ragged_raw"), "--output", ragged);
        assertEquals("0  value=[0 1 2]\n", fine("store", "get", ragged, "0").out());
        Path both = folder.resolve("both");
        fine(
                "store",
                "import",
                "a=" + old.resolve("v05_flate"),
                "b=" + old.resolve("v05_dataset"),
                "--output",
                both,
                "--compress",
                "flate");
        assertEquals("hello", fine("store", "get", both, "0", "--field", "a").out());
        failing(2, "already exists", "store", "import", old.resolve("v05_raw"), "--output", both);
        failing(
                2,
                "must have the same number of records",
                "store",
                "import",
                "a=" + old.resolve("v05_raw"),
                "b=" + old.resolve("v28_ragged_raw"),
                "--output",
                folder.resolve("uneven"));
        assertTrue(fine("info", old.resolve("v05_raw")).err().contains("next: penstock convert "));
        failing(1, "BAD_MAGIC", "store", "import", folder, "--output", folder.resolve("none"));
    }

    @Test
    void anImportThatFailsLeavesNothing() throws IOException {
        Path old = Files.createDirectory(folder.resolve("old"));
        for (String name : List.of("meta.zr", "data_0.zr", "data_1.zr")) {
            Files.write(
                    old.resolve(name),
                    Files.readAllBytes(CommandRun.testdata("store/upstream/v28_dense_zstd/" + name)));
        }
        byte[] data = Files.readAllBytes(old.resolve("data_1.zr"));
        data[30] ^= 1;
        Files.write(old.resolve("data_1.zr"), data);
        failing(1, "BAD_COMPRESSION", "store", "import", old, "--output", folder.resolve("new"));
        try (Stream<Path> left = Files.list(folder)) {
            assertEquals(
                    List.of("old", "points"),
                    left.map(file -> file.getFileName().toString()).sorted().toList());
        }
    }

    @Test
    void someFieldsOfARecordAreShown() throws IOException {
        appendThree();
        assertTrue(
                fine("store", "get", store, "0", "--fields", "note,label").out().contains("label"));
        Map<?, ?> record = json(fine("store", "get", store, "0", "--fields", "note,label", "--json"));
        assertEquals(Set.of("index", "note", "label"), record.keySet());
    }

    /// The progress bar of `append` shows the records so far of these.
    @Test
    void textInputsEstimateTheirRecords() throws IOException {
        int count = 20_000;
        TextRules rules =
                TextRules.GUESS.withFields(List.of(StoreField.bytes("note").column()));
        Path lines = file("many.jsonl", "{\"note\": \"a line of text\"}\n".repeat(count));
        Path cells = file("many.csv", "note\n" + "a line of text\n".repeat(count));
        for (Path input : List.of(lines, cells)) {
            List<Long> totals = new ArrayList<>();
            try (RecordSource records = StoreInputs.open(List.of(input.toString()), System.in, rules)) {
                records.forEach((indices, batch) -> {}, (done, total) -> totals.add(total));
            }
            assertTrue(totals.size() > 3, totals.toString());
            totals.forEach(total -> assertEquals(count, total, count / 5.0));
            assertEquals(count, totals.getLast());
        }
    }

    @Test
    void indicesMayBeSeveralWords() throws IOException {
        appendThree();
        assertEquals(
                fine("store", "get", store, "2,0-1", "--json").out(),
                fine("store", "get", store, "2", "0-1", "--json").out());
        failing(
                2,
                "index out of range: 3, there are 3 records in " + store + ", 0 to 2",
                "store",
                "get",
                store,
                "0",
                "3");
        failing(1, folder + ": this is not a store: it has no meta.json\n", "store", "get", folder, "0");
        Path device = Path.of("/dev/null");
        failing(3, device + ": this is a pipe", "store", "update", store, "0", "--file", "note=" + device);
    }

    @Test
    void theMissingFolderOfANewStoreIsNamed() {
        Path absent = folder.resolve("absent");
        failing(3, "there is no folder " + absent + " either", "store", "create", absent.resolve("s"), "--field", "a");
    }

    @Test
    void textIsShownAsText() throws IOException {
        Path texts = folder.resolve("texts");
        fine("store", "create", texts, "--field", "text:utf8");
        String longText = "é".repeat(23) + "x€€";
        Path lines = file("texts.jsonl", "{\"text\": \"hé\\nllo\"}\n{\"text\": \"" + longText + "\"}\n");
        fine("store", "append", texts, "--input", lines);
        assertEquals(
                "0  text=hé llo\n1  text=" + "é".repeat(23) + "x...\n",
                fine("store", "get", texts, "0-1").out());
        assertTrue(fine("head", texts).out().contains("hé llo\n"), "head shows text as well");
    }

    @Test
    void numbersThatAreTooLargeAreExplained() throws IOException {
        appendThree();
        String large = "99999999999999999999";
        failing(2, large + " does not fit in 64 bits", "store", "update", store, "0", "--set", "label=" + large);
        String shape = "99999999999x99999999999";
        failing(
                2,
                "a value has at most 1073741824 bytes",
                "store",
                "create",
                folder.resolve("large"),
                "--field",
                "a:f4:" + shape);
    }
}
