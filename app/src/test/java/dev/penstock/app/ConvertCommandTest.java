// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.SimpleFileServer;
import dev.penstock.Dataset;
import dev.penstock.Progress;
import dev.penstock.catalog.Catalog;
import dev.penstock.file.Json;
import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import dev.penstock.table.TableWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The commands that copy records into another dataset, and those that read several datasets as one.
class ConvertCommandTest {
    /// Files and folders that the page names, alone or in quotation marks.
    private static final Pattern FILE = Pattern.compile(
            "'?(steps|texts|all|corpus|day-[12*]|(steps|columns|moves|words|some|two|boards)[.]npy|boards[.]a2pack"
                    + "|words[.]csv|texts[.]jsonl)'?");

    @TempDir
    Path folder;

    private static CommandRun run(Object... words) {
        CommandRun run = CommandRun.of(words);
        assertEquals(0, run.exitCode(), run.err());
        return run;
    }

    private static String content(Path path) throws IOException {
        try (Dataset dataset = Catalog.open(path)) {
            return dataset.fullFingerprint(Progress.NONE);
        }
    }

    private Path steps(String name, int rowCount) throws IOException {
        RowType type = RowType.of(DType.parse("[('board', '<u8'), ('move', '|u1'), ('ev', '<f4', (4,))]"));
        Path path = folder.resolve(name);
        byte[] rows = new byte[Math.toIntExact(rowCount * type.size())];
        new Random(rowCount).nextBytes(rows);
        try (TableWriter writer = TableWriter.create(path, type, TableWriter.Options.DEFAULT);
                Arena arena = Arena.ofConfined()) {
            writer.append(arena.allocate(rows.length).copyFrom(MemorySegment.ofArray(rows)));
        }
        return path;
    }

    private Object[] words(String command) {
        return Pattern.compile("\"([^\"]*)\"|\\S+")
                .matcher(command.replaceFirst("  +#.*", ""))
                .results()
                .map(word -> word.group(1) == null ? word.group() : word.group(1))
                .skip(1)
                .map(word -> FILE.matcher(word).matches()
                        ? folder.resolve(word.replace("'", "")).toString()
                        : word)
                .toArray();
    }

    @Test
    void aParquetFileIsDescribedAndBecomesTheUsualFormat() throws IOException {
        Path source = CommandRun.testdata("columnar/plain.parquet");
        CommandRun dry = run("convert", source, folder.resolve("out"), "--dry-run");
        assertTrue(dry.out().contains("plain.parquet is a Parquet file"), dry.out());
        assertTrue(dry.out().contains("field vector"), dry.out());
        assertTrue(dry.out().contains("becomes a store, because some fields have values of any size"), dry.out());
        assertTrue(Files.notExists(folder.resolve("out")));
        CommandRun json = run("convert", source, folder.resolve("out"), "--dry-run", "--json", "--fields", "f16");
        assertEquals("table", ((Map<?, ?>) Json.parse(json.outBytes())).get("format"));
        CommandRun real =
                run("convert", source, folder.resolve("out"), "--fields", "f16,int32", "--where", "int32 is not null");
        assertTrue(real.err().contains("plain.parquet is a Parquet file"), real.err());
        CommandRun info = run("info", source);
        assertTrue(info.out().contains("a Parquet file") && info.out().contains("float32 [3]"), info.out());
        assertTrue(info.err().contains("penstock convert"), info.err());
        CommandRun head = CommandRun.of("head", source);
        assertTrue(head.err().contains("a Parquet file; copy it into a dataset"), head.err());
    }

    @Test
    void recordsBecomeParquetAndArrowAndComeBack() throws IOException {
        Path source = CommandRun.testdata("columnar/types.arrow");
        String fields = "int8,uint16,int32,uint64,f32,few,truth,text,binary,word,list";
        run("convert", source, folder.resolve("a.store"), "--fields", fields);
        for (String name : List.of("b.parquet", "b.arrow")) {
            run("convert", folder.resolve("a.store"), folder.resolve(name));
            run("convert", folder.resolve(name), folder.resolve(name + ".store"));
            assertEquals(content(folder.resolve("a.store")), content(folder.resolve(name + ".store")));
        }
        CommandRun half = CommandRun.of("convert", source, folder.resolve("c.parquet"), "--fields", "f16");
        assertTrue(half.exitCode() == 2 && half.err().contains("convert its numbers to f32"), half.err());
    }

