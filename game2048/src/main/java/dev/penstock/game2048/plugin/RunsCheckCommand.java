// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048.plugin;

import dev.penstock.file.Parallel;
import dev.penstock.game2048.RunCheck;
import dev.penstock.plugin.Command;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.plugin.Text;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Checks runs against their format and the rules of the game.
@CommandLine.Command(
        name = "check",
        header = "Decode and replay runs, and list all problems.",
        description = {
            "Every byte must belong to the run, every move must be legal, every next board must be the moved board"
                    + " with one spawned tile, and the recorded legality must be that of the board.",
            "With --lenient, anything that the original program accepts is a warning: bytes after a run, a recorded"
                    + " number of steps that is wrong, varints longer than necessary, and in version 1 moves"
                    + " above 3 and"
                    + " engine names that are not UTF-8."
        },
        footer = {"", "Example:", "  penstock game2048 runs check games --json"})
final class RunsCheckCommand extends Command {
    @Parameters(
            arity = "1",
            paramLabel = "PATH",
            description = "The path of a run, a folder of runs, or a pack of runs.")
    Path path;

    @Option(names = "--lenient", description = "Report problems that the original program accepts as warnings.")
    boolean isLenient;

    @Override
    public Integer call() throws IOException {
        RunCheck check = new RunCheck(isLenient, Parallel.defaultThreads());
        RunCheck.Result result;
        try (ProgressBar progress = progress("check", ProgressBar.Unit.RECORDS)) {
            boolean isPack = Files.isRegularFile(path) && RunCheck.isPack(path);
            result = isPack ? check.pack(path, progress) : check.files(RunFiles.list(path), progress);
        }
        if (isJson) {
            printJson(json(result));
        } else {
            result.problems().forEach(problem -> print(text(problem)));
            print((result.isOk() ? "OK: " : "BAD: ") + path + " (" + Text.number(result.runCount()) + " runs, "
                    + Text.number(result.stepCount()) + " steps, "
                    + Text.number(result.problems().size()) + " problems)");
        }
        return result.isOk() ? 0 : BAD_DATA;
    }

    private static String text(RunCheck.Problem problem) {
        return (problem.isWarning() ? "warning: " : "error: ") + problem.file()
                + (problem.record() < 0 ? "" : ", record " + problem.record())
                + (problem.step() < 0 ? "" : ", step " + problem.step()) + ": " + Text.printable(problem.what()) + " ["
                + problem.reason() + "]";
    }

    private static Map<String, Object> json(RunCheck.Result result) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("ok", result.isOk());
        json.put("runs", result.runCount());
        json.put("steps", result.stepCount());
        List<Map<String, Object>> problems =
                result.problems().stream().map(RunsCheckCommand::json).toList();
        json.put("problems", problems);
        return json;
    }

    private static Map<String, Object> json(RunCheck.Problem problem) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("file", problem.file());
        json.put("record", problem.record() < 0 ? null : problem.record());
        json.put("step", problem.step() < 0 ? null : problem.step());
        json.put("reason", problem.reason());
        json.put("what", problem.what());
        json.put("level", problem.isWarning() ? "warning" : "error");
        return json;
    }
}
