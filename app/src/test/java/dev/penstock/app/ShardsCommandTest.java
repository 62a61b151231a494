// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.file.Json;
import dev.penstock.shards.ShardSample;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The commands for activation shards, and those for every dataset on them.
final class ShardsCommandTest {
    @TempDir
    Path folder;

    /// A command and what it said.
    private record Run(CommandRun run) {
        static Run of(Object... words) {
            return new Run(CommandRun.of(words));
        }

        Run ok() {
            assertEquals(0, run.exitCode(), run.err());
            return this;
        }

        String out() {
            return run.out();
        }

        int exitCode() {
            return run.exitCode();
        }
    }

    /// JSON that a command printed.
    private record Values(Object value) {
        static Values of(String text) {
            return new Values(Json.parse(text.getBytes(StandardCharsets.UTF_8)));
        }

        Values get(String key) {
            return new Values(((Map<?, ?>) value).get(key));
        }

        Values get(int index) {
            return new Values(((List<?>) value).get(index));
        }

        long number() {
            return (Long) value;
        }

        String text() {
            return (String) value;
        }

        boolean isTrue() {
            return Boolean.TRUE.equals(value);
        }

        List<?> items() {
            return (List<?>) value;
        }
    }

    private String path(String name) {
        return folder.resolve(name).toString();
    }

    private Run written(String name, String... more) {
        String[] words = {
            "shards",
            "write",
            "--input",
            CommandRun.testdata("bf16dir/three_shards.f32").toString(),
            "--width",
            "8",
            "--output",
            path(name),
            "--shard-rows",
            "100",
            "--json"
        };
        String[] all = Arrays.copyOf(words, words.length + more.length);
        System.arraycopy(more, 0, all, words.length, more.length);
        return Run.of((Object[]) all);
    }

    @Test
    void writeSaysWhatItWroteAndInfoWhatItIs() {
        Values written = Values.of(written("corpus").ok().out());
        assertEquals(250, written.get("rows").number());
        assertEquals(3, written.get("shards").number());
        Values info = Values.of(Run.of("info", path("corpus"), "--json").ok().out());
        assertEquals("shards", info.get("format").text());
        assertEquals(8, info.get("width").number());
        assertEquals("f32", info.get("dtype").text());
        assertEquals(3, info.get("shards").number());
        assertEquals(250, info.get("batchRows").number());
        assertTrue(info.get("fingerprintExact").isTrue());
        assertEquals(2, written("corpus").exitCode());
        Run.of("verify", path("corpus")).ok();
        Run.of("head", path("corpus")).ok();
        Run.of("get", path("corpus"), "249").ok();
        Run.of("stats", path("corpus")).ok();
    }

    @Test
    void exportsAreReadBackAsTheSameRows() throws Exception {
        written("corpus", "--dtype", "bf16").ok();
        Run.of("export", path("corpus"), "--format", "npy", "--output", path("a.npy"))
                .ok();
        Run.of("export", path("corpus"), "--format", "safetensors", "--output", path("a.safetensors"))
                .ok();
        Run.of("export", path("corpus"), "--format", "residual_shard_bf16", "--output", path("residual"))
                .ok();
        for (String input : new String[] {"a.npy", "a.safetensors", "residual", "corpus"}) {
            Run.of(
                            "shards",
                            "write",
                            "--input",
                            path(input),
                            "--output",
                            path("from-" + input),
                            "--dtype",
                            "bf16",
                            "--shard-rows",
                            "100",
                            "--no-manifest")
                    .ok();
            for (String shard : new String[] {"shard_000000.shard", "shard_000002.shard"}) {
                assertArrayEquals(
                        Files.readAllBytes(folder.resolve("corpus").resolve(shard)),
                        Files.readAllBytes(folder.resolve("from-" + input).resolve(shard)),
                        input);
            }
        }
        assertEquals(
                2,
                Run.of("export", path("a.npy"), "--format", "safetensors", "--output", path("b.safetensors"))
                        .exitCode());
    }

    @Test
    void statsAreKeptAndASampleHasTheRowsOfItsHash() throws Exception {
        written("corpus").ok();
        Values stats = Values.of(
                Run.of("shards", "stats", path("corpus"), "--json").ok().out());
        assertEquals(250, stats.get("count").number());
        assertEquals(8, stats.get("mean").items().size());
        assertTrue(Files.exists(folder.resolve("corpus/stats.json")));
        Run.of("shards", "stats", path("corpus")).ok();
        Values sample = Values.of(Run.of(
                        "shards",
                        "sample",
                        path("corpus"),
                        "--fraction",
                        "0.1",
                        "--seed",
                        "7",
                        "--output",
                        path("sample"),
                        "--json")
                .ok()
                .out());
        assertEquals(250, sample.get("of").number());
        long expected = ShardSample.of(0.1, 7L).ids(0, 250).length;
        assertEquals(expected, sample.get("rows").number());
        assertEquals(
                2,
                Run.of("shards", "sample", path("corpus"), "--fraction", "2", "--output", path("x"))
                        .exitCode());
    }

