// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.Dataset;
import dev.penstock.plugin.StoreDescription;
import dev.penstock.store.StoreReader;
import dev.penstock.store.StoreSnapshots;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// A store while a writer works: its commits, its space, its readers, its snapshots.
///
/// Each look at the page refreshes the dataset. The commits that were seen this way are listed as long as the server
/// runs.
///
/// **Threads.** Safe for any number of threads.
final class StorePage implements SearchPage {
    private static final int COMMITS_MAX = 200;

    private final Shelf shelf;
    private final Searches searches;
    private final Map<String, Deque<Commit>> seen = new ConcurrentHashMap<>();

    /// A commit that was the last one when somebody looked.
    ///
    /// @param unixMillis when that was
    private record Commit(long sequence, long unixMillis, long recordCount, long bytes) {
        Map<String, Object> json() {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("commit", sequence);
            json.put("seen", unixMillis);
            json.put("records", recordCount);
            json.put("bytes", bytes);
            return json;
        }
    }

    StorePage(Shelf shelf, Searches searches) {
        this.shelf = shelf;
        this.searches = searches;
    }

    @Override
    public Object json(Query query) throws IOException {
        String id = query.text("dataset");
        return shelf.with(id, dataset -> {
            StoreReader store = require(dataset);
            StoreRun run = search(query, id, dataset);
            long budget = SearchPage.budget(query);
            if (budget > 0) {
                searches.run(run, dataset, budget);
            }
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("dataset", id);
            json.put("path", store.location());
            json.put("live", Views.isLive(store));
            json.put("commit", store.sequence());
            json.put("records", store.count());
            json.put("deleted", store.deletedCount());
            json.put("bytes", store.bytes());
            json.put(
                    "readers",
                    Views.isLive(store) ? StoreLocks.readers(store.location().path()) : null);
            json.put(
                    "writer",
                    Views.isLive(store) ? StoreLocks.hasWriter(store.location().path()) : null);
            json.put("commits", commits(id, store));
            json.put("snapshots", Views.isLive(store) ? snapshots(store) : List.of());
            json.putAll(run.json());
            return json;
        });
    }

    @Override
    public StoreRun search(Query query, String id, Dataset dataset) throws IOException {
        require(dataset);
        return searches.of(id, dataset, StoreRun.class, List.of(), StoreRun::new);
    }

    private static StoreReader require(Dataset dataset) {
        if (dataset instanceof StoreReader store) {
            return store;
        }
        throw new IllegalArgumentException(dataset.location() + " is a " + dataset.format() + ", not a store");
    }

    private static List<Map<String, Object>> snapshots(StoreReader store) throws IOException {
        return StoreSnapshots.of(store.location().path()).list().stream()
                .map(StoreDescription::of)
                .toList();
    }

    private List<Map<String, Object>> commits(String id, StoreReader store) {
        Deque<Commit> commits = seen.computeIfAbsent(id, key -> new ArrayDeque<>());
        synchronized (commits) {
            if (commits.isEmpty() || commits.getFirst().sequence() != store.sequence()) {
                commits.addFirst(
                        new Commit(store.sequence(), System.currentTimeMillis(), store.count(), store.bytes()));
            }
            if (commits.size() > COMMITS_MAX) {
                commits.removeLast();
            }
            return new ArrayList<>(commits.stream().map(Commit::json).toList());
        }
    }
}
