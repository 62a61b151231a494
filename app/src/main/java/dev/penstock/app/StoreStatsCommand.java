// SPDX-License-Identifier: Apache-2.0
package dev.penstock.app;

import dev.penstock.file.Location;
import dev.penstock.plugin.ProgressBar;
import dev.penstock.plugin.StoreDescription;
import dev.penstock.plugin.Text;
import dev.penstock.store.StoreReader;
import dev.penstock.store.StoreStats;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;

/// Shows the space used by a store.
@CommandLine.Command(
        name = "stats",
        header = "Show the space used by a store, and how much of it is garbage.",
        description = "Chunks are the files of the values. What updates and deletes leave behind in them is garbage."
                + " `penstock stats` shows statistics of the values."
                + " With --json also the row utilisation, the number of records divided by the capacity of"
                + " the chunks.",
        footer = {"", "Example:", "  penstock store stats images --json"})
final class StoreStatsCommand extends StorefileCommand {
    @Mixin
    SnapshotOption snapshot;

    @Override
    public Integer call() throws IOException {
        try (StoreReader store = StoreReader.open(snapshot.of(Location.of(path)).path());
                ProgressBar progress = progress("stats", ProgressBar.Unit.RECORDS)) {
            StoreStats stats = store.stats(progress);
            if (isJson) {
                Map<String, Object> json = new LinkedHashMap<>();
                json.put("store", path);
                json.putAll(StoreDescription.of(stats));
                printJson(json);
            } else {
                show(stats);
                store.remarks().forEach(this::remark);
            }
        }
        return 0;
    }

    private void show(StoreStats stats) {
        print(Text.row("records", stats.recordCount()));
        print(Text.row("deleted", stats.deletedCount()));
        print(Text.row("commit", stats.sequence()));
        print(Text.row("published", stats.published()));
        print(Text.row(
                "values", Text.bytes(stats.liveBytes()) + ", " + percent(stats.byteUtilisation()) + " of the chunks"));
        print(Text.row("garbage", Text.bytes(stats.garbageBytes()) + " that store rebalance can free"));
        print(Text.row("tables", Text.bytes(stats.tableBytes())));
        if (stats.waitingBytes() > 0) {
            print(Text.row("waiting", Text.bytes(stats.waitingBytes()) + " of chunks that open readers need"));
        }
        List<StoreStats.Chunk> chunks = stats.chunks();
        for (StoreStats.Chunk chunk : chunks) {
            print(Text.row(
                    "chunk " + chunk.id(),
                    Text.bytes(chunk.byteCount()) + ", " + Text.number(chunk.valueCount()) + " values, garbage "
                            + Text.bytes(chunk.garbageBytes())));
        }
    }

    static String percent(double share) {
        return String.format(Locale.ROOT, "%.1f %%", share * 100);
    }
}
