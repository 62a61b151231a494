// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.game2048.RunJsonl;
import dev.penstock.game2048.RunPack;
import dev.penstock.memory.Disk;
import dev.penstock.memory.NewFileStream;
import dev.penstock.memory.Parallel;
import dev.penstock.pack.PackReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.LongStream;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Runs as lines of JSON.
@CommandLine.Command(
        name = "to-jsonl",
        header = "Write the runs of a pack as lines of JSON.",
        description = {
            "The schema `original` is that of the original program, byte for byte: a line for each run, or for"
                    + " each step"
                    + " with --steps. The schema `compact` has for each step {run_idx, step_idx, pre_board, chosen,"
                    + " branches} with the board as one number and four branch values or nulls, and after the"
                    + " steps of a"
                    + " run a line with its final_board and metadata; --steps and --runs-only leave one of them out.",
            "Lines are in the order of the pack, whatever the number of workers. The file appears when it is complete."
        },
        footer = {
            "",
            "Example:",
            "  penstock pack to-jsonl runs.a2pack --output runs.jsonl",
            "  penstock pack to-jsonl runs.a2pack --output best.jsonl --steps --where \"highest_tile >= 2048\""
        })
final class PackToJsonlCommand extends PackfileCommand {
    /// Which lines.
    static final class Lines {
        @Option(names = "--steps", description = "A line for each step.")
        boolean isSteps;

        /// What the original calls it.
        @Option(names = "--by-step", hidden = true)
        boolean isByStep;

        @Option(names = "--runs-only", description = "A line for each run.")
        boolean isRuns;
    }

    /// How many threads.
    static final class Threads {
        @Option(names = "--workers", paramLabel = "N", description = "Threads that decode (default: one a core).")
        Integer workers;

        @Option(names = "--parallel", description = "One worker a core, which is the default.")
        boolean isParallel;
    }

    @Option(
            names = "--output",
            required = true,
            paramLabel = "FILE",
            description = "The file to write, or - for standard output.")
    String output;

    @ArgGroup
    Lines lines;

    @ArgGroup
    Threads threads;

    @Option(
            names = "--schema",
            paramLabel = "original|compact",
            defaultValue = "original",
            description = "What the lines look like (default: ${DEFAULT-VALUE}).")
    RunJsonl.Schema schema;

    @Mixin
    RunSelection selection;

    /// The name that the original has for `--quiet`.
    @Option(names = "--no-progress", hidden = true)
    boolean isWithoutProgress;

    @Option(names = "--overwrite", description = "Replace an existing output, in one step.")
    boolean isReplacing;

    @Override
    public Integer call() throws IOException {
        isQuiet |= isWithoutProgress;
        int workers = threads == null || threads.workers == null ? Parallel.defaultThreads() : threads.workers;
        RunJsonl.Options options = new RunJsonl.Options(schema, lines(), workers);
        boolean isData = output.equals(Export.STANDARD_OUTPUT);
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
                try (NewFileStream stream = NewFileStream.create(Disk.real(), Path.of(output), isReplacing)) {
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
