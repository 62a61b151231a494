// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.file.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The commands for steps datasets.
final class StepsCommandTest {
    @TempDir
    Path folder;

    /// Copies a dataset of the original program.
    private Path golden(String name) throws IOException {
        Path source = CommandRun.testdata("runs/dataset/" + name);
        Path target = Files.createDirectory(folder.resolve(name));
        for (String file : List.of("steps.npy", "metadata.db")) {
            Files.copy(source.resolve(file), target.resolve(file));
        }
        return target;
    }

    private static CommandRun fine(Object... words) {
        CommandRun run = CommandRun.of(words);
        assertEquals(0, run.exitCode(), run.err());
        return run;
    }

    private static void refused(int exitCode, String part, Object... words) {
        CommandRun run = CommandRun.of(words);
        assertEquals(exitCode, run.exitCode(), run.out() + run.err());
        assertTrue(run.err().contains(part), run.err());
    }

    @Test
    void everyCommandTakesTheDatasetAsAParameterAndAsAnOption() throws IOException {
        Path dataset = golden("clean");
        for (String command : List.of("stats", "check", "repair")) {
            assertEquals(
                    fine("steps", command, dataset).out(),
                    fine("steps", command, "--dataset", dataset).out());
            refused(2, "give exactly one dataset", "steps", command);
            refused(2, "give exactly one dataset", "steps", command, dataset, "-d", dataset);
        }
        Object[] options = {"--format", "jsonl", "--output", "-", "--where", "step_index == 0"};
        assertEquals(
                fine(words(List.of("steps", "export", dataset), options)).out(),
                fine(words(List.of("steps", "export", "--dataset", dataset), options))
                        .out());
        refused(2, "give exactly one dataset", words(List.of("steps", "export"), options));
        refused(2, "give exactly one dataset", words(List.of("steps", "export", dataset, "-d", dataset), options));
        Path more = CommandRun.testdata("runs/more");
        fine("steps", "append", "--dataset", dataset, "--input", more);
        fine("steps", "append", dataset, "--input", more);
        refused(2, "give exactly one dataset", "steps", "append", "--input", more);
        assertTrue(fine("steps", "stats", dataset).out().contains("\nruns: 11\n"));
    }

    private static Object[] words(List<?> first, Object... rest) {
        Object[] all = new Object[first.size() + rest.length];
        System.arraycopy(first.toArray(), 0, all, 0, first.size());
        System.arraycopy(rest, 0, all, first.size(), rest.length);
        return all;
    }

    @Test
    void aCheckPrintsTheFirstProblemsAndCountsTheOthers() throws IOException {
        Path dataset = golden("clean-then-more");
        CommandRun run = CommandRun.of("steps", "check", dataset);
        assertEquals(Failures.BAD_DATA, run.exitCode());
        List<String> lines = run.out().lines().toList();
        assertEquals(22, lines.size());
        assertTrue(lines.getFirst().contains("row 724: the run id is 0, but the row belongs to run 5"), run.out());
        assertEquals("321 more are not listed; --json lists up to 1,000", lines.get(20));
        assertTrue(lines.getLast().endsWith("341 problems)"), run.out());
        Map<?, ?> json = (Map<?, ?>)
                Json.parse(CommandRun.of("steps", "check", dataset, "--json").outBytes());
        assertEquals(341, ((List<?>) json.get("problems")).size());
    }

    @Test
    void aMissingShardIsReportedAsSuch() throws IOException {
        Path dataset = folder.resolve("dataset");
        fine("steps", "build", "-i", CommandRun.testdata("runs/clean"), "-o", dataset, "--shard-rows", 200);
        Files.delete(dataset.resolve("steps-00001.npy"));
        CommandRun run = CommandRun.of("verify", dataset);
        assertEquals(Failures.BAD_DATA, run.exitCode());
        assertTrue(run.out().contains("steps-00001.npy") && run.out().contains("[MISSING_SHARD]"), run.out());
    }

    @Test
    void aFolderThatIsNoDatasetIsNamedByEveryCommand() throws IOException {
        Path empty = Files.createDirectory(folder.resolve("empty"));
        for (String command : List.of("stats", "check", "repair")) {
            refused(1, "this is not a steps dataset: metadata.db is missing", "steps", command, empty);
        }
        assertEquals(List.of(), Files.list(empty).toList());
    }
}
