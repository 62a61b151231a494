// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.memory.Json;
import dev.penstock.shards.ShardSample;
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
        String mixed = CommandRun.testdata("shards/dirs/width_differs").toString();
        Values refused = Values.of(Run.of("info", mixed, "--json").out());
        assertEquals("WIDTH_MISMATCH", refused.get("error").get("reason").text());
    }
}