    /// The golden vectors of the original have seeds from 2^63 on.
    @Test
    void aSeedMayBeAnyUnsignedNumberOf64Bits() {
        written("corpus").ok();
        Values sample = Values.of(Run.of(
                        "shards",
                        "sample",
                        path("corpus"),
                        "--fraction",
                        "0.25",
                        "--seed",
                        "18446744073709551615",
                        "--output",
                        path("sample"),
                        "--json")
                .ok()
                .out());
        assertEquals(
                ShardSample.of(0.25, -1L).ids(0, 250).length, sample.get("rows").number());
        Values info = Values.of(Run.of("info", path("sample"), "--json").ok().out());
        assertEquals("18446744073709551615", info.get("metadata").get("seed").text());
    }

    @Test
    void writeAndSampleAcceptWhatTheOriginalDoes() {
        Path trailing = CommandRun.testdata("shards/bad/trailing_1.shard");
        Object[] write = {"shards", "write", "--input", trailing, "--output", path("from-shard")};
        Object[] sample = {"shards", "sample", trailing, "--fraction", "1", "--output", path("sample")};
        for (Object[] words : List.of(write, sample)) {
            assertEquals(1, Run.of(words).exitCode());
            Object[] lenient = Arrays.copyOf(words, words.length + 1);
            lenient[words.length] = "--lenient";
            Run.of(lenient).ok();
        }
    }

    @Test
    void damagedStatisticsAreComputedAgainAsTheMessageSays() throws IOException {
        written("corpus").ok();
        Files.writeString(folder.resolve("corpus/stats.json"), "{");
        CommandRun damaged = CommandRun.of("shards", "stats", path("corpus"));
        assertEquals(1, damaged.exitCode());
        assertTrue(damaged.err().contains("--again computes them again"), damaged.err());
        Run.of("shards", "stats", "--again", path("corpus")).ok();
        Run.of("shards", "stats", path("corpus")).ok();
    }

    @Test
    void statisticsThatCannotBeStoredAreStillPrinted() throws IOException {
        written("corpus").ok();
        Files.createDirectories(folder.resolve("corpus/stats.json/in-the-way"));
        CommandRun run = CommandRun.of("shards", "stats", "--again", path("corpus"), "--json");
        assertEquals(0, run.exitCode(), run.err());
        assertEquals(250, Values.of(run.out()).get("count").number());
        assertTrue(run.err().contains("could not be stored in " + folder.resolve("corpus/stats.json")), run.err());
    }

    @Test
    void anErrorObjectListsTheProblemsOfAllShards() throws IOException {
        Path mixed = Files.createDirectory(folder.resolve("mixed"));
        for (int i = 0; i < 12; i++) {
            Files.copy(CommandRun.testdata("shards/bad/short_31.shard"), mixed.resolve("a" + i + ".shard"));
        }
        Files.copy(CommandRun.testdata("shards/bad/magic_02.shard"), mixed.resolve("a00.shard"));
        CommandRun run = CommandRun.of("info", mixed, "--json");
        assertEquals(1, run.exitCode());
        assertTrue(run.err().contains("not a GAMSAE01 shard [BAD_MAGIC]; "), run.err());
        assertTrue(run.err().contains("; and 3 more problems"), run.err());
        List<?> problems = Values.of(run.out()).get("error").get("problems").items();
        assertEquals(13, problems.size());
        assertEquals("BAD_MAGIC", new Values(problems.get(1)).get("reason").text());
    }

    @Test
    void damageIsToldByReasonAndLeniencyAcceptsWhatTheOriginalDoes() {
        String trailing = CommandRun.testdata("shards/bad/trailing_1.shard").toString();
        assertEquals(1, Run.of("info", trailing).exitCode());
        Run.of("info", trailing, "--lenient").ok();
        Values verified = Values.of(Run.of("verify", trailing, "--json").out());
        assertEquals(
                "TRAILING_BYTES", verified.get("problems").get(0).get("reason").text());
        assertEquals(1, Run.of("verify", trailing).exitCode());
        Run.of("verify", trailing, "--lenient").ok();
        String directory =
                CommandRun.testdata("shards/dirs/directory_named_shard").toString();
        Values unreadable = Values.of(Run.of("info", directory, "--json").out());
        assertEquals("IO", unreadable.get("error").get("reason").text());
        String mixed = CommandRun.testdata("shards/dirs/width_differs").toString();
        Values refused = Values.of(Run.of("info", mixed, "--json").out());
        assertEquals("WIDTH_MISMATCH", refused.get("error").get("reason").text());
    }

