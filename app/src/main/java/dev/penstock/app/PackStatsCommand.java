// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.Progress;
import dev.penstock.game2048.NumberText;
import dev.penstock.game2048.RunLengths;
import dev.penstock.game2048.RunPack;
import dev.penstock.game2048.RunStats;
import dev.penstock.pack.PackReader;
import dev.penstock.pack.PackStats;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/// Shows counts and sizes.
@CommandLine.Command(
        name = "stats",
        header = "Show counts and sizes of the records of a pack, or the run lengths of a pack of runs.",
        description = "`penstock stats` shows the sizes of the records of any format, and steps of a pack of runs.",
        footer = {"", "Example:", "  penstock pack stats runs.a2pack"})
final class PackStatsCommand extends PackfileCommand {
    @Option(names = "--storage", description = "Show counts and sizes of the stored records for a pack of runs, too.")
    boolean isStorage;

    @Override
    public Integer call() throws IOException {
        try (PackReader pack = open();
                ProgressBar progress = progress("stats", ProgressBar.Unit.RECORDS)) {
            Map<String, Object> figures = figures(pack.stats());
            boolean isRuns = !isStorage && RunPack.isRunPack(pack);
            if (isJson) {
                Map<String, Object> json = isRuns ? runs(pack, progress) : new LinkedHashMap<>();
                json.putAll(Text.camelKeys(figures));
                printJson(json);
            } else {
                print("packfile: " + path());
                (isRuns ? lengths(pack, progress) : figures)
                        .forEach((label, value) -> print(label + ": " + show(value)));
            }
        }
        return 0;
    }

    /// The lines that the original program prints.
    private static Map<String, Object> lengths(PackReader pack, Progress progress) throws IOException {
        try (RunPack runs = RunPack.of(pack)) {
            RunLengths lengths = runs.lengths(progress);
            Map<String, Object> figures = new LinkedHashMap<>();
            figures.put("runs", lengths.count());
            figures.put("total_steps", lengths.totalSteps());
            figures.put("min_len", lengths.minSteps());
            figures.put("max_len", lengths.maxSteps());
            figures.put("mean_len", lengths.meanSteps());
            return figures;
        }
    }

    private static Map<String, Object> runs(PackReader pack, Progress progress) throws IOException {
        try (RunPack runs = RunPack.of(pack)) {
            RunStats stats = runs.stats(progress);
            RunLengths lengths = stats.lengths();
            Map<String, Object> figures = new LinkedHashMap<>();
            figures.put("count", lengths.count());
            figures.put("total_steps", lengths.totalSteps());
            figures.put("min_len", lengths.minSteps());
            figures.put("max_len", lengths.maxSteps());
            figures.put("mean_len", lengths.meanSteps());
            figures.put("p50_len", lengths.p50());
            figures.put("p90_len", lengths.p90());
            figures.put("p99_len", lengths.p99());
            figures.put("highest_tile_hist", stats.highestTileHist());
            figures.put("engine_counts", stats.engineCounts());
            return figures;
        }
    }

    private static Object show(Object value) {
        return value instanceof Double number ? NumberText.fixed3(number) : value;
    }

    private static Map<String, Object> figures(PackStats stats) {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("records", stats.recordCount());
        figures.put("opaque", stats.opaqueCount());
        figures.put("runs_v1", stats.runV1Count());
        figures.put("runs_v2", stats.runV2Count());
        figures.put("tombstones", stats.tombstoneCount());
        figures.put("compressed", stats.compressedCount());
        figures.put("without_checksum", stats.withoutChecksumCount());
        figures.put("stored_bytes", stats.storedBytes());
        figures.put("raw_bytes", stats.rawBytes());
        figures.put("min_size", stats.sizeMin());
        figures.put("max_size", stats.sizeMax());
        figures.put("mean_size", stats.sizeMean());
        figures.put("p50_size", stats.p50());
        figures.put("p90_size", stats.p90());
        figures.put("p99_size", stats.p99());
        return figures;
    }
}
