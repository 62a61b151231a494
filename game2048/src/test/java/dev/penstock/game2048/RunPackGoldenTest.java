// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.game2048.RunJsonl.Lines;
import dev.penstock.game2048.RunJsonl.Schema;
import dev.penstock.pack.PackBuilder;
import dev.penstock.pack.PackWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Packs, their statistics, orders and lines of JSON are those of the original.
final class RunPackGoldenTest {
    @TempDir
    Path folder;

    /// A copy, because the metadata is written beside a pack.
    private RunPack open(String name) throws IOException {
        Path copy = folder.resolve(name);
        if (!Files.exists(copy)) {
            Files.copy(Golden.pack("packs/" + name), copy);
            copy.toFile().setWritable(true);
        }
        return RunPack.open(copy);
    }

    private byte[] build(Path input, long alignment, int workers) throws IOException {
        Path target = folder.resolve("built.a2pack");
        PackWriter.Options options =
                PackWriter.Options.DEFAULT.withAlignment(alignment).withReplacing(true);
        PackBuilder.build(input, target, false, options, workers, List.of(new RunIntake(false)), Progress.NONE);
        return Files.readAllBytes(target);
    }

    @Test
    void packsAreThoseOfTheOriginalByteForByte() throws IOException {
        int count = 0;
        Map<String, Object> packs =
                Golden.map(Golden.json(Golden.runs("expected.json")).get("packs"));
        for (Map.Entry<String, Object> entry : packs.entrySet()) {
            Map<String, Object> expected = Golden.map(entry.getValue());
            if (expected.get("input") != null) {
                byte[] built = build(Golden.pack(expected.get("input").toString()), (long) expected.get("align"), 2);
                assertEquals(expected.get("sha256"), Golden.sha256(built), entry.getKey());
                count++;
            }
        }
        assertTrue(count >= 7, "only " + count + " packs");
    }

    @Test
    void extractedRunsArePackedToTheSameBytes() throws IOException {
        for (String name : List.of(
                "single-v1-align64", "single-v2-align4096", "many-align64", "orders-align8", "meta-mismatch-align8")) {
            Path input = Files.createDirectories(folder.resolve("in-" + name));
            try (RunPack pack = open(name + ".a2pack")) {
                for (long i = 0; i < pack.count(); i++) {
                    Files.write(input.resolve(String.format("run-%06d.a2run2", i)), pack.bytes(i));
                }
            }
            long alignment = Long.parseLong(name.substring(name.indexOf("align") + 5));
            assertArrayEquals(Golden.bytes(Golden.pack("packs/" + name + ".a2pack")), build(input, alignment, 1), name);
        }
    }

    @Test
    void thePackOfTheRealRunIsThatOfTheSpecification() throws IOException {
        Path example = Golden.extra("example.a2run2");
        assumeTrue(example != null, "needs PENSTOCK_EXTRA_DATA/example.a2run2");
        Path input = Files.createDirectories(folder.resolve("example"));
        Files.copy(example, input.resolve("example.a2run2"));
        assertEquals(
                "25d73625f180c9a692a79aedf3f6e545d7da055a18a97bafe35fe63b8970a1cc",
                Golden.sha256(build(input, 4096, 1)));
        try (RunPack pack = RunPack.open(folder.resolve("built.a2pack"))) {
            assertEquals(
                    "fd3d01c6f19b99fc223141e0e43ca32704a6af48852fcfb47147a957875df93c",
                    Golden.sha256(jsonl(pack, Schema.ORIGINAL, Lines.DEFAULT, 1)));
            assertEquals(
                    "b0ed8984363b8ebdb314eb69a234a07c4ea3e5438e9a214a038b1c60cca7dd1c",
                    Golden.sha256(jsonl(pack, Schema.ORIGINAL, Lines.STEPS, 2)));
        }
    }