    @Test
    void oneArrayTabsAndPackedTextAreReadLikeLines() throws IOException {
        String lines = "{\"a\":1,\"b\":\"x,]\\\"\"}\n{\"a\":2,\"b\":\"y\"}\n";
        Path jsonl = Files.writeString(folder.resolve("a.jsonl"), lines);
        Path array =
                Files.writeString(folder.resolve("b.json"), " [" + lines.strip().replace("\n", " ,\n") + "]\n");
        Path packed = folder.resolve("c.json.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(packed))) {
            Files.copy(array, out);
        }
        Path tabs = Files.writeString(folder.resolve("d.tsv"), "a\tb\n1\t\"x,]\"\"\"\n2\ty\n");
        for (Path source : List.of(jsonl, array, packed, tabs)) {
            run("convert", source, folder.resolve(source.getFileName() + ".store"));
            assertEquals(
                    content(folder.resolve("a.jsonl.store")), content(folder.resolve(source.getFileName() + ".store")));
        }
        byte[] cut = Files.readAllBytes(packed);
        Files.write(packed, Arrays.copyOf(cut, cut.length - 9));
        CommandRun damaged = CommandRun.of("convert", packed, folder.resolve("x"));
        assertTrue(damaged.exitCode() != 0 && damaged.err().contains("damaged or cut off"), damaged.err());
        Files.writeString(array, "[{\"a\":1}");
        CommandRun open = CommandRun.of("convert", array, folder.resolve("x"));
        assertTrue(open.err().contains("b.json, line 1: the JSON array is cut off"), open.err());
    }

    /// A server without ranges, which is the least that a server can do.
    @Test
    void textOfAWebServerIsReadLikeAFile() throws IOException {
        Path csv = Files.writeString(folder.resolve("a.csv"), "n,t\n1,x\n2,\n");
        Path json = Files.writeString(folder.resolve("a.jsonl"), "{\"n\":1,\"t\":\"x\"}\n{\"n\":2}\n");
        HttpServer server = SimpleFileServer.createFileServer(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                folder.toAbsolutePath(),
                SimpleFileServer.OutputLevel.NONE);
        server.start();
        try {
            String web = "http://127.0.0.1:" + server.getAddress().getPort() + "/";
            Path declared = folder.resolve("declared");
            run("store", "create", declared, "--field", "n:i8:scalar", "--field", "t:utf8");
            for (Path file : List.of(csv, json)) {
                String name = file.getFileName().toString();
                run("convert", file, folder.resolve(name + ".1.store"));
                run("convert", web + name, folder.resolve(name + ".2.store"));
                assertEquals(content(folder.resolve(name + ".1.store")), content(folder.resolve(name + ".2.store")));
                run("table", "write", "--input", web + name, "--output", folder.resolve(name + ".npy"));
                run("store", "append", declared, "--input", web + name);
            }
            run("store", "append", declared, "--input", "n=" + web + "a.csv", "--input", "t=" + web + "a.csv");
        } finally {
            server.stop(0);
        }
    }

    @Test
    void recordsOfAPackBecomeRowsOfTheirNumbers() throws IOException {
        Path rows = steps("rows.npy", 50);
        Path numbers = folder.resolve("numbers.npy");
        Path pack = folder.resolve("numbers.a2pack");
        run("convert", rows, numbers, "--field", "ev");
        run("convert", numbers, pack);
        run("convert", pack, folder.resolve("again.npy"), "--as", "float32");
        run("convert", pack, folder.resolve("again.shards"), "--as", "float32");
        run("convert", folder.resolve("again.shards"), folder.resolve("third.npy"));
        run("merge", pack, pack, "--output", folder.resolve("twice.npy"), "--as", "float32");
        assertEquals(content(numbers), content(folder.resolve("again.npy")));
        assertEquals(content(numbers), content(folder.resolve("third.npy")));
        Path moves = folder.resolve("moves.npy");
        run("convert", rows, moves, "--field", "move");
        run("convert", moves, folder.resolve("moves.a2pack"));
        run("convert", folder.resolve("moves.a2pack"), folder.resolve("moves-again.npy"), "--as", "uint8");
        assertEquals(content(moves), content(folder.resolve("moves-again.npy")));
        assertArrayEquals(Files.readAllBytes(moves), Files.readAllBytes(folder.resolve("moves-again.npy")));
        try (Dataset twice = Catalog.open(folder.resolve("twice.npy"))) {
            assertEquals(100, twice.count());
        }
    }

