// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.file.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The commands about runs, and what the pack commands say about them.
final class RunsCommandTest {
    @TempDir
    Path folder;

    private Path copy(String name) throws IOException {
        Path source = CommandRun.testdata(name);
        Path target = folder.resolve(source.getFileName());
        return Files.exists(target) ? target : Files.copy(source, target);
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> json(CommandRun run) {
        return (Map<String, Object>) Json.parse(run.outBytes());
    }

    private static void requireFine(CommandRun run) {
        assertEquals(0, run.exitCode(), run.err());
    }

    @Test
    void gamesArePlayedPackedAndChecked() throws IOException {
        Path games = folder.resolve("games");
        CommandRun played = CommandRun.of(
                "runs",
                "play",
                "--games",
                4,
                "--output",
                games,
                "--depth",
                0,
                "--seed",
                3,
                "--clock",
                "fixed",
                "--engine",
                "us",
                "--json");
        requireFine(played);
        assertEquals(4L, json(played).get("games"));
        Path again = folder.resolve("again");
        requireFine(CommandRun.of(
                "runs",
                "play",
                "--games",
                4,
                "--output",
                again,
                "--depth",
                0,
                "--seed",
                3,
                "--clock",
                "fixed",
                "--engine",
                "us",
                "--workers",
                3,
                "--quiet"));
        Path first = games.resolve("run-000000.a2run2");
        assertArrayEquals(Files.readAllBytes(first), Files.readAllBytes(again.resolve("run-000000.a2run2")));
        Path pack = folder.resolve("games.a2pack");
        requireFine(CommandRun.of("pack", "build", "--input", games, "--output", pack));
        for (Path path : List.of(first, games, pack)) {
            CommandRun check = CommandRun.of("runs", "check", path, "--json");
            requireFine(check);
            assertEquals(Set.of("ok", "runs", "steps", "problems"), json(check).keySet());
            assertEquals(true, json(check).get("ok"));
        }
        CommandRun stats = CommandRun.of("pack", "stats", pack, "--json");
        assertEquals(Map.of("us", 4L), json(stats).get("engine_counts"));
        assertTrue(json(stats)
                .keySet()
                .containsAll(List.of(
                        "count",
                        "total_steps",
                        "min_len",
                        "max_len",
                        "mean_len",
                        "p50_len",
                        "p90_len",
                        "p99_len",
                        "highest_tile_hist")));
    }

    @Test
    void oldRunsArePlayedPackedAndUpgraded() throws IOException {
        Path games = folder.resolve("old");
        requireFine(CommandRun.of(
                "runs", "play", "--games", 2, "--output", games, "--depth", 0, "--format", "v1", "--quiet"));
        Path pack = folder.resolve("old.a2pack");
        requireFine(CommandRun.of("pack", "build", "--input", games, "--output", pack));
        assertEquals(2L, json(CommandRun.of("info", pack, "--json")).get("records"));
        Path upgraded = folder.resolve("new");
        requireFine(CommandRun.of("runs", "upgrade", games, "--output", upgraded));
        assertTrue(Files.exists(upgraded.resolve("run-000001.a2run2")));
        requireFine(CommandRun.of("runs", "check", upgraded));
    }

    @Test
    void upgradedRunsAreThoseOfTheOriginal() throws IOException {
        Path target = folder.resolve("migrated");
        CommandRun run = CommandRun.of("runs", "upgrade", CommandRun.testdata("runs/v1"), "--output", target);
        requireFine(run);
        assertTrue(run.err().contains("does not exist and is read as up"), run.err());
        try (Stream<Path> files = Files.list(CommandRun.testdata("runs/migrated"))) {
            List<Path> expected = files.toList();
            assertEquals(8, expected.size());
            for (Path file : expected) {
                assertArrayEquals(Files.readAllBytes(file), Files.readAllBytes(target.resolve(file.getFileName())));
            }
        }
        Path odd = CommandRun.testdata("runs/v1/moves-over-3.a2run");
        assertEquals(
                Failures.BAD_DATA,
                CommandRun.of("runs", "upgrade", odd, "--output", folder.resolve("x"), "--strict")
                        .exitCode());
    }

    @Test
    @SuppressWarnings("unchecked")
    void problemsAreListed() {
        Path trailing = CommandRun.testdata("runs/bad/runs/v2-trailing-1");
        CommandRun strict = CommandRun.of("runs", "check", trailing, "--json");
        assertEquals(Failures.BAD_DATA, strict.exitCode());
        Map<String, Object> problem =
                (Map<String, Object>) ((List<Object>) json(strict).get("problems")).getFirst();
        assertEquals("TRAILING_BYTES", problem.get("reason"));
        assertEquals(Set.of("file", "record", "step", "reason", "what", "level"), problem.keySet());
        CommandRun pack = CommandRun.of("runs", "check", CommandRun.testdata("pack/bad/payload-flip.a2pack"), "--json");
        assertEquals(Failures.BAD_DATA, pack.exitCode());
        assertTrue(pack.out().contains("\"record\":"), pack.out());
        assertEquals(
                Failures.USAGE,
                CommandRun.of("runs", "check", CommandRun.testdata("table")).exitCode());
    }

    @Test
    @SuppressWarnings("unchecked")
    void thePackCommandsPrintWhatTheOriginalPrints() throws IOException {
        int count = 0;
        for (String transcript : List.of("runs/cli/read.json", "runs/cli/inspect-many.json")) {
            for (Object item : (List<Object>) Json.parse(Files.readAllBytes(CommandRun.testdata(transcript)))) {
                Map<String, Object> call = (Map<String, Object>) item;
                List<Object> args = (List<Object>) call.get("args");
                boolean isText = args.get(1).equals("stats") || args.get(1).equals("inspect");
                if (!isText
                        || !call.get("exit").equals(0L)
                        || !args.get(3).toString().startsWith("packs/")) {
                    continue;
                }
                Path pack = copy("pack/" + args.get(3));
                Object[] ours = args.stream()
                        .map(word -> word.equals(args.get(3)) ? pack : word)
                        .toArray();
                String expected =
                        call.get("stdout").toString().replace(args.get(3).toString(), pack.toString());
                assertEquals(expected, CommandRun.of(ours).out(), args.toString());
                count++;
            }
        }
        assertTrue(count > 30, "only " + count + " transcripts");
    }

    @Test
    void linesOfJsonAppearWhenTheyAreComplete() throws IOException {
        Path pack = copy("pack/packs/three-align1.a2pack");
        Path lines = folder.resolve("three.jsonl");
        requireFine(CommandRun.of("pack", "to-jsonl", pack, "--output", lines));
        assertArrayEquals(
                Files.readAllBytes(CommandRun.testdata("runs/jsonl/three-align1.runs.jsonl")),
                Files.readAllBytes(lines));
        requireFine(CommandRun.of("pack", "to-jsonl", pack, "--output", lines, "--steps", "--overwrite", "--parallel"));
        assertArrayEquals(
                Files.readAllBytes(CommandRun.testdata("runs/jsonl/three-align1.steps.jsonl")),
                Files.readAllBytes(lines));
        CommandRun some = CommandRun.of(
                "pack",
                "to-jsonl",
                pack,
                "--output",
                "-",
                "--schema",
                "compact",
                "--runs-only",
                "--where",
                "steps == 4");
        assertEquals(1, some.out().lines().count());
        assertTrue(some.out().startsWith("{\"run_idx\":1,\"final_board\":"), some.out());
        Path bad = folder.resolve("bad.jsonl");
        assertEquals(
                Failures.BAD_DATA,
                CommandRun.of("pack", "to-jsonl", CommandRun.testdata("pack/bad/payload-flip.a2pack"), "--output", bad)
                        .exitCode());
        assertFalse(Files.exists(bad));
        assertEquals(
                Failures.USAGE,
                CommandRun.of("pack", "to-jsonl", pack, "--output", bad, "--steps", "--runs-only")
                        .exitCode());
    }

    @Test
    void conditionsChooseRuns() throws IOException {
        Path pack = copy("pack/packs/games-align4096.a2pack");
        Path out = folder.resolve("out");
        requireFine(CommandRun.of(
                "pack", "extract", pack, "--where", "max_score >= 10000 and steps > 600", "--output", out));
        try (Stream<Path> files = Files.list(out)) {
            assertEquals(
                    List.of("run-000001.a2run2", "run-000007.a2run2"),
                    files.map(file -> file.getFileName().toString()).sorted().toList());
        }
        CommandRun plan = CommandRun.of("plan", pack, "--batch", 2, "--where", "highest_tile >= 1024", "--json");
        requireFine(plan);
        CommandRun steps = CommandRun.of("plan", pack, "--batch", 64, "--as", "steps", "--json");
        assertTrue(steps.out().contains("4463"), steps.out());
    }

    @Test
    void everyExportUnderstandsRuns() throws IOException {
        Path pack = copy("pack/packs/single-v2-align4096.a2pack");
        CommandRun lines = CommandRun.of("export", pack, "--format", "jsonl", "--output", "-");
        requireFine(lines);
        assertTrue(lines.out().contains("\"max_score\":"), lines.out().substring(0, 200));
        assertTrue(lines.out().contains("\"boards\":["), lines.out().substring(0, 200));
        CommandRun csv = CommandRun.of("export", pack, "--format", "csv", "--output", "-");
        assertTrue(
                csv.out().startsWith("board,move,ev_legal,"),
                csv.out().lines().findFirst().orElseThrow());
        Path table = folder.resolve("steps.npy");
        requireFine(CommandRun.of("export", pack, "--format", "npy", "--output", table));
        long stepCount = csv.out().lines().count() - 1;
        assertEquals(stepCount, json(CommandRun.of("info", table, "--json")).get("records"));
        CommandRun bytes = CommandRun.of("export", pack, "--format", "jsonl", "--output", "-", "--as", "bytes");
        assertTrue(bytes.out().startsWith("{\"value\":"), bytes.out().substring(0, 40));
    }

    @Test
    void badRunsAreLeftOutAndNamed() throws IOException {
        Path input = Files.createDirectories(folder.resolve("input"));
        Files.copy(CommandRun.testdata("runs/edge/three-steps.a2run2"), input.resolve("a.a2run2"));
        Files.copy(CommandRun.testdata("runs/bad/runs/v2-move-4"), input.resolve("b.a2run2"));
        Path pack = folder.resolve("some.a2pack");
        CommandRun refused = CommandRun.of("pack", "build", "--input", input, "--output", pack);
        assertEquals(Failures.BAD_DATA, refused.exitCode());
        assertTrue(refused.err().contains("b.a2run2"), refused.err());
        assertFalse(Files.exists(pack));
        CommandRun skipped = CommandRun.of("pack", "build", "--input", input, "--output", pack, "--skip-bad", "--json");
        requireFine(skipped);
        assertTrue(skipped.out().contains("BAD_MOVE"), skipped.out());
    }

    @Test
    void boardsAreShown() throws IOException {
        Path run = CommandRun.testdata("runs/real/tile-256.a2run2");
        String plain = CommandRun.of("runs", "show", run, "--step", 5, "--color", "never")
                .out();
        assertTrue(plain.startsWith("step 5  0x"), plain);
        assertTrue(plain.contains("<- chosen"), plain);
        assertFalse(plain.contains("\u001b"), plain);
        assertTrue(CommandRun.of("runs", "show", run, "--color", "always").out().contains("\u001b[48;5;"));
        assertEquals(
                Failures.USAGE,
                CommandRun.of("runs", "show", run, "--step", 99999).exitCode());
        assertTrue(new String(
                        CommandRun.of("runs", "show", run, "--json", "--step", 0)
                                .outBytes(),
                        StandardCharsets.UTF_8)
                .contains("\"pre_board\":"));
    }

    @Test
    void runsAreDividedInTheOrderOfTheOriginal() throws IOException {
        Path pack = copy("pack/packs/orders-align8.a2pack");
        CommandRun split = CommandRun.of("runs", "split", pack, "--test", 0.25, "--seed", 42, "--order", "original");
        assertEquals("test: 7,12,10\ntrain: 0,1,2,3,4,5,6,8,9,11\n", split.out());
    }
}
