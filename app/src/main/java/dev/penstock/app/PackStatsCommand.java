// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.pack.PackReader;
import dev.penstock.pack.PackStats;
import dev.penstock.pack.RecordFamily;
import dev.penstock.plugin.PackfileCommand;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.plugin.Text;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
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
            RecordFamily family = isStorage ? null : RecordFamily.of(pack).orElse(null);
            if (isJson) {
                Map<String, Object> json = new LinkedHashMap<>();
                json.putAll(family == null ? Map.of() : family.statistics(pack, progress));
                json.putAll(Text.camelKeys(figures));
                printJson(json);
            } else {
                print("packfile: " + path());
                Map<String, Object> summary = new LinkedHashMap<>();
                if (family != null) {
                    // The figures of the original program come first, with its words.
                    summary.putAll(family.summary(pack, progress));
                    if (!isAsOriginal()) {
                        family.statistics(pack, progress).forEach(summary::putIfAbsent);
                        summary.remove("count");
                    }
                }
                (summary.isEmpty() ? figures : summary).forEach((label, value) -> print(label + ": " + text(value)));
            }
        }
        return 0;
    }

    /// A figure, or the counts of a histogram in one line.
    private static String text(Object value) {
        if (!(value instanceof Map<?, ?> counts)) {
            return String.valueOf(Text.figure(value));
        }
        return counts.entrySet().stream()
                .map(entry -> (entry.getKey().toString().isEmpty()
                                ? "(none)"
                                : Text.printable(entry.getKey().toString()))
                        + " " + Text.figure(entry.getValue()))
                .collect(Collectors.joining(", "));
    }

    private static Map<String, Object> figures(PackStats stats) {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("records", stats.recordCount());
        stats.countByKind().forEach((kind, count) -> figures.put(kind.plural(), count));
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
