// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.catalog.Catalog;
import dev.penstock.plugin.Command;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.plugin.Text;
import dev.penstock.shards.ShardFormat;
import dev.penstock.shards.ShardReader;
import dev.penstock.shards.ShardStats;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Computes statistics of activations and stores them beside the shards.
@CommandLine.Command(
        name = "stats",
        header = "Compute the mean and scale of activations, and store them beside the shards.",
        description = {
            "Reads all rows once, unless stats.json already has the statistics of these rows. Values that are infinite"
                    + " or NaN are counted and excluded from all other statistics.",
            "Multiplying by scale makes the mean square norm of the rows equal to their width; centred scale does so"
                    + " after the mean is subtracted."
        },
        footer = {"", "Example:", "  penstock shards stats corpus --json"})
final class ShardsStatsCommand extends Command {
    @Parameters(arity = "1", paramLabel = "DIR", description = "The folder of shards.")
    Path path;

    @Option(names = "--lenient", description = "Accept shards that only their original reader accepts.")
    boolean isLenient;

    @Option(names = "--no-save", description = "Do not write stats.json.")
    boolean isUnsaved;

    @Option(names = "--again", description = "Compute the statistics again even if stats.json has them.")
    boolean isAgain;

    @Override
    public Integer call() throws IOException {
        ShardReader.Options options =
                Catalog.Options.DEFAULT.withLenient(isLenient).shards();
        try (ShardReader shards = ShardReader.open(path, options)) {
            ShardStats stats = isAgain ? null : ShardStats.read(shards);
            if (stats == null) {
                stats = compute(shards);
            }
            if (isJson) {
                Map<String, Object> json = new LinkedHashMap<>(stats.values());
                json.put("mean", ShardStats.list(stats.mean()));
                json.put("rms", ShardStats.list(stats.rms()));
                printJson(json);
            } else {
                printText(shards, stats);
            }
        }
        return 0;
    }

    private ShardStats compute(ShardReader shards) throws IOException {
        ShardStats stats;
        try (ProgressBar progress = progress("stats", ProgressBar.Unit.RECORDS)) {
            stats = ShardStats.compute(shards, progress);
        }
        if (!isUnsaved && shards.folder() != null) {
            save(shards, stats);
        }
        return stats;
    }

    /// Stores the statistics. In a folder that cannot be written they are still printed, because computing them
    /// may have taken hours.
    private void save(ShardReader shards, ShardStats stats) throws IOException {
        Path file = shards.folder().resolve(ShardFormat.STATS);
        try {
            stats.publish(shards.disk(), shards.folder());
            remark("Stored the statistics in " + file);
        } catch (FileSystemException e) {
            String reason = e instanceof AccessDeniedException ? "permission denied" : e.getReason();
            remark("The statistics could not be stored in " + file + (reason == null ? "" : ": " + reason)
                    + "; --no-save does not try to");
        }
    }

    private void printText(ShardReader shards, ShardStats stats) {
        print(path + ": " + Text.number(stats.count()) + " rows of " + shards.width() + " " + shards.type());
        print(Text.row("minimum", stats.min()));
        print(Text.row("maximum", stats.max()));
        print(Text.row("mean norm", stats.meanNorm()));
        print(Text.row("mean square norm", stats.meanSquareNorm()));
        print(Text.row("scale", stats.scale()));
        print(Text.row("centred scale", stats.centredScale()));
        print(Text.row("not finite", stats.nonFiniteCount()));
        for (ShardStats.Position position : stats.nonFinite()) {
            print(Text.row("", "row " + position.row() + ", column " + position.column()));
        }
    }
}
