// SPDX-License-Identifier: Apache-2.0
package dev.penstock.explorer;

import dev.penstock.Dataset;
import dev.penstock.Field;
import dev.penstock.file.Location;
import dev.penstock.query.FieldStats;
import dev.penstock.query.Scan;
import dev.penstock.query.Stats;
import dev.penstock.query.StatsSum;
import dev.penstock.query.Where;
import dev.penstock.view.Subset;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/// Statistics of fields, of all records or of a sample.
final class FieldsRun implements Search {
    private final ReentrantLock lock = new ReentrantLock();
    private final Location path;
    private final List<Field> fields;
    private final Where where;
    private final Sample sample;
    /// Null when everything was searched, because it takes memory.
    private StatsSum sum;
    private long searchedCount;
    private Stats stats;

    /// @param where the condition, or null
    FieldsRun(Location path, List<Field> fields, Where where, Sample sample) {
        this.path = path;
        this.fields = fields;
        this.where = where;
        this.sample = sample;
        this.sum = new StatsSum(fields, true);
        this.stats = sum.stats();
    }

    @Override
    public ReentrantLock lock() {
        return lock;
    }

    @Override
    public void search(Dataset dataset, Tracker tracker) throws IOException {
        long start = searchedCount;
        if (sum == null) {
            return;
        }
        tracker.at(start, sample.count());
        try (Subset records = Subset.of(dataset, sample.rest(start))) {
            sum.add(Scan.of(records)
                    .withFields(fields)
                    .withWhere(where)
                    .withThreads(1)
                    .withProgress((done, total) -> {
                        searchedCount = start + done;
                        tracker.at(start + done, sample.count());
                    }));
        } catch (Tracker.OutOfTime e) {
            // What was counted so far is the result.
        } finally {
            finished(sum.stats());
        }
    }

    private synchronized void finished(Stats newStats) {
        stats = newStats;
        sum = searchedCount == sample.count() ? null : sum;
    }

    /// The statistics as `stats --values --json` prints them, and of how many records they are.
    @Override
    public synchronized Map<String, Object> json() {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("path", path);
        figures.put("records", stats.recordCount());
        figures.put(
                "fields", stats.fields().stream().map(FieldStats::description).toList());
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("sample", sample.isAll() ? null : sample.count());
        json.put("searched", searchedCount);
        json.put("of", sample.recordCount());
        json.put("exact", searchedCount == sample.recordCount());
        json.put("finished", searchedCount == sample.count());
        json.put("stats", figures);
        return json;
    }
}
