// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048.plugin;

import dev.penstock.Verification;
import dev.penstock.game2048.StepsCheck;
import dev.penstock.game2048.StepsDataset;
import dev.penstock.plugin.Command;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.plugin.Text;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Checks a steps dataset.
@CommandLine.Command(
        name = "check",
        header = "Check the files, the database and every row of a steps dataset.",
        description =
                "Every row must have the run id and step index of its position, a valid move, legal moves and values"
                        + " from 0 to 1. With --replay every move is replayed: it must be legal, and the next"
                        + " board must"
                        + " be the moved board with one spawned tile.",
        footer = {"", "Example:", "  penstock game2048 steps check steps --replay"})
final class StepsCheckCommand extends Command {
    /// The largest number of problems that are printed as text.
    private static final int LISTED_MAX = 20;

    @Mixin
    StepsFolderOption place = new StepsFolderOption();

    @Option(names = "--replay", description = "Replay every move.")
    boolean isReplaying;

    @Override
    public Integer call() throws IOException {
        Path folder = place.path();
        try (StepsDataset dataset = StepsDataset.open(folder);
                ProgressBar progress = progress("check", ProgressBar.Unit.RECORDS)) {
            StepsCheck.Result result = dataset.check(isReplaying, progress);
            if (isJson) {
                printJson(json(result));
            } else {
                list(result.verification());
                print((result.isOk() ? "OK: " : "BAD: ") + folder + " (" + Text.number(result.runCount()) + " runs, "
                        + Text.number(result.stepCount()) + " steps, "
                        + problems(result.verification().problemCount()) + ")");
            }
            return result.isOk() ? 0 : BAD_DATA;
        }
    }

    /// Prints the first problems. A dataset that was appended to with wrong run ids has one for every row.
    private void list(Verification verification) {
        List<Verification.Problem> problems = verification.problems();
        problems.stream().limit(LISTED_MAX).forEach(problem -> print(text(problem)));
        long unlisted = verification.problemCount() - Math.min(problems.size(), LISTED_MAX);
        if (unlisted > 0) {
            print(Text.number(unlisted) + " more are not listed; --json lists up to "
                    + Text.number(Verification.PROBLEMS_MAX));
        }
    }

    private static String problems(long count) {
        return Text.number(count) + (count == 1 ? " problem" : " problems");
    }

    private static String text(Verification.Problem problem) {
        return problem.severity().toString().toLowerCase(Locale.ROOT) + ": " + problem.file() + ": "
                + Text.printable(problem.what()) + " [" + problem.reason() + "]";
    }

    private static Map<String, Object> json(StepsCheck.Result result) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("ok", result.isOk());
        json.put("runs", result.runCount());
        json.put("steps", result.stepCount());
        json.put("problemCount", result.verification().problemCount());
        List<Map<String, Object>> problems = result.verification().problems().stream()
                .map(StepsCheckCommand::json)
                .toList();
        json.put("problems", problems);
        return json;
    }

    private static Map<String, Object> json(Verification.Problem problem) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("file", problem.file().toString());
        json.put("reason", problem.reason());
        json.put("what", problem.what());
        json.put("level", problem.severity().toString().toLowerCase(Locale.ROOT));
        return json;
    }
}
