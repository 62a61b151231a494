// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048.plugin;

import dev.penstock.game2048.Board;
import dev.penstock.game2048.Move;
import dev.penstock.game2048.Run;
import dev.penstock.game2048.RunCheck;
import dev.penstock.game2048.RunDecoder;
import dev.penstock.game2048.RunFile;
import dev.penstock.game2048.RunMeta;
import dev.penstock.game2048.RunPack;
import dev.penstock.game2048.Step;
import dev.penstock.plugin.Command;
import dev.penstock.plugin.IndexRanges;
import dev.penstock.plugin.Terminal;
import dev.penstock.plugin.Text;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// Shows a run for people.
@CommandLine.Command(
        name = "show",
        header = "Show the boards and branch values of a run.",
        description = "Shows the first step and the final board, or the step given by --step. Boards are coloured on a"
                + " terminal.",
        footer = {"", "Example:", "  penstock game2048 runs show games/run-000000.a2run2 --step 100"})
final class RunsShowCommand extends Command {
    /// When to colour boards.
    enum Colour {
        AUTO,
        ALWAYS,
        NEVER
    }

    @Spec
    CommandSpec spec;

    @Parameters(arity = "1", paramLabel = "FILE", description = "The path of a run, or of a pack of runs with --index.")
    Path file;

    @Option(
            names = "--step",
            paramLabel = "K",
            description = "The step to show; the number of steps selects the final board.")
    Integer step;

    @Option(
            names = "--index",
            paramLabel = "I",
            defaultValue = "0",
            description = "The index of the run in a pack (default: ${DEFAULT-VALUE}).")
    long index;

    @Option(
            names = "--color",
            paramLabel = "auto|always|never",
            defaultValue = "auto",
            description = "When to colour boards (default: ${DEFAULT-VALUE}).")
    Colour colour;

    @Override
    public Integer call() throws IOException {
        Run run = read();
        if (step != null && (step < 0 || step > run.stepCount())) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(),
                    "step " + step + " is out of range: the run has steps 0 to " + (run.stepCount() - 1) + ", and "
                            + run.stepCount() + " is the final board");
        }
        if (isJson) {
            printJson(json(run));
        } else {
            text(run).forEach(this::print);
        }
        return 0;
    }

    private Run read() throws IOException {
        if (!RunCheck.isPack(file)) {
            return RunDecoder.decodeLeniently(RunFile.bytes(file), file, new ArrayList<>());
        }
        try (RunPack pack = RunPack.open(file)) {
            IndexRanges.require(spec, pack.pack(), index);
            return pack.run(index);
        }
    }

    private List<String> text(Run run) {
        boolean isColoured = colour == Colour.ALWAYS || colour == Colour.AUTO && Terminal.isStandardOutput();
        BoardText boards = new BoardText(isColoured);
        List<String> lines = new ArrayList<>();
        if (step != null && step < run.stepCount()) {
            return boards.step(step, run.step(step));
        }
        if (step == null) {
            lines.addAll(summary(run));
        }
        if (step == null && run.stepCount() > 0) {
            lines.addAll(boards.step(0, run.step(0)));
        }
        lines.add("final board  " + Board.text(run.finalBoard()) + "  score "
                + Text.number(Board.score(run.finalBoard())));
        lines.addAll(boards.board(run.finalBoard()));
        return lines;
    }

    private List<String> summary(Run run) {
        RunMeta meta = run.meta();
        return List.of(
                file + ": a run of version " + run.version().word() + ", " + Text.number(run.stepCount()) + " steps",
                Text.row("started", meta.startUnixS() == 0 ? "unknown" : Text.instant(meta.startUnixS())),
                Text.row("took", meta.elapsedS() + " s"),
                Text.row("score", Long.toUnsignedString(meta.maxScore())),
                Text.row("highest tile", Long.toString(meta.highestTile())),
                Text.row("engine", meta.engine() == null ? "none" : Text.printable(meta.engine())));
    }

    private Map<String, Object> json(Run run) {
        Map<String, Object> json = new LinkedHashMap<>();
        RunMeta meta = run.meta();
        json.put("file", file);
        json.put("kind", run.version().word());
        json.put("steps", meta.steps());
        json.put("start_unix_s", meta.startUnixS());
        json.put("elapsed_s", meta.elapsedS());
        json.put("max_score", meta.maxScore());
        json.put("highest_tile", meta.highestTile());
        json.put("engine", meta.engine());
        json.put("final_board", Board.text(run.finalBoard()));
        if (step != null && step < run.stepCount()) {
            json.put("step", json(run.step(step)));
        }
        return json;
    }

    private Map<String, Object> json(Step one) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("step_idx", step);
        json.put("pre_board", Board.text(one.preBoard()));
        json.put("chosen", one.chosen());
        List<Object> values = new ArrayList<>();
        for (Move move : Move.values()) {
            boolean isLegal = one.branches() != null && one.branches().isLegal(move);
            values.add(isLegal ? one.branches().value(move) : null);
        }
        json.put("branches", one.branches() == null ? null : values);
        return json;
    }
}
