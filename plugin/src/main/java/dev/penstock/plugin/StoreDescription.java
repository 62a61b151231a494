// SPDX-License-Identifier: Apache-2.0
package dev.penstock.plugin;

import dev.penstock.store.RebalancePlan;
import dev.penstock.store.RebalanceReport;
import dev.penstock.store.StoreSnapshots;
import dev.penstock.store.StoreStats;
import java.util.LinkedHashMap;
import java.util.Map;

/// Results about stores as data, as [Description] has those about all datasets.
public final class StoreDescription {
    private StoreDescription() {}

    /// The use of space.
    public static Map<String, Object> of(StoreStats stats) {
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("records", stats.recordCount());
        description.put("deleted", stats.deletedCount());
        description.put("commit", stats.sequence());
        description.put("published", stats.published());
        description.put("isPublished", stats.isPublished());
        description.put("changedCells", stats.overlayCount());
        description.put("rowUtilisation", stats.rowUtilisation());
        description.put("byteUtilisation", stats.byteUtilisation());
        description.put("chunkRows", stats.chunkRows());
        description.put("chunkBytes", stats.chunkBytes());
        description.put("liveBytes", stats.liveBytes());
        description.put("garbageBytes", stats.garbageBytes());
        description.put("tableBytes", stats.tableBytes());
        description.put("waitingBytes", stats.waitingBytes());
        description.put(
                "chunks", stats.chunks().stream().map(StoreDescription::of).toList());
        return description;
    }

    private static Map<String, Object> of(StoreStats.Chunk chunk) {
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("id", chunk.id());
        description.put("bytes", chunk.byteCount());
        description.put("values", chunk.valueCount());
        description.put("liveBytes", chunk.liveBytes());
        description.put("garbageBytes", chunk.garbageBytes());
        return description;
    }

    /// What a rebalance would do.
    public static Map<String, Object> of(RebalancePlan plan) {
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("chunks", (long) plan.chunks().size());
        description.put("copiedBytes", plan.copiedBytes());
        description.put("freedBytes", plan.freedBytes());
        description.put("before", of(plan.stats()));
        return description;
    }

    /// What a rebalance has done.
    public static Map<String, Object> of(RebalanceReport report) {
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("chunks", report.chunkCount());
        description.put("values", report.movedCount());
        description.put("copiedBytes", report.movedBytes());
        description.put("deletedBytes", report.deletedBytes());
        description.put("freedBytes", report.freedBytes());
        description.put("waitingBytes", report.waitingBytes());
        description.put("before", of(report.before()));
        description.put("after", of(report.after()));
        return description;
    }

    /// A named snapshot.
    public static Map<String, Object> of(StoreSnapshots.Snapshot snapshot) {
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("name", snapshot.name());
        description.put("path", snapshot.path().toString());
        description.put("records", snapshot.recordCount());
        description.put("commit", snapshot.sequence());
        description.put("keptBytes", snapshot.keptBytes());
        return description;
    }
}
