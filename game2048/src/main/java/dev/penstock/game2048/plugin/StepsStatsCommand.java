// SPDX-License-Identifier: Apache-2.0
package dev.penstock.game2048.plugin;

import dev.penstock.game2048.StepsDataset;
import dev.penstock.groups.Groups;
import dev.penstock.plugin.Command;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;

/// Shows statistics of a steps dataset.
@CommandLine.Command(
        name = "stats",
        header = "Show the number of steps and runs of a dataset.",
        description =
                "Reads only the database. `penstock stats DIR` shows how the values of the rows are" + " distributed.",
        footer = {"", "Example:", "  penstock game2048 steps stats steps --json"})
final class StepsStatsCommand extends Command {
    @Mixin
    StepsFolderOption place = new StepsFolderOption();

    @Override
    public Integer call() throws IOException {
        Path folder = place.path();
        try (StepsDataset dataset = StepsDataset.open(folder)) {
            Map<String, Object> stats = stats(folder, dataset);
            dataset.table().remarks().forEach(this::remark);
            if (isJson) {
                printJson(stats);
            } else {
                stats.forEach((name, value) -> print(name + ": " + value));
            }
        }
        return 0;
    }

    private static Map<String, Object> stats(Path folder, StepsDataset dataset) {
        Groups runs = dataset.runs();
        long sum = 0;
        long longest = 0;
        long best = 0;
        Map<String, Long> tiles = new TreeMap<>((a, b) -> Long.compare(Long.parseLong(a), Long.parseLong(b)));
        for (long i = 0; i < runs.count(); i++) {
            sum += runs.rowCount(i);
            longest = Math.max(longest, runs.rowCount(i));
            best = Math.max(best, runs.whole("max_score", i));
            tiles.merge(Long.toString(runs.whole("highest_tile", i)), 1L, Long::sum);
        }
        Map<String, Object> stats = new LinkedHashMap<>();
        stats.put("dataset", folder.toString());
        stats.put("steps", dataset.count());
        stats.put("runs", runs.count());
        stats.put("sum_steps_meta", sum);
        stats.put("longest_run", longest);
        stats.put("best_score", best);
        stats.put("highest_tiles", tiles);
        stats.put("shards", dataset.table().facts().get("shards"));
        return stats;
    }
}