    @Test
    void recordsThatAreNotRowsOfTheTypeAreRefused() throws IOException {
        Path pack = CommandRun.testdata("pack/packs/three-align1.a2pack");
        assertRefused("values of one size as numbers", "convert", pack, folder.resolve("a.shards"));
        assertRefused("values of one size as numbers", "convert", pack, folder.resolve("a.npy"));
        assertRefused("record 1 of", "convert", pack, folder.resolve("a.npy"), "--as", "uint8");
        Path lines = Files.writeString(folder.resolve("lines.jsonl"), "{\"a\":\"xy\"}\n{}\n");
        Path store = folder.resolve("lines.store");
        run("convert", lines, store);
        assertRefused("record 1 of", "convert", store, folder.resolve("a.store"), "--as", "uint8");
        assertRefused("is not a type of numbers", "convert", pack, folder.resolve("a.npy"), "--as", "utf8");
        assertRefused("has no field", "convert", pack, folder.resolve("a.npy"), "--field", "x", "--as", "uint8");
    }

    private static void assertRefused(String message, Object... words) {
        CommandRun refused = CommandRun.of(words);
        assertEquals(2, refused.exitCode(), refused.err());
        assertTrue(refused.err().contains(message), refused.err());
    }

    @Test
    void theCommandsOfThePageRun() throws IOException {
        steps("steps.npy", 500);
        steps("day-1", 40);
        steps("day-2", 50);
        Files.writeString(folder.resolve("words.csv"), "word,count\none,1\nthree,3\n");
        Files.writeString(folder.resolve("texts.jsonl"), "{\"text\": \"one\"}\n");
        List<String> commands = Files.readString(CommandRun.root().resolve("docs/convert.md"))
                .lines()
                .filter(line -> line.startsWith("penstock "))
                .toList();
        assertEquals(17, commands.size());
        for (String command : commands) {
            CommandRun run = CommandRun.of(words(command));
            assertEquals(0, run.exitCode(), command + ": " + run.err());
        }
        assertEquals(content(folder.resolve("steps.npy")), content(folder.resolve("steps")));
        try (Dataset words = Catalog.open(folder.resolve("words.npy"));
                Dataset all = Catalog.open(folder.resolve("all"));
                Dataset corpus = Catalog.open(folder.resolve("corpus"))) {
            assertEquals(2, words.count());
            assertEquals(1000, all.count());
            assertEquals("table", all.format(), "the format of the first input");
            assertEquals("shards", corpus.format());
        }
    }

    @Test
    void aConversionSaysThatItWasVerified() throws IOException {
        Path steps = steps("steps.npy", 300);
        CommandRun text = run("convert", steps, folder.resolve("a.store"));
        assertTrue(text.err().contains("Converted 300 records"), text.err());
        assertTrue(text.err().contains("read back and equal to the source"), text.err());
        CommandRun json = run("convert", steps, folder.resolve("b.store"), "--json");
        Map<?, ?> report = (Map<?, ?>) Json.parse(json.out().getBytes(StandardCharsets.UTF_8));
        assertEquals(true, report.get("verified"));
        assertEquals(300L, report.get("records"));
        assertEquals(0L, report.get("resumedAt"));
        assertEquals("store", report.get("format"));
    }

    @Test
    void theTypeOfAFileWithoutAHeaderIsAskedForByOneName() throws IOException {
        Path tokens = Files.write(folder.resolve("train.bin"), new byte[] {1, 0, 2, 1, 3, 0});
        for (String verb : List.of("convert", "merge", "sample")) {
            Path target = folder.resolve(verb + ".npy");
            List<Object> words = new ArrayList<>(List.of(verb, tokens, "--dtype", "<u2"));
            words.addAll(verb.equals("convert") ? List.of(target) : List.of("--output", target));
            words.addAll(verb.equals("sample") ? List.of("-n", 9) : List.of());
            CommandRun run = CommandRun.of(words.toArray());
            assertEquals(0, run.exitCode(), words + ": " + run.err());
            assertTrue(CommandRun.of("head", target).out().contains("258"), verb);
        }
        CommandRun untyped = CommandRun.of("convert", tokens, folder.resolve("x.npy"));
        assertTrue(untyped.err().contains("--dtype gives the type"), untyped.err());
        Path steps = steps("typed.npy", 3);
        List<List<Object>> refused = List.of(
                List.of("convert", steps, folder.resolve("y"), "--to", "store", "--dtype", "f16"),
                List.of("merge", steps, "--output", folder.resolve("y.npy"), "--dtype", "f16"),
                List.of("sample", steps, "-n", "2", "--dtype", "f16"),
                List.of("convert", lines("{\"b\": 1}"), folder.resolve("y.npy"), "--dtype", "f16"));
        for (List<Object> words : refused) {
            CommandRun typed = CommandRun.of(words.toArray());
            assertEquals(2, typed.exitCode(), words + ": " + typed.err());
            assertTrue(typed.err().contains("--cast f16 converts"), typed.err());
        }
    }