    @Test
    void anInputWithoutRowsIsRefused() throws IOException {
        Path input = Files.createFile(folder.resolve("empty.f32"));
        Path output = folder.resolve("no-rows");
        CommandRun run = CommandRun.of("shards", "write", "--input", input, "--width", "4", "--output", output);
        assertEquals(2, run.exitCode(), run.err());
        assertTrue(run.err().contains("has no rows"), run.err());
        assertFalse(Files.exists(output), "the new folder is removed again");
        Files.createDirectory(output);
        assertEquals(
                2,
                CommandRun.of("shards", "write", "--input", input, "--width", "4", "--output", output)
                        .exitCode());
        assertTrue(Files.exists(output), "a folder that was there stays");
    }

    @Test
    void aSampleWithoutRowsIsRefused() {
        written("corpus").ok();
        CommandRun run =
                CommandRun.of("shards", "sample", path("corpus"), "--fraction", "1e-9", "--output", path("no-sample"));
        assertEquals(2, run.exitCode(), run.err());
        assertTrue(run.err().contains("the sample of 250 rows has no rows"), run.err());
        assertFalse(Files.exists(folder.resolve("no-sample")));
    }

    @Test
    void shardsThatAreGivenOneByOneAreOneCorpus() {
        written("corpus").ok();
        Values info =
                Values.of(Run.of("info", path("corpus/shard_000002.shard"), path("corpus/shard_000000.shard"), "--json")
                        .ok()
                        .out());
        assertEquals("shards", info.get("format").text());
        assertEquals(150, info.get("records").number());
        assertEquals(2, info.get("shards").number());
        assertEquals(8, info.get("width").number());
        CommandRun bad = CommandRun.of(
                "info",
                CommandRun.testdata("shards/bad/short_31.shard"),
                CommandRun.testdata("shards/bad/magic_02.shard"));
        assertEquals(1, bad.exitCode());
        assertTrue(bad.err().contains("short_31.shard") && bad.err().contains("magic_02.shard"), bad.err());
    }

    @Test
    void verifyReportsAllProblemsOfAllShards() throws IOException {
        Path mixed = Files.createDirectory(folder.resolve("mixed"));
        for (String name : List.of("short_31", "trailing_1", "reserved_1")) {
            Files.copy(CommandRun.testdata("shards/bad/" + name + ".shard"), mixed.resolve(name + ".shard"));
        }
        assertEquals(List.of("NONZERO_PADDING", "TRUNCATED", "TRAILING_BYTES"), reasons("verify", mixed, "--json"));
        assertEquals(List.of("TRUNCATED"), reasons("verify", mixed, "--json", "--lenient"));
    }

    private static List<String> reasons(Object... words) {
        Values problems = Values.of(Run.of(words).out()).get("problems");
        return problems.items().stream()
                .map(one -> new Values(one).get("reason").text())
                .toList();
    }

    @Test
    void shardsAreWrittenFromAFieldOfAnySource() throws IOException {
        Path lines = Path.of(path("rows.jsonl"));
        Files.writeString(lines, "{\"id\":1,\"x\":[1,2.5]}\n{\"id\":2,\"x\":[3,4]}\n");
        Run.of("shards", "write", "--input", lines, "--field", "x", "--output", path("of-field"))
                .ok();
        String json = Run.of("info", path("of-field"), "--json").ok().out();
        assertTrue(json.contains("\"records\":2"), json);
        requireRefusal(
                "id (i64), x (f64 [2]); shards can only be made from a single field",
                "shards",
                "write",
                "--input",
                lines,
                "--output",
                path("of-all"));
        requireRefusal("has no field y", "shards", "write", "--input", lines, "--field", "y", "--output", path("of-y"));
    }

    @Test
    void wrongOptionsAreNamed() {
        written("corpus").ok();
        String array = CommandRun.testdata("table/two_d.npy").toString();
        requireRefusal(
                "--shard-rows must be at least 1, got 0",
                "shards",
                "write",
                "--input",
                array,
                "--output",
                path("x"),
                "--shard-rows",
                "0");
        requireRefusal(
                "--shard-bytes must be at least 1, got 0",
                "shards",
                "write",
                "--input",
                array,
                "--output",
                path("x"),
                "--shard-bytes",
                "0");
        String output = path("x.safetensors");
        requireRefusal(
                "writes activation shards only, but " + array + " is table", "export", array, "--output", output);
        requireRefusal(
                "remove --fields and --where", "export", path("corpus"), "--output", output, "--fields", "value");
        requireRefusal(
                "cannot write to standard output",
                "export",
                path("corpus"),
                "--format",
                "safetensors",
                "--output",
                "-");
    }

    private static void requireRefusal(String part, Object... words) {
        CommandRun run = CommandRun.of(words);
        assertEquals(2, run.exitCode(), run.err());
        assertTrue(run.err().contains(part), run.err());
    }
}
