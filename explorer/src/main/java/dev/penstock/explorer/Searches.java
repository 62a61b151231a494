// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.Dataset;
import dev.penstock.file.Parallel;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Future;
import java.util.function.Supplier;

/// The last searches, so that scrolling through their results does not search again.
///
/// **Threads.** Safe for any number of threads.
final class Searches {
    private static final int KEPT_MAX = 8;

    private final Workers workers;
    private final Map<Key, Search> kept = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Search> eldest) {
            return size() > KEPT_MAX;
        }
    };

    /// A dataset that changes has another state, and other results.
    private record Key(String dataset, String state, Class<?> type, List<Object> parameters) {}

    Searches(Workers workers) {
        this.workers = workers;
    }

    /// The search with some parameters, which may have ended earlier, or not have begun.
    <S extends Search> S of(String id, Dataset dataset, Class<S> type, List<Object> parameters, Supplier<S> maker)
            throws IOException {
        Key key = new Key(id, state(dataset), type, parameters);
        synchronized (kept) {
            S search = type.cast(kept.get(key));
            if (search == null) {
                search = maker.get();
                kept.put(key, search);
            }
            return search;
        }
    }

    /// A text that is different after a commit.
    static String state(Dataset dataset) throws IOException {
        return dataset.isRefreshable() ? dataset.fingerprint() : "";
    }

    /// Searches on a thread for scans, and waits. Several requests for the same search wait for each other here,
    /// where they take no thread that another search needs.
    void run(Search search, Dataset dataset, long budgetSeconds) throws IOException {
        Tracker tracker = new Tracker(budgetSeconds);
        search.lock().lock();
        try {
            Future<Object> scan = workers.scan(() -> {
                tracker.start();
                search.search(dataset, tracker);
                return true;
            });
            Parallel.await(scan);
        } catch (CancellationException e) {
            throw new IOException("the server is stopping", e);
        } finally {
            search.lock().unlock();
        }
    }

    /// Searches and answers with the progress, then with the result.
    void send(Search search, Dataset dataset, long budgetSeconds, Reply reply) throws IOException {
        search.lock().lock();
        try {
            ProgressLines.send(reply, workers, budgetSeconds, tracker -> {
                search.search(dataset, tracker);
                return search.json();
            });
        } finally {
            search.lock().unlock();
        }
    }
}
