// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.Dataset;
import dev.penstock.query.Scan;
import dev.penstock.query.Where;
import dev.penstock.view.Selection;
import dev.penstock.view.Subset;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/// The records that match a condition, as far as the dataset was searched. A search that ran out of time or was
/// cancelled can be continued.
///
/// **Threads.** One thread at a time continues the search; it holds [#lock]. Any thread reads the results.
final class FilterRun implements Search {
    /// The largest number of matches that are listed, 8 bytes each. All are counted.
    static final int LISTED_MAX = 1 << 20;

    private final ReentrantLock lock = new ReentrantLock();
    private final Where where;
    private final long recordCount;
    private long[] listed = new long[1024];
    private int listedCount;
    private long matchCount;
    private long searchedCount;

    FilterRun(Where where, long recordCount) {
        this.where = where;
        this.recordCount = recordCount;
    }

    @Override
    public ReentrantLock lock() {
        return lock;
    }

    @Override
    public void search(Dataset dataset, Tracker tracker) throws IOException {
        long start = searchedCount();
        if (start == recordCount) {
            return;
        }
        tracker.at(start, recordCount);
        Selection rest = Selection.ofRanges(new long[] {start}, new long[] {recordCount});
        try (Subset records = Subset.of(dataset, rest)) {
            Scan.of(records)
                    .withFields(List.of())
                    .withWhere(where)
                    .withThreads(1)
                    .withProgress((done, total) -> {
                        searched(start + done);
                        tracker.at(start + done, recordCount);
                    })
                    .forEach(chunk -> add(start, chunk.indices()));
        } catch (Tracker.OutOfTime e) {
            // What was found so far is the result.
        }
    }

    private synchronized void searched(long count) {
        searchedCount = count;
    }

    private synchronized void add(long start, long[] indices) {
        matchCount += indices.length;
        int more = Math.min(indices.length, LISTED_MAX - listedCount);
        if (listedCount + more > listed.length) {
            listed = Arrays.copyOf(listed, Math.min(LISTED_MAX, Math.max(listed.length * 2, listedCount + more)));
        }
        for (int i = 0; i < more; i++) {
            listed[listedCount++] = start + indices[i];
        }
    }

    synchronized long searchedCount() {
        return searchedCount;
    }

    /// The number of matches that are listed.
    synchronized long listedCount() {
        return listedCount;
    }

    /// The record of a listed match.
    synchronized long at(long match) {
        return listed[(int) match];
    }

    /// How many records match, and of how many. The number is exact when all records were searched.
    @Override
    public synchronized Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("where", where.toString());
        json.put("matches", matchCount);
        json.put("listed", (long) listedCount);
        json.put("searched", searchedCount);
        json.put("of", recordCount);
        json.put("exact", searchedCount == recordCount);
        return json;
    }
}