    @Test
    void mistakesHaveTheExitCodeOfUsage() throws IOException {
        Path steps = steps("steps.npy", 30);
        List<List<Object>> mistakes = List.of(
                List.of("convert", steps, folder.resolve("x.a2pack")),
                List.of("convert", steps, steps),
                List.of("convert", steps, folder.resolve("x"), "--to", "store", "--cast", "u8"),
                List.of("convert", lines("{\"b\": 1}"), folder.resolve("x"), "--to", "store", "--field", "a"),
                List.of("sample", steps, "--fraction", "2", "-o", folder.resolve("x.npy")));
        for (List<Object> words : mistakes) {
            CommandRun run = CommandRun.of(words.toArray());
            assertEquals(2, run.exitCode(), words + ": " + run.err());
        }
        CommandRun none = CommandRun.of("info", folder.resolve("none-*"));
        assertEquals(3, none.exitCode());
        assertTrue(none.err().contains("none-*: no file or folder matches this pattern"), none.err());
    }

    private Path lines(String... lines) throws IOException {
        return Files.write(folder.resolve("lines.jsonl"), List.of(lines));
    }

    private String exported(Path dataset) throws IOException {
        Path target = folder.resolve("exported.jsonl");
        run("export", dataset, "--format", "jsonl", "-o", target, "--overwrite");
        return Files.readString(target);
    }

    @Test
    void jsonLinesAreConverted() throws IOException {
        Path lines = lines(
                "{\"text\": \"naïve\", \"count\": 1, \"score\": 1, \"flag\": true, \"tags\": [1], \"big\": 1}",
                "",
                "{\"text\": \"\", \"score\": \"NaN\", \"flag\": false, \"tags\": [], \"big\": 18446744073709551615}",
                "{\"count\": -3, \"score\": 0.5, \"point\": [5, 6.5], \"tags\": [2, 3], \"none\": null}");
        Path store = folder.resolve("words.store");
        run("convert", lines, store);
        String info = run("info", store).out();
        for (String type : List.of(
                "text +utf8, variable",
                "count +int64",
                "score +float64",
                "flag +bool",
                "point +float64 \\[2\\]",
                "tags +int64, variable",
                "big +uint64",
                "none +float64")) {
            assertTrue(Pattern.compile("field " + type + "\n").matcher(info).find(), type + " is not in " + info);
        }
        List<String> expected = List.of(
                "{\"text\":\"naïve\",\"count\":1,\"score\":1.0,\"flag\":true,"
                        + "\"tags\":[1],\"big\":1,\"point\":null,\"none\":null}",
                "{\"text\":\"\",\"count\":null,\"score\":\"NaN\",\"flag\":false,"
                        + "\"tags\":[],\"big\":18446744073709551615,\"point\":null,\"none\":null}",
                "{\"text\":null,\"count\":-3,\"score\":0.5,\"flag\":null,"
                        + "\"tags\":[2,3],\"big\":null,\"point\":[5.0,6.5],\"none\":null}");
        assertEquals(String.join("\n", expected) + "\n", exported(store));
        // What an export wrote becomes the same records again.
        run("convert", folder.resolve("exported.jsonl"), folder.resolve("again.store"));
        assertEquals(content(store), content(folder.resolve("again.store")));
    }

    @Test
    void textOfJsonLinesHasAFixedSizeInATable() throws IOException {
        Path lines = lines("{\"word\": \"one\", \"n\": 1}", "{\"word\": \"three\", \"n\": 3}");
        run("convert", lines, folder.resolve("words.npy"));
        assertEquals(
                "{\"word\":\"one\",\"n\":1}\n{\"word\":\"three\",\"n\":3}\n", exported(folder.resolve("words.npy")));
        run("convert", lines, folder.resolve("table"), "--to", "table");
        assertEquals(content(folder.resolve("words.npy")), content(folder.resolve("table")));
        CommandRun missing = CommandRun.of("convert", lines("{\"n\": true}", "{}"), folder.resolve("x.npy"));
        assertEquals(1, missing.exitCode());
        assertTrue(missing.err().contains("line 2: field n: the value is missing"), missing.err());
    }

