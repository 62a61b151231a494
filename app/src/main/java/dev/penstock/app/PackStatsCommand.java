// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.pack.PackReader;
import dev.penstock.pack.PackStats;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine;

/// Counts and sizes.
@CommandLine.Command(
        name = "stats",
        header = "Counts and sizes of the records of a pack, from its index.",
        footer = {"", "Example:", "  penstock pack stats runs.a2pack"})
final class PackStatsCommand extends PackfileCommand {
    @Override
    public Integer call() throws IOException {
        PackStats stats;
        try (PackReader pack = open()) {
            stats = pack.stats();
        }
        Map<String, Object> figures = figures(stats);
        if (isJson) {
            printJson(Text.camelKeys(figures));
        } else {
            print("packfile: " + path());
            figures.forEach((label, value) -> print(label + ": " + show(value)));
        }
        return 0;
    }

    private static Object show(Object value) {
        return value instanceof Double number ? String.format(Locale.ROOT, "%.3f", number) : value;
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
