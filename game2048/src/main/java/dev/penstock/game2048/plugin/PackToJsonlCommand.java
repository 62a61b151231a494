// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048.plugin;

import dev.penstock.file.Disk;
import dev.penstock.file.NewFileStream;
import dev.penstock.file.Parallel;
import dev.penstock.game2048.RunJsonl;
import dev.penstock.game2048.RunPack;
import dev.penstock.pack.PackReader;
import dev.penstock.plugin.OverwriteOption;
import dev.penstock.plugin.PackSelection;
import dev.penstock.plugin.PackfileCommand;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.plugin.Text;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.LongStream;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Writes runs as JSON Lines.
@CommandLine.Command(
        name = "to-jsonl",
        header = "Write the runs of a pack as JSON Lines.",
        description = {
            "The schema `original` is byte for byte that of the original program: one line for each run, or for"
                    + " each step"
                    + " with --steps. The schema `compact` has for each step {run_idx, step_idx, pre_board, chosen,"
                    + " branches} with the board as one number and four branch values or nulls, and after the"
                    + " steps of a"
                    + " run a line with its final_board and metadata; --steps and --runs-only leave one of them out.",
            "Lines are in the order of the pack for any number of workers. The file appears when it is complete."
        },
        footer = {
            "",
            "Example:",
            "  penstock pack to-jsonl runs.a2pack --output runs.jsonl",
            "  penstock pack to-jsonl runs.a2pack --output best.jsonl --steps --where \"highest_tile >= 2048\""
        })
final class PackToJsonlCommand extends PackfileCommand {
    /// Selects the lines to write.
    static final class Lines {
        @Option(names = "--steps", description = "Write one line for each step.")
        boolean isSteps;

        /// The name of `--steps` in the original program.
        @Option(names = "--by-step", hidden = true)
        boolean isByStep;

        @Option(names = "--runs-only", description = "Write one line for each run.")
        boolean isRuns;
    }

    /// Sets the number of threads.
    static final class Threads {
        @Option(
                names = "--workers",
                paramLabel = "N",
                description = "Number of threads that decode (default: one per core).")
        Integer workers;

        @Option(names = "--parallel", description = "Use one worker per core (the default).")
        boolean isParallel;
    }

    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "FILE",
            description = "The output file, or - for standard output.")
    String output;

    @ArgGroup
    Lines lines;

    @ArgGroup
    Threads threads;

    @Option(
            names = "--schema",
            paramLabel = "original|compact",
            defaultValue = "original",
            description = "The schema of the lines (default: ${DEFAULT-VALUE}).")
    RunJsonl.Schema schema;

    @Mixin
    PackSelection selection;

    /// The name of `--quiet` in the original program.
    @Option(names = "--no-progress", hidden = true)
    boolean isWithoutProgress;

    @Mixin
    OverwriteOption overwrite;

    @Override
    public Integer call() throws IOException {
        isQuiet |= isWithoutProgress;
        int workers = threads == null || threads.workers == null ? Parallel.defaultThreads() : threads.workers;
        RunJsonl.Options options = new RunJsonl.Options(schema, lines(), workers);
        boolean isData = output.equals("-");
        long count;
        try (PackReader pack = open();
                RunPack runs = RunPack.of(pack);
                ProgressBar progress = progress("to-jsonl", ProgressBar.Unit.RECORDS)) {
            long[] indices = selection.ranges(pack, progress).stream()
                    .flatMapToLong(range -> LongStream.rangeClosed(range.first(), range.last()))
                    .filter(index -> !runs.isTombstone(index))
                    .toArray();
            if (isData) {
                count = RunJsonl.write(runs, indices, options, data(), progress);
            } else {
                try (NewFileStream stream = NewFileStream.create(Disk.real(), Path.of(output), overwrite.isGiven)) {
                    count = RunJsonl.write(runs, indices, options, stream, progress);
                    stream.publish();
                }
            }
        }
        report(count, isData);
        return 0;
    }

    private RunJsonl.Lines lines() {
        if (lines == null) {
            return RunJsonl.Lines.DEFAULT;
        }
        return lines.isRuns ? RunJsonl.Lines.RUNS : RunJsonl.Lines.STEPS;
    }

    private void report(long count, boolean isData) {
        if (isJson && !isData) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("output", output);
            json.put("runs", count);
            printJson(json);
        } else {
            remark("Wrote " + Text.number(count) + " runs" + (isData ? "" : " to " + output));
        }
    }
}