    @Test
    void jsonLinesWithoutOneTypeAreRefused() throws IOException {
        List<List<String>> refused = List.of(
                List.of("", "has no records to guess the types from"),
                List.of("[1]", "line 1: expected an object"),
                List.of("{\"a\": 1}\n{\"a\": ", "line 2: Unexpected end-of-input"),
                List.of("{\"a\": 1}\n{\"a\": \"b\"}", "line 2: field a: some values are numbers, and others are text"),
                List.of("{\"a\": true}\n{\"a\": 1}", "some values are true or false, and others are numbers"),
                List.of("{\"a\": {\"b\": 1}}", "an object inside a record is not supported; declare the fields"),
                List.of("{\"a\": [\"b\"]}", "lists of text are not supported"),
                List.of("{\"a\": [1, null]}", "a list with null is not supported"),
                List.of("{\"a\": [[1], [2, 3]]}", "the items of a list have different lengths"),
                List.of("{\"a\": 1}\n{\"a\": [1]}", "has the shape [1], but earlier values have the shape []"));
        for (List<String> words : refused) {
            CommandRun run = CommandRun.of("convert", lines(words.getFirst()), folder.resolve("x"), "--to", "store");
            assertEquals(1, run.exitCode(), words + ": " + run.err());
            assertTrue(run.err().contains(words.getLast()), run.err());
        }
        CommandRun none = CommandRun.of("convert", folder.resolve("none.jsonl"), folder.resolve("x.store"));
        assertEquals(3, none.exitCode());
    }

    @Test
    void aSampleOfASnapshotHasItsRecords() throws IOException {
        run("convert", steps("steps.npy", 50), folder.resolve("s"), "--to", "store");
        run("store", "snapshot", "create", folder.resolve("s"), "all");
        run("store", "delete", folder.resolve("s"), "--indices", "0-9");
        run("sample", folder.resolve("s"), "--fraction", "1", "--snapshot", "all", "-o", folder.resolve("all.npy"));
        assertEquals(content(folder.resolve("steps.npy")), content(folder.resolve("all.npy")));
    }

    @Test
    void mergeNamesAllSources() throws IOException {
        Path one = steps("one.npy", 3);
        Path two = steps("two.npy", 4);
        CommandRun text = run("merge", one, two, "--output", folder.resolve("a.npy"));
        assertTrue(text.err().contains("Merged 7 records of " + one + " and 1 more to "), text.err());
        CommandRun json = run("merge", one, two, "--output", folder.resolve("b.npy"), "--json");
        assertEquals(List.of(one.toString(), two.toString()), ((Map<?, ?>) Json.parse(json.outBytes())).get("sources"));
    }

    @Test
    void mergeRefusesFieldsThatDiffer() throws IOException {
        Path steps = steps("steps.npy", 30);
        Path other = Tables.write(folder.resolve("other.npy"), 5);
        CommandRun run = CommandRun.of("merge", steps, other, "--output", folder.resolve("x"));
        assertEquals(2, run.exitCode());
        assertTrue(run.err().contains("field board of " + steps + " is missing in " + other), run.err());
    }

    @Test
    void sampleOfShardsIsThatOfShardsSample() throws IOException {
        steps("steps.npy", 3000);
        run("convert", folder.resolve("steps.npy"), folder.resolve("corpus"), "--to", "shards", "--field", "ev");
        Path own = folder.resolve("own");
        Path general = folder.resolve("general");
        run("shards", "sample", folder.resolve("corpus"), "--fraction", "0.2", "--seed", "3", "-o", own);
        run("sample", folder.resolve("corpus"), "--fraction", "0.2", "--seed", "3", "-o", general);
        String shard = "shard_000000.shard";
        assertArrayEquals(Files.readAllBytes(own.resolve(shard)), Files.readAllBytes(general.resolve(shard)));
        assertEquals(content(own), content(general));
    }

