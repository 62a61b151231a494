// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.Dataset;
import dev.penstock.plugin.StoreDescription;
import dev.penstock.store.StoreReader;
import dev.penstock.store.StoreStats;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/// The space of one committed state of a store, which is counted slot by slot.
final class StoreRun implements Search {
    private final ReentrantLock lock = new ReentrantLock();
    private volatile StoreStats stats;

    @Override
    public ReentrantLock lock() {
        return lock;
    }

    @Override
    public void search(Dataset dataset, Tracker tracker) throws IOException {
        if (stats != null) {
            return;
        }
        try {
            stats = ((StoreReader) dataset).stats(tracker);
        } catch (Tracker.OutOfTime e) {
            // Without a whole count there is no result.
        }
    }

    /// The statistics as `store stats --json` prints them.
    @Override
    public Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("finished", stats != null);
        json.put("stats", stats == null ? null : StoreDescription.of(stats));
        return json;
    }
}
