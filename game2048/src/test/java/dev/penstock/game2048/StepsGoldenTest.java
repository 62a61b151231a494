// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.DatasetException;
import dev.penstock.Progress;
import dev.penstock.Reason;
import dev.penstock.Verification.Problem;
import dev.penstock.file.Disk;
import dev.penstock.groups.GroupReason;
import dev.penstock.groups.Groups;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Datasets that the original program built and appended to, beside ours from the same runs.
final class StepsGoldenTest {
    @TempDir
    Path folder;

    private static Path golden(String name) {
        return Golden.runs("dataset").resolve(name);
    }

    /// The rows of a database, as a program beside us reads them.
    static List<List<Object>> query(Path database, String sql) throws SQLException {
        List<List<Object>> rows = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database);
                Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(sql)) {
            while (found.next()) {
                List<Object> row = new ArrayList<>();
                for (int i = 1; i <= found.getMetaData().getColumnCount(); i++) {
                    row.add(String.valueOf(found.getObject(i)));
                }
                rows.add(row);
            }
        }
        return rows;
    }

    private static void assertDatabase(String name, Path database) throws SQLException {
        Map<String, Object> expected = Golden.json(golden(name).resolve("metadata.json"));
        List<List<Object>> schema = query(database, "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY 2");
        assertEquals(Golden.list(expected.get("schema")), schema);
        List<List<Object>> rows = new ArrayList<>();
        for (Object row : Golden.list(expected.get("rows"))) {
            rows.add(Golden.list(row).stream()
                    .map(String::valueOf)
                    .map(value -> value.equals("inf") ? "Infinity" : value.equals("-inf") ? "-Infinity" : value)
                    .map(value -> (Object) value)
                    .toList());
        }
        assertEquals(rows, query(database, "SELECT * FROM runs ORDER BY id"));
        assertEquals(List.of(List.of("delete")), query(database, "PRAGMA journal_mode"));
    }

    @Test
    void aBuildHasTheBytesOfTheOriginal() throws IOException, SQLException {
        for (String name : List.of("clean")) {
            Path own = folder.resolve(name);
            StepsDataset.build(Golden.runs(name), own);
            assertArrayEquals(
                    Files.readAllBytes(golden(name).resolve("steps.npy")),
                    Files.readAllBytes(own.resolve("steps.npy")));
            assertDatabase(name, own.resolve("metadata.db"));
            Map<String, Object> manifest = Golden.json(own.resolve("manifest.json"));
            try (StepsDataset dataset = StepsDataset.open(own)) {
                assertEquals(1L, manifest.get("version"));
                assertEquals(dataset.count(), manifest.get("num_steps"));
                assertEquals(dataset.runs().count(), manifest.get("num_runs"));
                assertTrue(manifest.get("created").toString().matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ"));
                assertTrue(dataset.check(false, Progress.NONE).isOk());
            }
        }
    }

    @Test
    void headersAreThoseOfTheOriginal() {
        Golden.json(golden("npy-headers.json")).forEach((count, value) -> {
            String expected = Golden.map(value).get("header_hex").toString();
            assertEquals(expected, HexFormat.of().formatHex(StepsFormat.header(false, Long.parseLong(count))), count);
        });
    }

    @Test
    void anAppendContinuesRunIds() throws IOException, SQLException {
        Path own = folder.resolve("own");
        StepsDataset.build(Golden.runs("clean"), own);
        StepsDataset.Result added = StepsDataset.append(own, Golden.runs("more"), StepsOptions.DEFAULT);
        assertEquals(3, added.runCount());
        assertDatabase("clean-then-more", own.resolve("metadata.db"));
        byte[] rows = Files.readAllBytes(own.resolve("steps.npy"));
        byte[] wrong = Files.readAllBytes(golden("clean-then-more").resolve("steps.npy"));
        assertEquals(wrong.length, rows.length);
        try (StepsDataset dataset = StepsDataset.open(own)) {
            assertTrue(dataset.check(false, Progress.NONE).isOk());
            assertEquals(8, dataset.runs().count());
        }
        // Repairing the original's dataset gives the same result as our append.
        Path mended = copy("clean-then-more");
        try (StepsDataset dataset = StepsDataset.open(mended)) {
            StepsCheck.Result result = dataset.check(false, Progress.NONE);
            assertFalse(result.isOk());
            assertEquals(
                    GameReason.BAD_RUN_ID,
                    result.verification().problems().getFirst().reason());
        }
        assertThrows(
                DatasetException.class, () -> StepsDataset.append(mended, Golden.runs("more"), StepsOptions.DEFAULT));
        StepsRepair.Result repaired = StepsRepair.repair(mended, Disk.real(), Progress.NONE);
        assertEquals(added.stepCount(), repaired.rowCount());
        assertArrayEquals(rows, Files.readAllBytes(mended.resolve("steps.npy")));
        assertEquals(new StepsRepair.Result(0, 0), StepsRepair.repair(mended, Disk.real(), Progress.NONE));
        try (StepsDataset dataset = StepsDataset.open(mended)) {
            assertTrue(dataset.check(false, Progress.NONE).isOk());
        }
    }

    /// The second run of the dataset is no game: its 64 boards were made up, so that every combination of legal
    /// and illegal branches occurs. The others are games, and replay without a problem.
    @Test
    void aReplayFindsTheRunThatIsNoGameAndNothingElse() throws IOException {
        Path madeUp = Golden.runs("clean/a-b.a2run2");
        List<Replay.Problem> ofTheRun = Replay.check(RunDecoder.decode(Golden.bytes(madeUp), madeUp));
        try (StepsDataset dataset = StepsDataset.open(golden("clean"))) {
            List<Problem> problems =
                    dataset.check(true, Progress.NONE).verification().problems();
            assertEquals(
                    Set.of(1L),
                    problems.stream()
                            .map(problem -> dataset.runs().groupOf(problem.offset() / 32))
                            .collect(Collectors.toSet()));
            // Both find the same. A transition belongs to the step before the board for one, and to the row of the
            // board for the other.
            List<String> expected = new ArrayList<>();
            for (Replay.Problem problem : ofTheRun) {
                long step = problem.step() + (problem.reason().equals(GameReason.BAD_TRANSITION) ? 1 : 0);
                if (step < 40) {
                    expected.add(step + " " + problem.reason());
                }
            }
            List<String> found = new ArrayList<>();
            for (Problem problem : problems) {
                long step = problem.offset() / 32 - dataset.runs().start(1);
                if (step < 40) {
                    found.add(step + " " + problem.reason());
                }
            }
            assertEquals(
                    expected.stream().sorted().toList(), found.stream().sorted().toList());
            assertTrue(found.size() > 50, found.toString());
        }
    }

    private Path copy(String name) throws IOException {
        Path copy = Files.createDirectories(folder.resolve("copy-" + name));
        for (String file : List.of("steps.npy", "metadata.db")) {
            Files.copy(golden(name).resolve(file), copy.resolve(file));
        }
        return copy;
    }

    @Test
    void datasetsOfTheOriginalCanBeRead() throws IOException {
        for (String name : List.of("clean", "clean-then-more", "zero-rows")) {
            Map<String, Object> expected = Golden.json(golden(name).resolve("metadata.json"));
            try (StepsDataset dataset = StepsDataset.open(golden(name))) {
                List<Object> rows = Golden.list(expected.get("rows"));
                assertEquals(rows.size(), dataset.runs().count(), name);
                for (int i = 0; i < rows.size(); i++) {
                    List<Object> row = Golden.list(rows.get(i));
                    assertEquals(row.get(1), dataset.runs().start(i), name);
                    assertEquals(
                            row.get(3).toString(), Long.toString(dataset.runs().whole("max_score", i)), name);
                    assertEquals(row.get(5), dataset.runs().text("engine", i), name);
                }
            }
            assertFalse(Files.exists(golden(name).resolve("metadata.db-wal")), "reading leaves no files behind");
            assertFalse(Files.exists(golden(name).resolve("metadata.db-shm")), "reading leaves no files behind");
        }
    }

    @Test
    void rangesThatTheOriginalGotWrongAreRefusedAndMended() throws IOException {
        for (String name : List.of("v1-read-as-v2", "limits", "limits-appended")) {
            DatasetException refusal = assertThrows(
                    DatasetException.class,
                    () -> StepsDataset.open(golden(name)).close(),
                    name);
            assertEquals(GroupReason.BAD_GROUPS, refusal.reason(), name);
        }
        for (String name : List.of("meta-mismatch", "zero-rows-then-mismatch")) {
            try (StepsDataset dataset = StepsDataset.open(golden(name))) {
                assertFalse(dataset.check(false, Progress.NONE).isOk(), name);
            }
        }
        assertMended("v1-read-as-v2", 0);
        assertMended("limits", 0, 0, 1, 2);
        assertMended("limits-appended", 0, 0, 1, 2, 0, 0, 1, 2);
        assertMended("meta-mismatch", 3, 4, 2);
        assertMended("zero-rows-then-mismatch", 0, 3, 4, 2);
    }

    private void assertMended(String name, long... rowCounts) throws IOException {
        Path copy = copy(name);
        StepsRepair.repair(copy, Disk.real(), Progress.NONE);
        try (StepsDataset dataset = StepsDataset.open(copy)) {
            assertEquals(
                    List.of(),
                    dataset.check(false, Progress.NONE).verification().problems(),
                    name);
            Groups runs = dataset.runs();
            long[] found = LongStream.range(0, runs.count()).map(runs::rowCount).toArray();
            assertArrayEquals(rowCounts, found, name);
        }
    }

    @Test
    void runsThatNoteAnotherNumberOfStepsAreRefused() {
        for (String input : List.of("limits", "edge/meta-steps-too-many.a2run2", "edge/meta-steps-too-few.a2run2")) {
            DatasetException refusal = assertThrows(
                    DatasetException.class,
                    () -> StepsDataset.build(Golden.runs(input), folder.resolve("none")),
                    input);
            assertEquals(Reason.COUNT_MISMATCH, refusal.reason());
        }
    }

    @Test
    void aLongRunNeedsTheWideRow() throws IOException {
        Path input = Golden.runs("edge/seventy-thousand.a2run2");
        DatasetException refusal =
                assertThrows(DatasetException.class, () -> StepsDataset.build(input, folder.resolve("narrow")));
        assertEquals(GameReason.RUN_TOO_LONG, refusal.reason());
        assertTrue(refusal.getMessage().contains("wide rows"), refusal.getMessage());
        assertFalse(Files.exists(folder.resolve("narrow")), "nothing is left behind");
        Path wide = folder.resolve("wide");
        StepsDataset.build(input, wide, StepsOptions.DEFAULT.withWide(true).withSynthesizing(true));
        try (StepsDataset dataset = StepsDataset.open(wide)) {
            assertEquals(70_000, dataset.count());
            assertTrue(dataset.check(false, Progress.NONE).isOk());
        }
    }
}