    private static byte[] jsonl(RunPack pack, Schema schema, Lines lines, int workers) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        RunJsonl.Options options = new RunJsonl.Options(schema, lines, workers);
        RunJsonl.write(pack, pack.liveIndices(), options, out, Progress.NONE);
        return out.toByteArray();
    }

    @Test
    void linesOfJsonAreThoseOfTheOriginalByteForByte() throws IOException {
        int count = 0;
        Map<String, Object> exports =
                Golden.map(Golden.json(Golden.runs("expected.json")).get("jsonl"));
        for (Map.Entry<String, Object> entry : exports.entrySet()) {
            String[] parts = entry.getKey().split("\\.");
            Object sha256 = Golden.map(entry.getValue()).get("sha256");
            if (sha256 != null && Files.exists(Golden.pack("packs/" + parts[0] + ".a2pack"))) {
                try (RunPack pack = open(parts[0] + ".a2pack")) {
                    Lines lines = parts[1].equals("steps") ? Lines.STEPS : Lines.RUNS;
                    for (int workers = 1; workers <= 3; workers += 2) {
                        byte[] text = jsonl(pack, Schema.ORIGINAL, lines, workers);
                        assertEquals(sha256, Golden.sha256(text), entry.getKey());
                    }
                    count++;
                }
            }
        }
        assertTrue(count >= 8, "only " + count + " exports");
    }

    @Test
    void compactLinesHaveBoardsAsNumbers() throws IOException {
        try (RunPack pack = open("three-align1.a2pack")) {
            String text = new String(jsonl(pack, Schema.COMPACT, Lines.DEFAULT, 1), StandardCharsets.UTF_8);
            List<String> lines = text.lines().toList();
            assertEquals(3 + 4 + 3 + 3, lines.size());
            assertEquals(
                    "{\"run_idx\":2,\"step_idx\":0,\"pre_board\":1152921504606846976,\"chosen\":\"UP\","
                            + "\"branches\":[0.8,0.2,null,0.5]}",
                    lines.get(9));
            assertEquals(
                    "{\"run_idx\":2,\"final_board\":2458965396544290816,\"steps\":3,\"start_unix_s\":1700000000,"
                            + "\"elapsed_s\":5.25,\"max_score\":4096,\"highest_tile\":512,"
                            + "\"engine\":\"test-engine-v2\"}",
                    lines.get(12));
            assertTrue(lines.get(0).endsWith("\"branches\":[null,null,null,null]}"));
            assertEquals(10, jsonlLines(pack, Lines.STEPS));
            assertEquals(3, jsonlLines(pack, Lines.RUNS));
        }
    }

    private static long jsonlLines(RunPack pack, Lines lines) throws IOException {
        return new String(jsonl(pack, Schema.COMPACT, lines, 2), StandardCharsets.UTF_8)
                .lines()
                .count();
    }

    @Test
    void statisticsAreThoseOfTheOriginal() throws IOException {
        Map<String, Object> library = Golden.json(Golden.pack("packs/library.json"));
        for (Map.Entry<String, Object> entry : library.entrySet()) {
            Map<String, Object> stats = Golden.map(Golden.map(entry.getValue()).get("stats"));
            try (RunPack pack = open(entry.getKey())) {
                RunLengths lengths = pack.lengths(Progress.NONE);
                assertEquals(stats.get("count"), lengths.count(), entry.getKey());
                assertEquals(stats.get("total_steps"), lengths.totalSteps());
                assertEquals(stats.get("min_len"), lengths.minSteps());
                assertEquals(stats.get("max_len"), lengths.maxSteps());
                assertEquals(stats.get("p50"), lengths.p50());
                assertEquals(stats.get("p90"), lengths.p90());
                assertEquals(stats.get("p99"), lengths.p99());
                assertEquals(lengths, pack.index(Progress.NONE).lengths(), "from the runs");
                assertEquals(
                        lengths.count(),
                        pack.stats(Progress.NONE).highestTileHist().values().stream()
                                .mapToLong(n -> n)
                                .sum());
                assertEquals(
                        lengths.count(),
                        pack.stats(Progress.NONE).engineCounts().values().stream()
                                .mapToLong(n -> n)
                                .sum());
            }
        }
    }

    @Test
    void aBlockThatContradictsThePackIsNotBelieved() throws IOException {
        assertEquals(Optional.empty(), RunLengths.decode(new byte[3], 1));
        byte[] block = RunLengths.of(new long[] {3, 4}).encode();
        assertTrue(RunLengths.decode(block, 2).isPresent());
        assertEquals(Optional.empty(), RunLengths.decode(block, 3));
        Path lies = folder.resolve("lies.a2pack");
        Files.copy(Golden.pack("bad/stats-lies.a2pack"), lies);
        try (RunPack pack = RunPack.open(lies)) {
            assertEquals(10, pack.lengths(Progress.NONE).totalSteps());
        }
    }

    @Test
    void splitsInTheOrderOfTheOriginalAreItsSplits() throws IOException {
        Map<String, Object> orders = Golden.json(Golden.runs("orders/orders.json"));
        int count = 0;
        try (RunPack pack = open("orders-align8.a2pack")) {
            for (Object item : Golden.list(orders.get("split"))) {
                Map<String, Object> split = Golden.map(item);
                Map<String, Object> arguments = Golden.map(split.get("args"));
                boolean isSequential = "sequential".equals(arguments.get("order"));
                Object share = arguments.get("test_pct");
                Object size = arguments.get("test_size");
                Object seed = arguments.get("seed");
                RunSplit.Options options = new RunSplit.Options(
                        share == null ? 0 : ((Number) share).doubleValue(),
                        size == null ? -1 : (long) size,
                        "step".equals(arguments.get("unit")),
                        seed == null ? 0 : Long.parseUnsignedLong(seed.toString()),
                        isSequential ? RunSplit.Order.SEQUENTIAL : RunSplit.Order.ORIGINAL);
                RunSplit ours = pack.split(options, Progress.NONE);
                assertEquals(split.get("test").toString(), Arrays.toString(ours.test()), split.toString());
                assertEquals(split.get("train").toString(), Arrays.toString(ours.train()), split.toString());
                count++;
            }
            RunSplit own = pack.split(new RunSplit.Options(0.25, -1, false, 1, RunSplit.Order.SHUFFLED), Progress.NONE);
            assertEquals(3, own.test().length);
            assertEquals(10, own.train().length);
        }
        assertTrue(count > 5, "only " + count + " splits");
    }

    @Test
    void badRunsAreNamedOrLeftOut() throws IOException {
        Path input = Files.createDirectories(folder.resolve("some-bad"));
        Files.copy(Golden.runs("edge/three-steps.a2run2"), input.resolve("a.a2run2"));
        Files.copy(Golden.runs("bad/runs/v2-branch-tag-2"), input.resolve("b.a2run2"));
        Files.copy(Golden.runs("bad/runs/v1-payload-flipped"), input.resolve("c.a2run2"));
        Path target = folder.resolve("some.a2pack");
        DatasetException refusal = assertThrows(
                DatasetException.class,
                () -> PackBuilder.build(
                        input,
                        target,
                        false,
                        PackWriter.Options.DEFAULT,
                        1,
                        List.of(new RunIntake(false)),
                        Progress.NONE));
        assertTrue(refusal.getMessage().contains("b.a2run2"), refusal.getMessage());
        assertFalse(Files.exists(target));
        RunIntake intake = new RunIntake(true);
        PackBuilder.build(input, target, false, PackWriter.Options.DEFAULT, 2, List.of(intake), Progress.NONE);
        assertEquals(2, intake.skipped().size());
        assertEquals(Reason.BAD_TAG.toString(), intake.skipped().getFirst().reason());
        Files.delete(input.resolve("b.a2run2"));
        Files.delete(input.resolve("c.a2run2"));
        assertArrayEquals(build(input, 4096, 1), Files.readAllBytes(target));
    }

    @Test
    void aDamagedOrSwappedRunIsAnErrorAndNotTheEnd() throws IOException {
        Path swapped = folder.resolve("swapped.a2pack");
        Files.copy(Golden.pack("bad/kinds-swapped.a2pack"), swapped);
        try (RunPack pack = RunPack.open(swapped)) {
            DatasetException e = assertThrows(DatasetException.class, () -> pack.run(0));
            assertEquals(Reason.KIND_MISMATCH, e.reason());
        }
        Path flipped = folder.resolve("flipped.a2pack");
        Files.copy(Golden.pack("bad/payload-flip.a2pack"), flipped);
        try (RunPack pack = RunPack.open(flipped)) {
            assertThrows(DatasetException.class, () -> pack.iterator().forEachRemaining(run -> {}));
            assertThrows(DatasetException.class, () -> pack.runs(new long[] {0, 1, 2}));
        }
        try (RunPack pack = open("three-align1.a2pack")) {
            assertEquals(3, pack.runV1(0).moves().length);
            assertThrows(IllegalArgumentException.class, () -> pack.runV1(1));
            assertEquals(
                    List.of(3, 3, 4),
                    pack.runs(new long[] {0, 2, 1}).stream().map(Run::stepCount).toList());
        }
    }
}