    @Test
    void aSampleWithoutAnOutputIsShown() throws IOException {
        Path steps = steps("steps.npy", 200);
        Path some = folder.resolve("some.npy");
        run("sample", steps, "--fraction", "0.2", "--fields", "board,move", "-o", some);
        List<String> shown = run("sample", steps, "--fraction", "0.2", "--fields", "board,move")
                .out()
                .lines()
                .toList();
        List<String> copied = run("head", some, "-n", 200).out().lines().toList();
        assertTrue(copied.size() > 10, "a fifth of 200 records");
        assertEquals(
                copied.stream().map(line -> line.substring(8)).toList(),
                shown.stream().map(line -> line.substring(8)).toList());
        List<?> json = (List<?>)
                Json.parse(run("sample", steps, "--fraction", "0.2", "--json").outBytes());
        assertEquals(copied.size(), json.size());
        assertEquals(
                Long.parseLong(shown.getFirst().substring(0, 8).strip()), ((Map<?, ?>) json.getFirst()).get("index"));
        assertEquals(
                "[]\n",
                run("sample", steps, "--fraction", "0.2", "--where", "board == 0", "--json")
                        .out());
        CommandRun alone = CommandRun.of("sample", steps, "--fraction", "0.2", "--to", "store");
        assertEquals(2, alone.exitCode());
        assertTrue(alone.err().contains("need --output"), alone.err());
    }

    @Test
    void fieldsAndRecordsOfTextFilesAreChosen() throws IOException {
        Path lines =
                lines("{\"a\": 1, \"b\": \"x\"}", "{\"a\": 2, \"b\": null}", "{\"a\": 3}", "{\"a\": 4, \"b\": \"yy\"}");
        run("convert", lines, folder.resolve("b"), "--to", "store", "--fields", "b");
        assertEquals("{\"b\":\"x\"}\n{\"b\":null}\n{\"b\":null}\n{\"b\":\"yy\"}\n", exported(folder.resolve("b")));
        run("convert", lines, folder.resolve("large"), "--to", "store", "--fields", "b,a", "--where", "a > 2");
        assertEquals("{\"b\":null,\"a\":3}\n{\"b\":\"yy\",\"a\":4}\n", exported(folder.resolve("large")));
        Path csv = Files.writeString(folder.resolve("numbers.csv"), "a,b\n1,10\n2,20\n3,30\n");
        run("convert", csv, folder.resolve("plain.npy"), "--field", "b", "--where", "a != 2");
        assertEquals(
                "       0  value=10\n       1  value=30\n",
                run("head", folder.resolve("plain.npy")).out());
        CommandRun unknown = CommandRun.of("convert", csv, folder.resolve("x.npy"), "--fields", "c");
        assertEquals(2, unknown.exitCode());
        assertTrue(unknown.err().contains("has no field c; its fields are a, b"), unknown.err());
    }

    @Test
    void severalDatasetsAreReadAsOne() throws IOException {
        steps("day-1", 40);
        steps("day-2", 50);
        Path pattern = folder.resolve("day-*");
        String info = run("info", pattern).out();
        assertTrue(info.contains("day-1: table, 40 records"), info);
        Map<?, ?> json = (Map<?, ?>) Json.parse(run("info", folder.resolve("day-1"), folder.resolve("day-2"), "--json")
                .out()
                .getBytes(StandardCharsets.UTF_8));
        assertEquals(90L, json.get("records"));
        assertEquals(2, ((List<?>) json.get("parts")).size());
        assertEquals(0, CommandRun.of("verify", pattern).exitCode());
        run("stats", pattern);
        run("export", pattern, "--format", "csv", "-o", folder.resolve("days.csv"));
        assertEquals(91, Files.readAllLines(folder.resolve("days.csv")).size());
        run("select", pattern, "--where", "move < 200", "-o", folder.resolve("index.npy"));
        String head = run("head", pattern, "-n", "1", "--fields", "move").out();
        assertTrue(head.contains("move=") && !head.contains("board="), head);
    }

    @Test
    void planSaysWhichRankReadsWhichDataset() throws IOException {
        steps("day-1", 40);
        steps("day-2", 50);
        List<Object> words = List.of(
                "plan", folder.resolve("day-*"), "--world", 2, "--batch", 5, "--sampler", "sequential", "--json");
        Map<?, ?> json = (Map<?, ?>) Json.parse(run(words.toArray()).out().getBytes(StandardCharsets.UTF_8));
        List<?> parts = (List<?>) json.get("parts");
        assertEquals(List.of(20L, 20L), ((Map<?, ?>) parts.getFirst()).get("ranks"));
        assertEquals(List.of(25L, 25L), ((Map<?, ?>) parts.getLast()).get("ranks"));
        assertEquals(40L, ((Map<?, ?>) parts.getLast()).get("first"));
        String text = run(words.subList(0, words.size() - 1).toArray()).out();
        assertTrue(text.contains("rank 1"), text);
    }
}
