// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.Dataset;
import dev.penstock.file.Parallel;
import dev.penstock.query.Where;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Future;

/// The searches of the last conditions, so that scrolling through the matches does not search again.
///
/// **Threads.** Safe for any number of threads.
final class FilterRuns {
    private static final int KEPT_MAX = 8;

    private final Map<Key, FilterRun> runs = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, FilterRun> eldest) {
            return size() > KEPT_MAX;
        }
    };

    /// A dataset that changes has another state, and other matches.
    private record Key(String dataset, String where, String state) {}

    /// The search for a condition, which may have ended earlier, or not have begun.
    ///
    /// @throws IllegalArgumentException when the condition is invalid
    FilterRun of(String id, Dataset dataset, String condition) throws IOException {
        String state = dataset.isRefreshable() ? dataset.fingerprint() : "";
        Key key = new Key(id, condition, state);
        synchronized (runs) {
            FilterRun found = runs.get(key);
            if (found == null) {
                found = new FilterRun(Where.parse(condition, dataset.conditionFields()), dataset.count());
                runs.put(key, found);
            }
            return found;
        }
    }

    /// Searches on a thread for scans, and waits. Several requests for the same condition wait for each other
    /// here, where they take no thread that another condition needs.
    static void search(FilterRun run, Dataset dataset, Workers workers, long budgetSeconds) throws IOException {
        Tracker tracker = new Tracker(budgetSeconds);
        run.lock().lock();
        try {
            Future<Object> scan = workers.scan(() -> {
                tracker.start();
                run.search(dataset, tracker);
                return true;
            });
            Parallel.await(scan);
        } catch (CancellationException e) {
            throw new IOException("the server is stopping", e);
        } finally {
            run.lock().unlock();
        }
    }
}
