// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048.plugin;

import dev.penstock.file.Parallel;
import dev.penstock.game2048.StepsDataset;
import dev.penstock.game2048.StepsOptions;
import dev.penstock.pack.PackIntake;
import dev.penstock.plugin.Command;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.plugin.Text;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/// The common part of building a steps dataset and appending to one.
abstract class StepsInputCommand extends Command {
    /// What to do with steps without branch values.
    enum MissingBranches {
        ERROR,
        SYNTHESIZE
    }

    @Option(
            names = {"-i", "--input"},
            required = true,
            paramLabel = "DIR|FILE.a2pack",
            description = "A folder of runs (*.a2run2, or *.a2run if there are none), or a pack of runs.")
    Path input;

    @Option(
            names = "--shard-rows",
            paramLabel = "N",
            description = "Start a new shard steps-00000.npy after N rows (default: one file steps.npy; an append to"
                    + " shards adds one shard).")
    Long shardRows;

    @Option(
            names = "--workers",
            paramLabel = "N",
            description = "Number of threads that decode runs (default: one per core).")
    Integer workers;

    @Option(
            names = "--missing-branches",
            paramLabel = "error|synthesize",
            defaultValue = "error",
            description = "For steps without branch values: stop, or use the legal moves of the board and give the"
                    + " chosen move the value 1 (default: ${DEFAULT-VALUE}).")
    MissingBranches missingBranches;

    @Option(
            names = "--skip-bad",
            description = "Skip and report runs that cannot be used. Without it the first one stops the" + " command.")
    boolean isSkippingBad;

    /// Accepted for old command lines. Progress is shown on every terminal.
    @Option(names = "--progress", hidden = true)
    boolean isProgress;

    /// Runs the command with the common options.
    abstract StepsDataset.Result run(StepsOptions options) throws IOException;

    abstract Path dataset();

    abstract String done();

    @Override
    public Integer call() throws IOException {
        if (shardRows != null && shardRows < 1) {
            throw new IllegalArgumentException("--shard-rows must be at least 1, got " + shardRows);
        }
        StepsOptions options = StepsOptions.DEFAULT
                .withShardRows(shardRows == null ? 0 : shardRows)
                .withWorkers(workers == null ? Parallel.defaultThreads() : workers)
                .withSynthesizing(missingBranches == MissingBranches.SYNTHESIZE)
                .withSkippingBad(isSkippingBad);
        long start = System.nanoTime();
        StepsDataset.Result result;
        try (ProgressBar progress = progress("steps", ProgressBar.Unit.RECORDS)) {
            result = run(options.withProgress(progress));
        }
        report(result, (System.nanoTime() - start) / 1e9);
        return 0;
    }

    private void report(StepsDataset.Result result, double seconds) {
        if (isJson) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("dataset", dataset());
            json.put("runs", result.runCount());
            json.put("steps", result.stepCount());
            json.put("seconds", seconds);
            json.put(
                    "skipped",
                    result.skipped().stream()
                            .map(PackIntake.Finding::description)
                            .toList());
            json.put(
                    "warnings",
                    result.warnings().stream()
                            .map(PackIntake.Finding::description)
                            .toList());
            printJson(json);
            return;
        }
        remark(done() + ": runs=" + result.runCount() + ", steps=" + result.stepCount() + ", dir=" + dataset() + " in "
                + Text.seconds(seconds));
        result.skipped()
                .forEach(bad -> remark("skipped " + bad.file() + ": " + bad.what() + " [" + bad.reason() + "]"));
        result.warnings()
                .forEach(odd -> remark("warning: " + odd.file() + ": " + odd.what() + " [" + odd.reason() + "]"));
    }
}
